import type { ConfigFile } from "../../config/schema.ts";
import type { Agent } from "../../core/agent.ts";
import type { Beat, Incarnation } from "../../core/beat.ts";
import { MINUTE, type Millis, SECOND } from "../../core/duration.ts";
import { hostName } from "../../home/home.ts";
import type { Log } from "../../ports/log.ts";
import { systemClock } from "../../system/clock.ts";
import { askHttp, type HttpRequest, isGood } from "../../system/http.ts";
import { type SecretDeps, secretReader } from "../../system/secret.ts";
import { uuidv7 } from "../../system/uuid.ts";

type HeartbeatConfig = ConfigFile["daemon"]["heartbeat"];

const REPLY_LIMIT: Millis = 10 * SECOND;
/** Whoever hears nothing for three of these knows that something is wrong. */
const PING_EVERY: Millis = MINUTE;

/** The watcher's own agent: who watches is on the roll too. */
export function ownAgent({ every, grace }: HeartbeatConfig, now: number): Agent {
  return { id: ownId(), name: "the watcher", rule: { every, grace }, origin: "config", addedAt: now };
}

export function ownId(): string {
  return `rollcall@${hostName()}`;
}

export interface HeartbeatOptions {
  readonly config: HeartbeatConfig;
  /** Where the token of the chat is read. */
  readonly means: SecretDeps;
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
 * The daemon's own heartbeat: into the store and the beat file like anybody's, and, if so configured, to a chat, once the
 * store has taken it. A ping goes to another watcher every minute as long as deaths would be told: it ends when the
 * pipeline does.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #config: HeartbeatConfig;
  #cancelBeat = () => {};
  #cancelPing = () => {};
  #count = 0;
  #broken: string | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#config = options.config;
  }

  /** Resolves when the first beat is stored. Nothing outside is waited for, here or later. */
  async start(): Promise<void> {
    await this.#beat();
    this.#cancelBeat = repeat(this.#config.every, () => this.#beat());
    this.#pingFrom(this.#config.ping);
  }

  stop(): void {
    this.#cancelBeat();
    this.#cancelPing();
  }

  /** Puts another config in force. A beat goes out at once if the pace is another, so that none is missed. */
  configure(config: HeartbeatConfig): void {
    const before = this.#config;
    this.#config = config;
    if (config.every !== before.every) {
      this.#cancelBeat();
      this.#cancelBeat = repeat(config.every, () => this.#beat());
      void this.#beat();
    }
    if (config.ping !== before.ping) {
      this.#cancelPing();
      this.#pingFrom(config.ping);
    }
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
    const { telegram } = this.#config;
    // A chat that does not answer holds up neither the start nor the next beat.
    if (telegram !== undefined) void this.#tell(telegram, beat);
  }

  async #ping(url: string): Promise<void> {
    const { broken, trouble, log } = this.#options;
    const problem = broken();
    if (problem !== undefined && problem !== this.#broken)
      log.warn({ problem }, "heartbeat: no ping goes out until this is over");
    this.#broken = problem;
    if (problem === undefined) await this.#send("ping", { url, body: trouble() ?? "" });
  }

  async #tell(
    { url, chat, tokenEnv, tokenFile }: NonNullable<HeartbeatConfig["telegram"]>,
    beat: Beat,
  ): Promise<void> {
    const { means, log } = this.#options;
    // Read at each beat, so that a token that was put in its place counts without a restart.
    const token = await secretReader({ env: tokenEnv, file: tokenFile }, means)();
    if ("problem" in token) {
      log.warn({ problem: token.problem }, "heartbeat: there is no Telegram token");
      return;
    }
    const text = `${beat.agent}: ${beat.status}, cycle ${beat.cycle}, ${beat.message ?? beat.action}`;
    const body = JSON.stringify({ chat_id: chat, text, disable_notification: beat.status === "ok" });
    const headers = { "content-type": "application/json" };
    await this.#send("Telegram", { url: `${url}/bot${token.value}/sendMessage`, headers, body });
  }

  /** An address may hold a secret: what goes wrong is told without it. */
  async #send(what: string, post: Pick<HttpRequest, "url" | "headers" | "body">): Promise<void> {
    const answer = await askHttp({ ...post, method: "POST", most: 0, timeout: REPLY_LIMIT, follow: true });
    const { log } = this.#options;
    if ("failure" in answer) log.warn({ problem: answer.failure }, `heartbeat: ${what} did not get through`);
    else if (!isGood(answer)) log.warn({ status: answer.status }, `heartbeat: ${what} was refused`);
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
