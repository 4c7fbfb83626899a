import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Beat } from "../../core/beat.ts";
import type { Arrival } from "../../core/beat-input.ts";
import { type HostBatch, readBatch } from "../../core/host/batch.ts";
import type { Intake } from "../../hub/intake.ts";
import { isHashOf, readToken } from "../../service/access/secrets.ts";
import { PER_TOKEN, tooMany } from "../access/authenticator.ts";
import type { Heads } from "../access/heads.ts";
import { Rate } from "../access/rate.ts";
import type { RawBeats } from "../access/raw-beats.ts";
import { PLAIN } from "../api/plain.ts";
import type { BeatAnswer } from "../kit/beat-answer.ts";
import { sendProblem } from "../kit/problem.ts";
import { addressedBeat, postedBeats } from "../kit/sent-beats.ts";
import type { PassedOn } from "./forward.ts";
import { sendJson, unpacked } from "./wire.ts";

/** What we can take without the owner. */
export type TakenKind = "facts" | "beats" | "beat";

/** What the owner's answer teaches us, if it was asked instead of us. */
export type Learn = (status: number, body: string) => void;

interface Asked {
  readonly kind: TakenKind;
  readonly request: IncomingMessage;
  readonly heads: Heads;
  readonly body: Buffer;
  readonly caller: PassedOn["caller"];
  readonly response: ServerResponse;
  /** No owner can be asked: nobody owns the store, or we are about to. */
  readonly isAlone: boolean;
}

/** Senders and agents that are remembered: beyond that all of them are learnt anew. */
const MOST = 1_000_000;
const RECENT = 1000;
/** What a database takes as text without another word. */
const PLAIN_TEXT = /^[\x20-\x7e]+$/;

/**
 * Answers beats and reports of hosts on a hub that does not own the store. Who may send what is the owner's decision: a
 * sender is taken here once the owner has taken the same from it, until the owner says that access has changed.
 */
export class Taker {
  readonly #intake: Intake;
  readonly #now: () => number;
  readonly #newId: () => string;
  /** Who may beat for which agent. */
  readonly #senders = new Set<string>();
  /** The hosts of tokens. */
  readonly #hosts = new Map<string, string>();
  readonly #rate: Rate;
  readonly #digests = new Map<string, string>();

  constructor(intake: Intake, now: () => number, newId: () => string) {
    this.#intake = intake;
    this.#now = now;
    this.#newId = newId;
    this.#rate = new Rate(PER_TOKEN, now);
    intake.onAccess = () => {
      this.#senders.clear();
      this.#hosts.clear();
    };
  }

  /** What a request asks, if it may be for us. */
  kindOf({ url = "", method }: IncomingMessage, { hub, cookie }: Heads): TakenKind | undefined {
    if (hub !== undefined || cookie !== undefined || !this.#intake.isWell) return undefined;
    if (url === PLAIN.facts.path && method === "POST") return "facts";
    if (url === PLAIN.beats.path && method === "POST") return "beats";
    return url.startsWith("/beat/") && (method === "GET" || method === "POST") ? "beat" : undefined;
  }

  /** Answers it; if it must go to the owner, answers with what to learn from that. */
  async take(asked: Asked): Promise<Learn | "answered"> {
    return asked.kind === "facts" ? this.#facts(asked) : this.#beats(asked);
  }

  /** The same for beats that were read without node:http. What must go to the owner leaves for it. */
  post({ heads, body, leave }: RawBeats, caller: PassedOn["caller"], answer: BeatAnswer): void {
    if (!this.#intake.isWell) return leave();
    const read = postedBeats(body, this.#arrival(heads, caller));
    if (!("beats" in read) || read.beats.length === 0) return leave();
    const sender = this.#senderOf(heads, caller);
    if (!read.beats.every(({ agent }) => this.#senders.has(`${sender} ${agent}`))) return leave();
    const refusal = heads.authorization === undefined ? undefined : tooMany(this.#rate.take(sender));
    if (refusal !== undefined) return answer.problem(refusal.code, refusal.detail, refusal);
    this.#intake.accept(read.beats).then(
      (kept) => (kept === true ? answer.stored() : leave()),
      (error: unknown) =>
        answer.problem("cannot-store", error instanceof Error ? error.message : "the store failed"),
    );
  }

  /** Beats of our own machine need no leave of the owner. False if they cannot be kept now. */
  async acceptOwn(beats: readonly Beat[]): Promise<boolean> {
    return (await this.#intake.accept(beats)) === true;
  }

  async #facts({ request, heads, body, response, isAlone }: Asked): Promise<Learn | "answered"> {
    const batch = readBatch(await unpacked(request, body).catch(() => undefined));
    const { authorization } = heads;
    if (typeof batch === "string" || authorization === undefined || !isPlain(batch)) return () => {};
    const key = this.#digest(authorization);
    const host = this.#hosts.get(key) ?? (isAlone ? await this.#stored(key, authorization) : undefined);
    if (host !== undefined && this.#isTooMuch(key, response)) return "answered";
    const answer = host === undefined ? undefined : await this.#intake.receive({ ...batch, host });
    if (answer !== undefined) {
      sendJson(response, 200, { ...answer, host });
      return "answered";
    }
    return (status, text) => {
      if (status !== 200 || batch.bye !== undefined) return;
      const { acked, commands, watched, host: name } = JSON.parse(text) as Readonly<Record<string, unknown>>;
      const wantsNothing = watched === undefined && Array.isArray(commands) && commands.length === 0;
      if (!wantsNothing || typeof acked !== "number" || typeof name !== "string") return;
      this.#remember(key, name);
      void this.#intake.learn({ ...batch, host: name }, acked);
    };
  }

  /** The host of a token as it is stored. The owner that hears of it later knows if it was revoked. */
  async #stored(key: string, authorization: string): Promise<string | undefined> {
    const shown = readToken(authorization.replace(/^Bearer /, ""));
    const found = shown && (await this.#intake.find(shown.id));
    if (shown === undefined || found === undefined || !isHashOf(found.hash, shown.secret)) return undefined;
    await this.#intake.learn(found, found.acked);
    this.#remember(key, found.host);
    return found.host;
  }

  #remember(key: string, host: string): void {
    if (this.#hosts.size >= MOST) this.#hosts.clear();
    this.#hosts.set(key, host);
  }

  async #beats({ kind, request, heads, body, caller, response }: Asked): Promise<Learn | "answered"> {
    const beats = this.#read(kind, request, body, this.#arrival(heads, caller));
    if (beats === undefined || beats.length === 0) return () => {};
    const sender = this.#senderOf(heads, caller);
    const needed = beats.map(({ agent }) => `${sender} ${agent}`);
    const known = needed.every((each) => this.#senders.has(each));
    if (known && heads.authorization !== undefined && this.#isTooMuch(sender, response)) return "answered";
    if (known && (await this.#intake.accept(beats)) === true) {
      if (kind === "beats") response.writeHead(204).end();
      else response.writeHead(200, { "content-type": "text/plain", "content-length": 3 }).end("OK\n");
      return "answered";
    }
    return (status) => {
      if (status !== 200 && status !== 204) return;
      if (this.#senders.size >= MOST) this.#senders.clear();
      for (const each of needed) this.#senders.add(each);
    };
  }

  #arrival({ authorization }: Heads, caller: PassedOn["caller"]): Arrival {
    const unproven = authorization === undefined && caller === "local";
    return { receivedAt: this.#now(), newId: this.#newId, strict: true, unproven };
  }

  /** Requests are of one sender if nothing differs by which the owner decides. */
  #senderOf(heads: Heads, caller: PassedOn["caller"]): string {
    const { authorization, host, origin, site, forwarded } = heads;
    return this.#digest(JSON.stringify([authorization, host, origin, site, forwarded, caller]));
  }

  /** Most requests come from senders that were just heard. */
  #digest(text: string): string {
    const known = this.#digests.get(text);
    if (known !== undefined) return known;
    if (this.#digests.size >= RECENT) this.#digests.clear();
    const made = digest(text);
    this.#digests.set(text, made);
    return made;
  }

  #isTooMuch(sender: string, response: ServerResponse): boolean {
    const refusal = tooMany(this.#rate.take(sender));
    if (refusal !== undefined)
      sendProblem(response, refusal.code, refusal.detail, { retryAfter: refusal.retryAfter });
    return refusal !== undefined;
  }

  /** Undefined if there is something wrong with them: the owner says what. */
  #read(
    kind: TakenKind,
    { url = "", method, headers }: IncomingMessage,
    body: Buffer,
    arrival: Arrival,
  ): readonly Beat[] | undefined {
    if (!isUtf8(body)) return undefined;
    if (kind === "beats") {
      const read = postedBeats({ text: body.toString("utf8") }, arrival);
      return "beats" in read ? read.beats : undefined;
    }
    const [path = "", query = ""] = url.split("?", 2);
    try {
      const agent = decodeURIComponent(path.slice("/beat/".length));
      const type = headers["content-type"];
      const sent = method === "POST" ? { text: body.toString("utf8"), type } : undefined;
      const read = addressedBeat(agent, new URLSearchParams(query), sent, arrival);
      return "beat" in read ? [read.beat] : undefined;
    } catch {
      return undefined;
    }
  }
}

function isPlain({ spool, boot, version }: HostBatch): boolean {
  return [spool, boot, version].every((text) => PLAIN_TEXT.test(text));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
