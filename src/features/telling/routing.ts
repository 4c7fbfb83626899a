import { setTimeout as pause } from "node:timers/promises";
import { type ChannelSettings, openChannel } from "../../channels/registry.ts";
import type { Config } from "../../config/load.ts";
import type { ConfigFile } from "../../config/schema.ts";
import { secretMeans } from "../../config/secrets.ts";
import type { Message } from "../../core/delivery/message.ts";
import type { Receipt } from "../../core/delivery/receipt.ts";
import { ATTEMPT, backoff } from "../../core/delivery/retry.ts";
import { MINUTE, type Millis } from "../../core/duration.ts";
import { defaultPolicy, matches, type Policy, TOLD_STATES } from "../../core/incident/policy.ts";
import { isActive, parseActiveHours } from "../../core/schedule/active-hours.ts";
import { windowEnd } from "../../core/schedule/window.ts";
import { hostName } from "../../home/home.ts";
import type { Channel, ChatListener, Dispatch } from "../../ports/channel.ts";
import { within } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { systemClock } from "../../system/clock.ts";

/** Where people are told if the config names no channel: whoever looks at the daemon's output. */
const CONSOLE = "console";
/** How often something is tried without the outbox: that takes about five minutes. */
const ATTEMPTS = 10;

interface Telling {
  readonly key: string;
  readonly message: Message;
  readonly log: Log;
  readonly abort: AbortSignal;
}

/** The names of the channels that are told of everything unless a route says otherwise. */
export function placesOf({ channels }: Pick<ConfigFile, "channels">): readonly string[] {
  const named = Object.keys(channels);
  return named.length === 0 ? [CONSOLE] : named;
}

/** Who is told of what, as the config says. */
export function tellingOf(config: Pick<ConfigFile, "channels" | "policy" | "page">): Policy {
  const { tell, hold, group, remind, escalate, quietHours, timezone, windows } = config.policy;
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
    hold,
    group,
    remindEvery: remind,
    ...(windows.length === 0 ? {} : { maintained: maintainedBy(windows, timezone) }),
    ...(config.page === undefined ? {} : { page: config.page }),
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

/** Until when an agent is in one of the windows. */
function maintainedBy(
  windows: ConfigFile["policy"]["windows"],
  timezone: string,
): (agent: string, at: number) => number | undefined {
  const all = windows.flatMap(({ agents, hours, days }) => {
    const read = parseActiveHours(hours, timezone);
    return read === undefined ? [] : [{ agents, window: { ...read, days } }];
  });
  return (agent, at) => {
    const ends = all.flatMap(({ agents, window }) =>
      matches(agents, agent) ? (windowEnd(window, at) ?? []) : [],
    );
    return ends.length === 0 ? undefined : Math.max(...ends);
  };
}

/** Tells every channel once, without the outbox: for when there is no store yet. */
export async function tellWithoutStore(config: Config, what: string, text: string): Promise<void> {
  const channels = new Channels(config);
  const at = Date.now();
  const message: Message = {
    severity: "critical",
    title: `${hostName()}: ${text}`,
    lines: [],
    commands: ["rollcall doctor"],
  };
  await Promise.allSettled(
    placesOf(config).map((place) =>
      channels.sendNow(place, { key: `watcher:${what}:${at}:${place}`, message, at }),
    ),
  );
}

type FirstDispatch = Pick<Dispatch, "key" | "message" | "at">;
type ChannelsConfig = Pick<Config, "channels" | "policy" | "file" | "daemon">;

/** No channel of the config can have such a name. */
const OLD_CHAT = "daemon.heartbeat.telegram";

/** The channel that is told of the daemon's own beats. */
export function ownBeatPlace({ daemon: { heartbeat } }: Pick<Config, "daemon">): string | undefined {
  return heartbeat.to ?? (heartbeat.telegram === undefined ? undefined : OLD_CHAT);
}

/** The old form of that channel. It is not among those that are told of incidents. */
function oldChat({ telegram }: Config["daemon"]["heartbeat"]): Readonly<Record<string, ChannelSettings>> {
  if (telegram === undefined) return {};
  const { chat, url, tokenEnv, tokenFile } = telegram;
  const token = tokenFile === undefined ? { tokenEnv } : { tokenFile };
  return { [OLD_CHAT]: { kind: "telegram", chat, url, ...token } };
}

/** The channels of a config; they are opened when they are first needed. */
export class Channels {
  readonly #opened = new Map<string, Channel>();
  #settings: Readonly<Record<string, ChannelSettings>> = {};
  #timeout: Millis = ATTEMPT;
  #file: string | undefined;

  constructor(config: ChannelsConfig) {
    this.configure(config);
  }

  configure({ channels, policy, file, daemon }: ChannelsConfig): void {
    this.#file = file;
    this.#timeout = policy.timeout;
    const { heartbeat } = daemon;
    this.#settings = { [CONSOLE]: { kind: "console", stream: "stdout" }, ...channels, ...oldChat(heartbeat) };
    this.#opened.clear();
  }

  find(name: string): Channel | undefined {
    const settings = this.#settings[name];
    const opened = this.#opened.get(name);
    if (settings === undefined || opened !== undefined) return opened;
    const channel = openChannel(
      name,
      settings,
      secretMeans(() => ({ file: this.#file })),
    );
    this.#opened.set(name, channel);
    return channel;
  }

  /** The chats in which people may press buttons. */
  chats(): readonly ChatListener[] {
    return Object.keys(this.#settings).flatMap((name) => this.find(name)?.chat ?? []);
  }

  /**
   * Tells without the outbox, for when the store itself is what fails: each place on its own, again for some minutes
   * where it does not get through.
   */
  async tellNow(places: readonly string[], { key, message, log, abort }: Telling): Promise<void> {
    const at = Date.now();
    const tell = async (place: string): Promise<void> => {
      const own = `${key}:${place}`;
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const receipt = await this.sendNow(place, { key: own, message, at, attempt, abort });
        if (receipt.outcome === "sent") return;
        log.error({ to: place, ...receipt }, "could not be told");
        if (receipt.outcome === "refused" || attempt === ATTEMPTS) return;
        // Whoever ends it need not wait, and nothing waits for it.
        await pause(backoff(own, attempt), undefined, { signal: abort, ref: false });
      }
    };
    await Promise.allSettled(places.map(tell));
  }

  /** One attempt, the first unless told otherwise, within the time that the config gives. */
  async sendNow(place: string, dispatch: FirstDispatch & Partial<Dispatch>): Promise<Receipt> {
    const channel = this.find(place);
    if (channel === undefined) return { outcome: "refused", problem: `there is no channel "${place}"` };
    const { signal, done } = within(this.#timeout, systemClock, dispatch.abort);
    try {
      return await channel.send({ attempt: 1, ...dispatch, abort: signal });
    } finally {
      done();
    }
  }
}
