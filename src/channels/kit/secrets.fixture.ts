import type { Channel } from "../../ports/channel.ts";
import type { SecretDeps } from "../../system/secret.ts";
import { openChannel } from "../registry.ts";
import { channelSettings } from "../settings.ts";

/** A channel as the config would open it, for tests. */
export function opened(settings: object, env: SecretDeps["env"] = {}): Channel {
  const readFile = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOENT" }));
  return openChannel("ops", channelSettings.parse(settings), { env, readFile });
}
