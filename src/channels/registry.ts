import type * as z from "zod";
import type { Adapter } from "../ports/adapter.ts";
import type { Channel } from "../ports/channel.ts";
import {
  type SecretDeps,
  type SecretPlace,
  type SecretReader,
  secretPlaces,
  secretReader,
} from "../system/secret.ts";
import { appriseChannel } from "./apprise/index.ts";
import { commandChannel } from "./command/index.ts";
import { consoleChannel } from "./console/index.ts";
import { desktopChannel } from "./desktop/index.ts";
import { discordChannel } from "./discord/index.ts";
import { emailChannel } from "./email/index.ts";
import type { ChannelDeps } from "./kit/adapter.ts";
import { matrixChannel } from "./matrix/index.ts";
import { ntfyChannel } from "./ntfy/index.ts";
import { pagerdutyChannel } from "./pagerduty/index.ts";
import { slackChannel } from "./slack/index.ts";
import { telegramChannel } from "./telegram/index.ts";
import { webhookChannel } from "./webhook/index.ts";

/** Every kind of channel. */
export const CHANNELS = [
  telegramChannel,
  slackChannel,
  discordChannel,
  matrixChannel,
  ntfyChannel,
  pagerdutyChannel,
  webhookChannel,
  emailChannel,
  appriseChannel,
  desktopChannel,
  consoleChannel,
  commandChannel,
] as const;

export type ChannelSettings = z.output<(typeof CHANNELS)[number]["settings"]>;

const byKind: ReadonlyMap<string, Adapter<string, z.ZodType, ChannelDeps, Channel>> = new Map(
  CHANNELS.map((channel) => [channel.kind, channel]),
);

/**
 * Opens a channel. Secrets are read at each attempt; one that is missing is a problem of that attempt, which names where
 * it should be, and never one of the start.
 */
export function openChannel(name: string, settings: ChannelSettings, deps: SecretDeps): Channel {
  const places = secretPlaces(settings);
  const read = (place: SecretPlace) => named(name, secretReader(place, deps));
  const channel = byKind.get(settings.kind);
  if (channel === undefined) throw new TypeError("the settings of a channel have been checked before");
  return channel.open(settings, {
    env: deps.env,
    secret: (what) => read(places.get(what) ?? {}),
    secretIfNamed: (what) => {
      const place = places.get(what);
      return place && read(place);
    },
  });
}

function named(name: string, read: SecretReader): SecretReader {
  return async () => {
    const found = await read();
    return "problem" in found ? { ...found, problem: `channel ${name}: ${found.problem}` } : found;
  };
}
