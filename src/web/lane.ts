import { isUtf8 } from "node:buffer";
import { type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type Millis, SECOND } from "../core/duration.ts";
import type { RawBeats, TakeBeats } from "./access/raw-beats.ts";
import type { BeatAnswer } from "./kit/beat-answer.ts";
import type { Body } from "./kit/body.ts";
import { problemBody, problemHeaders, problemStatus } from "./kit/problem.ts";
import { endOfHead, type LaneHead, readHead } from "./lane-head.ts";

/** A larger request goes to node:http. */
const LARGEST = 16 * 1024;
const NOT_ASCII = /[^\0-\x7f]/;

export interface LaneOptions {
  /** Who takes beats now; undefined to leave everything to node:http. */
  readonly taker: () => TakeBeats | undefined;
  readonly bySocket: boolean;
  /** How long a new connection may say nothing. */
  readonly first: Millis;
  /** How long a connection may say nothing between two requests. */
  readonly idle: Millis;
}

/**
 * A short way for beats: an ordinary `POST /api/v1/beats` that arrives in one piece is read and answered on its connection,
 * which takes half of the time of node:http. With the first request that is anything else, or that is not clear, the
 * connection and all its bytes go to node:http, and stay there.
 */
export function openLane(server: Server, options: LaneOptions): void {
  const pass = server.listeners("connection") as ((socket: Socket) => void)[];
  for (const each of pass) server.off("connection", each);
  const lane: Lane = {
    options,
    connections: new Set(),
    leave: (socket) => {
      for (const each of pass) each.call(server, socket);
    },
  };
  server.on("connection", (socket: Socket) => new LaneConnection(lane, socket));
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    closeIdle();
    for (const connection of lane.connections) connection.closeIfIdle();
  };
}

interface Lane {
  readonly options: LaneOptions;
  readonly connections: Set<LaneConnection>;
  /** Gives the connection to node:http. */
  readonly leave: (socket: Socket) => void;
}

/** A connection in the lane: idle ⇄ waiting for its answer; then closed, or left to node:http. */
class LaneConnection {
  readonly #lane: Lane;
  readonly #socket: Socket;
  #waits = false;
  #isNew = true;
  #hasEnded = false;
  /** What came while an answer was waited for. */
  #rest: Buffer | undefined;

  constructor(lane: Lane, socket: Socket) {
    this.#lane = lane;
    this.#socket = socket;
    lane.connections.add(this);
    socket.setTimeout(lane.options.first);
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("timeout", this.#onTimeout);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
  }

  closeIfIdle(): void {
    if (!this.#waits) this.#socket.destroy();
  }

  /** Sends an answer; after that the connection is idle again. */
  answer(text: string, close = false): void {
    this.#waits = false;
    const socket = this.#socket;
    if (socket.destroyed) return;
    if (close || this.#hasEnded) socket.end(text, "latin1");
    else socket.write(text, "latin1");
    const rest = this.#rest;
    if (rest === undefined || close) return;
    this.#rest = undefined;
    this.#leave(rest);
  }

  /** Gives the request that waits, and all that came after it, to node:http. */
  leave(chunk: Buffer): void {
    this.#waits = false;
    if (this.#socket.destroyed) return;
    // Nothing can be put back into what was read to its end.
    if (this.#hasEnded)
      return new LaneAnswer(this, 0).problem("cannot-store", "send it again", { close: true });
    const rest = this.#rest;
    this.#rest = undefined;
    this.#leave(rest === undefined ? chunk : Buffer.concat([chunk, rest]));
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#waits) {
      this.#socket.pause();
      this.#rest = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
      return;
    }
    const { taker, bySocket, idle } = this.#lane.options;
    const takeBeats = taker();
    if (takeBeats === undefined || chunk.length > LARGEST) return this.#leave(chunk);
    const text = chunk.toString("latin1");
    const end = endOfHead(text);
    const head = end === undefined ? undefined : readHead(text.slice(0, end));
    if (end === undefined || head === undefined || text.length !== end + head.length)
      return this.#leave(chunk);
    this.#waits = true;
    if (this.#isNew) {
      this.#isNew = false;
      this.#socket.setTimeout(idle);
    }
    const body = bodyOf(text.slice(end), chunk, end);
    const request = new LaneRequest(this.#socket, head, body, () => this.leave(chunk));
    takeBeats(request, new LaneAnswer(this, idle), bySocket);
  };

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (!this.#waits) this.#socket.end();
  };

  readonly #onTimeout = (): void => this.closeIfIdle();

  /** The connection is closed after it. */
  readonly #onError = (): void => {};

  readonly #onClose = (): void => void this.#lane.connections.delete(this);

  #leave(chunk: Buffer): void {
    const socket = this.#socket;
    this.#lane.connections.delete(this);
    socket.setTimeout(0);
    socket.off("data", this.#onData);
    socket.off("end", this.#onEnd);
    socket.off("timeout", this.#onTimeout);
    socket.off("error", this.#onError);
    socket.off("close", this.#onClose);
    socket.pause();
    socket.unshift(chunk);
    this.#lane.leave(socket);
    process.nextTick(() => socket.resume());
  }
}

class LaneRequest implements RawBeats {
  readonly socket: Socket;
  readonly method = "POST";
  readonly heads: LaneHead["heads"];
  readonly body: Body;
  readonly leave: () => void;

  constructor(socket: Socket, { heads }: LaneHead, body: Body, leave: () => void) {
    this.socket = socket;
    this.heads = heads;
    this.body = body;
    this.leave = leave;
  }
}

function bodyOf(text: string, chunk: Buffer, from: number): Body {
  if (!NOT_ASCII.test(text)) return { text };
  const bytes = chunk.subarray(from);
  return isUtf8(bytes)
    ? { text: bytes.toString("utf8") }
    : { refused: "bad-json", why: "the body is not valid UTF-8" };
}

class LaneAnswer implements BeatAnswer {
  readonly #connection: LaneConnection;
  readonly #idle: Millis;
  #isGiven = false;

  constructor(connection: LaneConnection, idle: Millis) {
    this.#connection = connection;
    this.#idle = idle;
  }

  get isGiven(): boolean {
    return this.#isGiven;
  }

  stored(): void {
    this.#isGiven = true;
    this.#connection.answer(storedAt(Date.now(), this.#idle));
  }

  problem(...[code, detail, { close = false, retryAfter } = {}]: Parameters<BeatAnswer["problem"]>): void {
    this.#isGiven = true;
    const status = problemStatus(code);
    const body = problemBody(code, detail);
    const headers = { ...problemHeaders(code, retryAfter), "content-length": Buffer.byteLength(body) };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}${common(this.#idle, close)}`;
    // The connection writes bytes: one character each.
    this.#connection.answer(`${head}${Buffer.from(body).toString("latin1")}`, close);
  }
}

let second = 0;
let stored = "";

/** The answer to stored beats. It changes once a second. */
function storedAt(now: Millis, idle: Millis): string {
  if (Math.floor(now / SECOND) !== second) {
    second = Math.floor(now / SECOND);
    stored = `HTTP/1.1 204 No Content\r\n${common(idle, false)}`;
  }
  return stored;
}

function common(idle: Millis, close: boolean): string {
  const connection = close ? "close" : `keep-alive\r\nKeep-Alive: timeout=${Math.floor(idle / SECOND)}`;
  return `Date: ${new Date().toUTCString()}\r\nConnection: ${connection}\r\n\r\n`;
}
