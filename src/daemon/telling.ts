import { readFile } from "node:fs/promises";
import { expandTilde } from "../agent/home.ts";
import { openChannel } from "../channels/registry.ts";
import type { ChannelSettings } from "../channels/settings.ts";
import type { Message } from "../core/delivery/message.ts";
import { MINUTE, SECOND } from "../core/duration.ts";
import { defaultPolicy, type Policy, TOLD_STATES } from "../core/incident/policy.ts";
import { isActive, parseActiveHours } from "../core/schedule/active-hours.ts";
import type { Channel } from "../ports/channel.ts";
import type { Log } from "../ports/log.ts";
import type { ConfigFile } from "./config/schema.ts";

/** Where people are told if the config names no channel: whoever looks at the daemon's output. */
const CONSOLE = "console";

/** The names of the channels that are told of everything unless a route says otherwise. */
export function placesOf({ channels }: Pick<ConfigFile, "channels">): readonly string[] {
  const named = Object.keys(channels);
  return named.length === 0 ? [CONSOLE] : named;
}

/** Who is told of what, as the config says. */
export function tellingOf(config: ConfigFile): Policy {
  const { tell, remind, escalate, quietHours, timezone } = config.policy;
  const places = placesOf(config);
  const hours = quietHours === undefined ? undefined : parseActiveHours(quietHours, timezone);
  const routes = tell?.map(({ agents, states, after, to }) => ({
    agents,
    states: states ?? TOLD_STATES,
    after: after ?? 0,
    to: to ?? places,
  }));
  return {
    ...defaultPolicy(places),
    ...(routes === undefined ? {} : { routes }),
    remindEvery: remind,
    ...(escalate === undefined ? {} : { escalate }),
    ...(hours === undefined ? {} : { quiet: (at: number) => (isActive(hours, at) ? endOf(at) : undefined) }),
  };

  /** The first minute after `at` that is no longer quiet. */
  function endOf(at: number): number {
    let minute = Math.floor(at / MINUTE) * MINUTE;
    do minute += MINUTE;
    while (hours !== undefined && isActive(hours, minute));
    return minute;
  }
}

/** The channels of a config; they are opened when they are first needed. */
export class Channels {
  readonly #opened = new Map<string, Channel>();
  #settings: Readonly<Record<string, ChannelSettings>> = {};

  constructor(config: ConfigFile) {
    this.configure(config);
  }

  configure({ channels }: Pick<ConfigFile, "channels">): void {
    this.#settings = { [CONSOLE]: { kind: "console", stream: "stdout" }, ...channels };
    this.#opened.clear();
  }

  find(name: string): Channel | undefined {
    const settings = this.#settings[name];
    const opened = this.#opened.get(name);
    if (settings === undefined || opened !== undefined) return opened;
    const channel = openChannel(name, settings, {
      env: process.env,
      readFile: (path) => readFile(expandTilde(path), "utf8"),
    });
    this.#opened.set(name, channel);
    return channel;
  }

  /** Tells without the outbox, once and as well as it goes: for when the store itself is what fails. */
  async tellNow(places: readonly string[], key: string, message: Message, log: Log): Promise<void> {
    const at = Date.now();
    await Promise.all(
      places.map(async (place) => {
        const abort = AbortSignal.timeout(30 * SECOND);
        const receipt = await this.find(place)?.send({
          key: `${key}:${place}`,
          message,
          at,
          attempt: 1,
          abort,
        });
        if (receipt?.outcome !== "sent") log.error({ to: place, ...receipt }, "could not be told");
      }),
    );
  }
}
