import type { Config } from "../../config/load.ts";
import type { Agent } from "../../core/agent.ts";
import type { Beat, Incarnation } from "../../core/beat.ts";
import { MINUTE, type Millis, SECOND } from "../../core/duration.ts";
import { hostName } from "../../home/home.ts";
import type { Log } from "../../ports/log.ts";
import { systemClock } from "../../system/clock.ts";
import { askHttp, isGood } from "../../system/http.ts";
import { uuidv7 } from "../../system/uuid.ts";
import { Channels, ownBeatPlace } from "../telling/routing.ts";
import { ownId } from "./own-id.ts";

type OwnBeatConfig = Pick<Config, "daemon" | "channels" | "policy" | "file">;

const REPLY_LIMIT: Millis = 10 * SECOND;
/** How much before it is due a beat goes out, at most. */
const EARLY: Millis = 30 * SECOND;
/** Whoever hears nothing for three of these knows that something is wrong. */
const PING_EVERY: Millis = MINUTE;

/** The watcher's own agent: who watches is on the roll too. */
export function ownAgent({ every, grace }: Config["daemon"]["heartbeat"], now: number): Agent {
  return { id: ownId(), name: "the watcher", rule: { every, grace }, origin: "watcher", addedAt: now };
}

export interface OwnBeatOptions {
  readonly config: OwnBeatConfig;
  readonly incarnation: Incarnation;
  readonly accept: (beats: readonly Beat[]) => Promise<void>;
  /** What is wrong with the daemon, if anything is. */
  readonly trouble: () => string | undefined;
  /** Why nobody would hear of a death now, if that is so: then no ping goes out either. */
  readonly broken: () => string | undefined;
  readonly pingEvery?: Millis;
  readonly log: Log;
}

/**
 * The daemon's own heartbeat: into the store and the beat file like anybody's, and, if so configured, to a channel, once the
 * store has taken it. A ping goes to another watcher every minute as long as deaths would be told: it ends when the
 * pipeline does.
 */
export class OwnBeat {
  readonly #options: OwnBeatOptions;
  #config: OwnBeatConfig;
  readonly #channels: Channels;
  #cancelBeat = () => {};
  #cancelPing = () => {};
  #count = 0;
  #broken: string | undefined;

  constructor(options: OwnBeatOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#channels = new Channels(options.config);
  }

  /** Resolves when the first beat is stored. Nothing outside is waited for, here or later. */
  async start(): Promise<void> {
    const { every, ping } = this.#config.daemon.heartbeat;
    await this.#beat();
    this.#beatEvery(every);
    this.#pingFrom(ping);
  }

  stop(): void {
    this.#cancelBeat();
    this.#cancelPing();
  }

  /** If the pace is another one, a beat goes out before that is in force: its rule then finds a fresh beat. */
  async prepare(config: OwnBeatConfig): Promise<() => void> {
    if (config.daemon.heartbeat.every !== this.#config.daemon.heartbeat.every) await this.#beat();
    return () => this.#configure(config);
  }

  #configure(config: OwnBeatConfig): void {
    const before = this.#config.daemon.heartbeat;
    const { every, ping } = config.daemon.heartbeat;
    this.#config = config;
    this.#channels.configure(config);
    if (every !== before.every) {
      this.#cancelBeat();
      this.#beatEvery(every);
    }
    if (ping !== before.ping) {
      this.#cancelPing();
      this.#pingFrom(ping);
    }
  }

  /** A beat takes a moment to be stored: one that goes out only when it is due is late. */
  #beatEvery(every: Millis): void {
    this.#cancelBeat = repeat(every - Math.min(every / 5, EARLY), () => this.#beat());
  }

  #pingFrom(url: string | undefined): void {
    this.#cancelPing = () => {};
    if (url === undefined) return;
    void this.#ping(url);
    this.#cancelPing = repeat(this.#options.pingEvery ?? PING_EVERY, () => this.#ping(url));
  }

  /** Never rejects: what goes wrong is logged. */
  async #beat(): Promise<void> {
    const now = Date.now();
    const trouble = this.#options.trouble();
    this.#count += 1;
    const beat: Beat = {
      id: uuidv7(),
      agent: ownId(),
      source: "agent",
      status: trouble === undefined ? "ok" : "error",
      host: hostName(),
      incarnation: this.#options.incarnation,
      cycle: this.#count,
      action: "watching",
      ...(trouble === undefined ? {} : { message: trouble }),
      sentAt: now,
      receivedAt: now,
    };
    try {
      await this.#options.accept([beat]);
    } catch (error) {
      this.#options.log.warn({ problem: String(error) }, "heartbeat: not stored, and so not sent");
      return;
    }
    const to = ownBeatPlace(this.#config);
    // A channel that does not answer holds up neither the start nor the next beat.
    if (to !== undefined) void this.#tell(to, beat);
  }

  async #ping(url: string): Promise<void> {
    const { broken, trouble, log } = this.#options;
    const problem = broken();
    if (problem !== undefined && problem !== this.#broken)
      log.warn({ problem }, "heartbeat: no ping goes out until this is over");
    this.#broken = problem;
    if (problem === undefined) await this.#send(url, trouble() ?? "");
  }

  async #tell(to: string, beat: Beat): Promise<void> {
    const { id, agent, status, cycle, message, action, sentAt: at } = beat;
    const title = `${agent}: ${status}, cycle ${cycle}, ${message ?? action}`;
    const receipt = await this.#channels.sendNow(to, {
      key: `beat:${id}`,
      message: { severity: status === "ok" ? "info" : "warning", title, lines: [] },
      at,
    });
    if (receipt.outcome !== "sent")
      this.#options.log.warn({ problem: receipt.problem }, `heartbeat: ${to} was not told`);
  }

  /** An address may hold a secret: what goes wrong is told without it. */
  async #send(url: string, body: string): Promise<void> {
    const answer = await askHttp({ url, body, method: "POST", most: 0, timeout: REPLY_LIMIT, follow: true });
    const { log } = this.#options;
    if ("failure" in answer) log.warn({ problem: answer.failure }, "heartbeat: the ping did not get through");
    else if (!isGood(answer)) log.warn({ status: answer.status }, "heartbeat: the ping was refused");
  }
}

/** Calls again and again until the answer is called. */
function repeat(every: Millis, call: () => Promise<void>): () => void {
  let cancel = () => {};
  const arm = () => {
    cancel = systemClock.after(every, () => {
      arm();
      void call();
    });
  };
  arm();
  return () => cancel();
}
