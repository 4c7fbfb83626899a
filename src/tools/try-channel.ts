import { loadConfig } from "../config/load.ts";
import type { Receipt } from "../core/delivery/receipt.ts";
import { Channels, placesOf } from "../features/telling/routing.ts";
import { homeAt, hostName } from "../home/home.ts";
import { unreadConfig } from "../service/unread-config.ts";
import { uuidv7 } from "../system/uuid.ts";

interface Where {
  readonly home?: string;
  readonly config?: string;
}

export interface ChannelView {
  readonly name: string;
  readonly kind: string;
}

/** The channels that are told, as the config names them; without any it is the console. */
export async function channelsOf(where: Where): Promise<readonly ChannelView[]> {
  const config = await loadConfig(homeAt(where.home).path, where.config);
  return placesOf(config).map((name) => ({ name, kind: config.channels[name]?.kind ?? name }));
}

/** Why alerts of the running watcher may not arrive as a test message does; undefined if they do. */
export async function whyUnused(where: Where): Promise<string | undefined> {
  const home = homeAt(where.home);
  const { file } = await loadConfig(home.path, where.config);
  return unreadConfig(home, file);
}

/** Sends a test message through one channel at once, without the outbox; undefined if there is none of that name. */
export async function tryChannel(where: Where, name: string): Promise<Receipt | undefined> {
  const config = await loadConfig(homeAt(where.home).path, where.config);
  const channels = new Channels(config);
  if (channels.find(name) === undefined) return undefined;
  const at = Date.now();
  return channels.sendNow(name, {
    key: `test:${uuidv7(at)}:${name}`,
    message: {
      severity: "info",
      title: `Rollcall on ${hostName()}: test of the channel ${name}`,
      lines: ["Test message: alerts for this fleet will arrive here."],
      commands: ["rollcall status"],
    },
    at,
  });
}
