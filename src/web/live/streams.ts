import type { IncomingMessage, ServerResponse } from "node:http";
import { MINUTE, type Millis, SECOND } from "../../core/duration.ts";
import type { CommitListener } from "../../watch/watcher.ts";
import { sendProblem, sendWrongMethod } from "../kit/problem.ts";
import { ChangeFeed } from "./feed.ts";
import { Reader, Sent } from "./reader.ts";
import { Ring } from "./ring.ts";

/** So many streams at once; a page opens one. */
const STREAMS = 100;
/** Through proxies and sleeping machines a stream must say something to be known to be open. */
const SIGN_OF_LIFE: Millis = 15 * SECOND;
/** So long after the last reader left, what happens is still recorded for one that comes back. */
const PATIENCE: Millis = MINUTE;

export interface Live {
  /** An agent as it is shown to everybody who reads; undefined if it left. */
  readonly show: (agent: string) => unknown;
  /** What tells this life of the process from others. */
  readonly life: string;
  readonly onCommitted: (listener: CommitListener) => () => void;
  readonly mostStreams?: number;
}

/**
 * Committed changes as server-sent events.
 *
 *   asleep ──a reader comes──▶ recording ──the last one left a minute ago──▶ asleep (what was sent is forgotten)
 */
export class Streams {
  readonly #live: Live;
  readonly #open = new Set<Reader>();
  readonly #ring: Ring;
  readonly #feed: ChangeFeed;
  #listening: (() => void) | undefined;
  #sleep: NodeJS.Timeout | undefined;
  #beat: NodeJS.Timeout | undefined;

  constructor(live: Live) {
    this.#live = live;
    this.#ring = new Ring(live.life);
    this.#feed = new ChangeFeed(live.show, (event, data) => this.#sendAll(this.#ring.add(event, data)));
  }

  get size(): number {
    return this.#open.size;
  }

  /** `GET /api/v1/events`. */
  take(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== "GET") return sendWrongMethod(response, "GET");
    if (this.#open.size >= (this.#live.mostStreams ?? STREAMS)) {
      return sendProblem(response, "too-many-streams", "close one, or try again later", {
        retryAfter: 10 * SECOND,
      });
    }
    this.#wake();
    const isPacked = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
    // Its connection ends with it: nothing that was open for hours shall wait idle when we stop.
    response.shouldKeepAlive = false;
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-accel-buffering": "no",
      vary: "accept-encoding",
      ...(isPacked ? { "content-encoding": "gzip" } : {}),
    });
    // A stream is as long as it is: the limits of requests do not end it.
    request.socket.setTimeout(0);
    request.socket.setNoDelay(true);
    const reader = new Reader(response, isPacked);
    this.#open.add(reader);
    response.on("close", () => this.#left(reader));
    response.on("error", () => this.#left(reader));
    reader.send(new Sent(`retry: 2000\n${this.#greeting(lastIdOf(request))}`));
  }

  stop(): void {
    clearTimeout(this.#sleep);
    for (const reader of this.#open) reader.end();
    this.#toSleep();
  }

  /** What the reader missed, or that it must begin anew; the id that it goes on from either way. */
  #greeting(id: string | undefined): string {
    const missed = id === undefined ? undefined : this.#ring.after(id);
    const event = id !== undefined && missed === undefined ? "reset" : "hello";
    return `id: ${id === undefined || missed === undefined ? this.#ring.last : id}\nevent: ${event}\ndata: {}\n\n${missed ?? ""}`;
  }

  #wake(): void {
    clearTimeout(this.#sleep);
    this.#sleep = undefined;
    if (this.#listening !== undefined) return;
    this.#listening = this.#live.onCommitted((changes, changed) => this.#feed.note(changes, changed));
    this.#beat = setInterval(() => this.#sendAll(": alive\n\n"), SIGN_OF_LIFE);
    this.#beat.unref();
  }

  #left(reader: Reader): void {
    if (!this.#open.delete(reader) || this.#open.size > 0) return;
    this.#sleep = setTimeout(() => this.#toSleep(), PATIENCE);
    this.#sleep.unref();
  }

  #toSleep(): void {
    this.#listening?.();
    this.#listening = undefined;
    clearInterval(this.#beat);
    this.#feed.stop();
    this.#ring.forget();
  }

  #sendAll(text: string): void {
    const sent = new Sent(text);
    for (const reader of this.#open) reader.send(sent);
  }
}

/** Where the reader was: browsers say it in a header when they come back, others may in the address. */
function lastIdOf(request: IncomingMessage): string | undefined {
  const header = request.headers["last-event-id"];
  if (typeof header === "string" && header !== "") return header;
  return new URLSearchParams((request.url ?? "").split("?", 2)[1]).get("lastEventId") ?? undefined;
}
