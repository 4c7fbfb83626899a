import type * as z from "zod";
import type { Adapter } from "../../ports/adapter.ts";
import type { Channel } from "../../ports/channel.ts";
import type { SecretDeps, SecretReader } from "../../system/secret.ts";

export interface ChannelDeps {
  readonly env: SecretDeps["env"];
  /** Reads the secret `token` from the place that `tokenEnv` or `tokenFile` names; a missing one is told at each attempt. */
  readonly secret: (what: string) => SecretReader;
  /** The same for a secret that need not be named. */
  readonly secretIfNamed: (what: string) => SecretReader | undefined;
}

/** One kind of channel. */
export type ChannelAdapter<Settings extends z.ZodType<{ readonly kind: string }>> = Adapter<
  z.output<Settings>["kind"],
  Settings,
  ChannelDeps,
  Channel
>;
