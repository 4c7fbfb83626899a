import { readFileSync } from "node:fs";
import { uuidv7 } from "../agent/uuid.ts";
import type { Agent } from "../core/agent.ts";
import type { Beat, Incarnation } from "../core/beat.ts";
import { MINUTE, type Millis, SECOND } from "../core/duration.ts";
import type { Log } from "../ports/log.ts";
import type { ConfigFile } from "./config/schema.ts";
import { hostName } from "./home.ts";

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
  #timers: NodeJS.Timeout[] = [];
  #count = 0;
  #broken: string | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { config, pingEvery = PING_EVERY } = this.#options;
    await this.#beat();
    this.#timers = [setInterval(() => void this.#beat(), config.every)];
    const { ping } = config;
    if (ping === undefined) return;
    // Nobody outside may hold up the start.
    void this.#ping(ping);
    this.#timers.push(setInterval(() => void this.#ping(ping), pingEvery));
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

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
    const { telegram } = this.#options.config;
    if (telegram !== undefined) await this.#tell(telegram, beat);
  }

  async #ping(url: string): Promise<void> {
    const { broken, trouble, log } = this.#options;
    const problem = broken();
    if (problem !== undefined && problem !== this.#broken)
      log.warn({ problem }, "heartbeat: no ping goes out until this is over");
    this.#broken = problem;
    if (problem === undefined) await this.#send("ping", url, { method: "POST", body: trouble() ?? "" });
  }

  #tell(
    { url, chat, tokenEnv, tokenFile }: NonNullable<HeartbeatConfig["telegram"]>,
    beat: Beat,
  ): Promise<void> {
    const token = tokenFile === undefined ? process.env[tokenEnv] : readFileSync(tokenFile, "utf8").trim();
    if (token === undefined || token === "") {
      this.#options.log.warn({ tokenEnv }, "heartbeat: no Telegram token is set");
      return Promise.resolve();
    }
    const text = `${beat.agent}: ${beat.status}, cycle ${beat.cycle}, ${beat.message ?? beat.action}`;
    const body = JSON.stringify({ chat_id: chat, text, disable_notification: beat.status === "ok" });
    const headers = { "content-type": "application/json" };
    return this.#send("Telegram", `${url}/bot${token}/sendMessage`, { method: "POST", headers, body });
  }

  /** An address may hold a secret: what goes wrong is told without it. */
  async #send(what: string, url: string, init: RequestInit): Promise<void> {
    try {
      const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(REPLY_LIMIT) });
      await answer.body?.cancel();
      if (answer.ok) return;
      this.#options.log.warn({ status: answer.status }, `heartbeat: ${what} was refused`);
    } catch (error) {
      const name = error instanceof Error ? error.name : "error";
      const code = (error as { cause?: { code?: string } }).cause?.code;
      this.#options.log.warn({ problem: code ?? name }, `heartbeat: ${what} did not get through`);
    }
  }
}
