import type { IncomingMessage, ServerResponse } from "node:http";
import { type Millis, SECOND } from "../../core/duration.ts";
import type { CommitListener } from "../../watch/watcher.ts";
import { sendProblem, sendWrongMethod } from "../kit/problem.ts";
import { ChangeFeed, type LiveEvent } from "./feed.ts";
import { Reader, Sent } from "./reader.ts";

/** So many streams at once; a page opens one. */
const STREAMS = 100;
/** Through proxies and sleeping machines a stream must say something to be known to be open. */
const SIGN_OF_LIFE: Millis = 15 * SECOND;
export interface Live {
  /** An agent as it is shown to everybody who reads; undefined if it left. */
  readonly show: (agent: string) => unknown;
  /** The number of the last commit. */
  readonly number: () => number;
  /** What was changed since the commit of this number; undefined if the reader must read everything again. */
  readonly missed: (since: number) => Promise<readonly LiveEvent[] | undefined>;
  readonly onCommitted: (listener: CommitListener) => () => void;
  readonly mostStreams?: number;
}

/**
 * Committed changes as server-sent events. The id of an event is the number of a commit: whoever comes back with it gets what
 * was changed since, also from another process. Nothing is noted while nobody reads.
 */
export class Streams {
  readonly #live: Live;
  readonly #open = new Set<Reader>();
  readonly #feed: ChangeFeed;
  /** Everything up to the commit of this number has been sent. */
  #upTo = 0;
  #listening: (() => void) | undefined;
  #beat: NodeJS.Timeout | undefined;

  constructor(live: Live) {
    this.#live = live;
    this.#feed = new ChangeFeed(live.show, (events, upTo = this.#upTo) => {
      const text = textOf(events, this.#upTo, upTo);
      this.#upTo = upTo;
      this.#sendAll(text);
    });
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
    const id = lastIdOf(request);
    if (id === undefined) reader.greet(new Sent(greeting("hello", this.#upTo)));
    else void this.#goOn(reader, id);
  }

  stop(): void {
    for (const reader of this.#open) reader.end();
    this.#toSleep();
  }

  /** Sends what the reader missed, or that it must read everything again. What happens meanwhile waits for that. */
  async #goOn(reader: Reader, id: string): Promise<void> {
    const upTo = this.#upTo;
    const since = /^\d+$/.test(id) ? Number(id) : Number.NaN;
    const missed = Number.isSafeInteger(since)
      ? await this.#live.missed(since).catch(() => undefined)
      : undefined;
    const first = missed === undefined ? greeting("reset", upTo) : greeting("hello", since);
    reader.greet(new Sent(`${first}${textOf(missed ?? [], since, upTo)}`));
  }

  #wake(): void {
    if (this.#listening !== undefined) return;
    this.#upTo = this.#live.number();
    this.#listening = this.#live.onCommitted((changes, changed) =>
      this.#feed.note(changes, changed, this.#live.number()),
    );
    this.#beat = setInterval(() => this.#sendAll(": alive\n\n"), SIGN_OF_LIFE);
    this.#beat.unref();
  }

  #left(reader: Reader): void {
    if (this.#open.delete(reader) && this.#open.size === 0) this.#toSleep();
  }

  #toSleep(): void {
    this.#listening?.();
    this.#listening = undefined;
    clearInterval(this.#beat);
    this.#feed.stop();
  }

  #sendAll(text: string): void {
    const sent = new Sent(text);
    for (const reader of this.#open) reader.send(sent);
  }
}

function greeting(event: "hello" | "reset", id: number): string {
  return `retry: 2000\nid: ${id}\nevent: ${event}\ndata: {}\n\n`;
}

/** Only the last event tells that everything up to a commit was sent: whoever breaks off before it comes back from before. */
function textOf(events: readonly LiveEvent[], before: number, after: number): string {
  const last = events.length - 1;
  return events
    .map(({ name, items }, index) => {
      const id = index === last ? after : before;
      return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(items)}\n\n`;
    })
    .join("");
}

/** Where the reader was: browsers say it in a header when they come back, others may in the address. */
function lastIdOf(request: IncomingMessage): string | undefined {
  const header = request.headers["last-event-id"];
  if (typeof header === "string" && header !== "") return header;
  return new URLSearchParams((request.url ?? "").split("?", 2)[1]).get("lastEventId") ?? undefined;
}
