import { IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isLoopbackAddress, isLoopbackName } from "../../core/access/exposure.ts";
import type { Beat } from "../../core/beat.ts";
import { type Millis, SECOND } from "../../core/duration.ts";
import type { KnownHub } from "../../ports/hubs.ts";
import { type Heads, headsOf } from "../access/heads.ts";
import { hostName } from "../access/origin-check.ts";
import type { TakeBeats } from "../access/raw-beats.ts";
import { PLAIN } from "../api/plain.ts";
import {
  PLAIN_HEADERS,
  PROBLEM_TYPE,
  problemBody,
  problemStatus,
  send,
  sendProblem,
  sendStoreFailed,
} from "../kit/problem.ts";
import type { Take } from "../kit/take.ts";
import { Forwarder, type PassedOn } from "./forward.ts";
import type { Learn, TakenKind, Taker } from "./taker.ts";
import { LARGEST } from "./wire.ts";

/** Who answers requests now: another hub, we ourselves as soon as we have started, or nobody yet. */
export type Answering = KnownHub | "self" | undefined;

/** How long a request waits for somebody who answers it. */
const PATIENCE: Millis = 15 * SECOND;
/** How long it rests after the owner could not be reached. */
const REST: Millis = 200;

interface Held {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly bySocket: boolean;
  readonly deadline: Millis;
  /** Hears what the owner answers. */
  readonly learn?: Learn;
}

/**
 * Answers for a hub that does not own the fleet: it passes requests on to the one that does, except those that it takes for it
 * (`Taker`). While nobody owns the fleet, they wait; a change of owners is a pause to whoever asks.
 */
export class Standby {
  readonly #token: string;
  readonly #pass: Take;
  readonly #isHeard: () => boolean;
  readonly #forwarder = new Forwarder();
  readonly #held = new Set<Held>();
  #answering: Answering;
  /** We ourselves answer by now: nothing waits for that any more. */
  #isServing = false;
  /** Takes what it can without the owner, if whoever owns the fleet hears of it. */
  taker: Taker | undefined;

  /**
   * `token`: that of our home. `pass` gives a request to whoever takes them by then. `isHeard`: whether every hub that owns the
   * fleet, or may own it next, understands what we take.
   */
  constructor(token: string, pass: Take, isHeard: () => boolean) {
    this.#token = token;
    this.#pass = pass;
    this.#isHeard = isHeard;
  }

  readonly take: Take = (request, response, bySocket) => {
    const path = (request.url ?? "/").split("?", 1)[0];
    if (path === PLAIN.healthz.path || path === PLAIN.readyz.path)
      return this.#sayHealth(response, path === PLAIN.readyz.path);
    const held = { request, response, bySocket, deadline: performance.now() + PATIENCE };
    this.#offer(held);
  };

  /** The same for beats that need no node:http. What must go to the owner goes there by `take`. */
  readonly takeBeats: TakeBeats = (request, answer, bySocket) => {
    const { socket, heads } = request;
    const { taker } = this;
    if (taker === undefined || !this.#isHeard()) return request.leave();
    taker.post(request, this.#callerOf({ socket, bySocket }, heads).caller, answer);
  };

  /** Takes beats of our own machine for the owner. Throws if nobody would hear them now. */
  async acceptOwn(beats: readonly Beat[]): Promise<void> {
    if (!this.#isHeard() || !(await this.taker?.acceptOwn(beats)))
      throw new Error("the owner cannot be told of them now");
  }

  #offer(held: Held): void {
    const heads = headsOf(held.request);
    const kind = this.#isHeard() ? this.taker?.kindOf(held.request, heads) : undefined;
    if (kind === undefined) this.#dispatch(held);
    else void this.#takeHere(kind, held, heads);
  }

  async #takeHere(kind: TakenKind, held: Held, heads: Heads): Promise<void> {
    const { request, response } = held;
    try {
      const body = await wholeBody(request);
      if (body === undefined) return sendProblem(response, "too-large", `a body may have ${LARGEST} bytes`);
      const { caller } = this.#callerOf({ socket: request.socket, bySocket: held.bySocket }, heads);
      const isAlone = typeof this.#answering !== "object";
      const learn = await this.taker?.take({ kind, request, heads, body, caller, response, isAlone });
      if (learn !== undefined && learn !== "answered")
        this.#dispatch({ ...held, request: again(request, body), learn });
    } catch (error) {
      // Nobody knows whether it was stored: the sender may send it again, and it is kept once.
      if (!response.headersSent && !response.closed) sendStoreFailed(response, error);
    }
  }

  /** Somebody else answers from now on. */
  answeredBy(answering: Answering): void {
    const before = keyOf(this.#answering);
    this.#answering = answering;
    this.#isServing = false;
    if (before === keyOf(answering)) return;
    this.#forwarder.abandon();
    this.#again();
  }

  /** Those who wait are given to whoever takes requests now. */
  handOn(): void {
    this.#isServing = true;
    for (const { request, response, bySocket } of this.#held) this.#pass(request, response, bySocket);
    this.#held.clear();
  }

  #dispatch(held: Held): void {
    const { request, response } = held;
    if (response.closed) return;
    const to = this.#answering;
    if (to === "self" && this.#isServing) return this.#pass(request, response, held.bySocket);
    if (to === undefined || to === "self") return this.#hold(held);
    // Who was passed on to us was meant for the owner: two hubs that take each other for it would never end.
    if (request.headers["rollcall-hub"] !== undefined || !isSafe(to.address)) return sayOwner(response, to);
    const added = {
      hub: this.#token,
      ...this.#callerOf({ socket: request.socket, bySocket: held.bySocket }, headsOf(request)),
    };
    void this.#forwarder.pass(to, request, response, added, held.learn).then((failed) => {
      if (failed === undefined || response.closed) return;
      if (!failed.isWhole) return sayNobody(response, `${to.url}: ${failed.problem}`);
      if (keyOf(to) !== keyOf(this.#answering)) return this.#dispatch(held);
      this.#hold(held);
      setTimeout(() => this.#held.delete(held) && this.#dispatch(held), REST);
    });
  }

  #hold(held: Held): void {
    const left = held.deadline - performance.now();
    if (left <= 0) return sayNobody(held.response, "no hub answers");
    this.#held.add(held);
    const giveUp = setTimeout(() => {
      if (this.#held.delete(held)) sayNobody(held.response, "no hub has taken over");
    }, left);
    held.response.once("close", () => {
      clearTimeout(giveUp);
      this.#held.delete(held);
    });
  }

  #again(): void {
    const held = [...this.#held];
    this.#held.clear();
    for (const each of held) this.#offer(each);
  }

  #callerOf(
    { socket, bySocket }: { readonly socket: Socket; readonly bySocket: boolean },
    { authorization, host = "", forwarded }: Heads,
  ): Pick<PassedOn, "caller" | "from"> {
    const from = socket.remoteAddress ?? "";
    const isOwner = authorization === undefined ? bySocket : authorization === `Bearer ${this.#token}`;
    if (isOwner) return { caller: "owner", from };
    const isLocal = !forwarded && isLoopbackAddress(from) && isLoopbackName(hostName(host));
    return { caller: isLocal ? "local" : "other", from };
  }

  #sayHealth(response: ServerResponse, asksReady: boolean): void {
    const owner = typeof this.#answering === "object" ? this.#answering.url : null;
    const headers = { ...PLAIN_HEADERS, "content-type": "application/json" };
    const body = `${JSON.stringify({ status: "standby", blindSince: null, owner })}\n`;
    send(response, asksReady && owner === null ? 503 : 200, body, headers);
  }
}

/** Undefined if it is too large. Throws if the sender goes away. In callbacks: this is the way of every beat. */
function wholeBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((done, failed) => {
    const parts: Buffer[] = [];
    let size = 0;
    request.on("data", (part: Buffer) => {
      size += part.length;
      if (size <= LARGEST) parts.push(part);
    });
    request.on("end", () => {
      if (size > LARGEST) done(undefined);
      else done(parts.length === 1 ? parts[0] : Buffer.concat(parts));
    });
    const gone = () => failed(new Error("the sender has gone away"));
    if (request.destroyed) return gone();
    request.on("error", failed);
    request.on("close", gone);
  });
}

/** A request whose body was read, as if it had not been. */
function again(request: IncomingMessage, body: Buffer): IncomingMessage {
  const copy = new IncomingMessage(request.socket);
  const { method, url, httpVersion, httpVersionMajor, httpVersionMinor, rawHeaders, headers } = request;
  Object.assign(copy, { method, url, httpVersion, httpVersionMajor, httpVersionMinor, rawHeaders, headers });
  copy.complete = true;
  copy.push(body);
  copy.push(null);
  return copy;
}

function keyOf(answering: Answering): string {
  return typeof answering === "object" ? `${answering.id} ${answering.address}` : (answering ?? "");
}

/** Credentials go over TLS, or stay on this machine. */
function isSafe(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || isLoopbackName(hostname);
}

function sayNobody(response: ServerResponse, detail: string): void {
  if (!response.headersSent) sendProblem(response, "no-owner", detail, { retryAfter: SECOND, close: true });
}

function sayOwner(response: ServerResponse, { url }: KnownHub): void {
  const body = { ...(JSON.parse(problemBody("not-owner", `ask ${url}`)) as object), owner: url };
  send(response, problemStatus("not-owner"), `${JSON.stringify(body)}\n`, {
    ...PLAIN_HEADERS,
    ...{ "content-type": PROBLEM_TYPE, "rollcall-owner": url },
  });
}
