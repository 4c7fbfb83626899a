import type { IncomingMessage } from "node:http";
import { isLoopbackAddress, isLoopbackName } from "../../core/access/exposure.ts";
import { type Access, allows, type Need, type Session } from "../../core/access/token.ts";
import type { Instant, Millis } from "../../core/duration.ts";
import type { TokenStore } from "../../service/access/token-store.ts";
import type { ProblemCode } from "../kit/problem.ts";
import type { Heads } from "./heads.ts";
import { hostName, isOwnPage } from "./origin-check.ts";
import { Rate } from "./rate.ts";

export interface Caller {
  readonly standing: Access;
  readonly name: string;
  /** Whose token or session it is, if it is a person's: nobody else's name can be given in its place. */
  readonly person?: string;
  /** The only agent whose beats it may send. */
  readonly agent?: string;
  /** The host that it speaks for. */
  readonly host?: string;
  readonly session?: Session;
  /** The owner of the home, proven by something that only they can read; not a browser that they signed in. */
  readonly owner?: true;
  /** What its right hangs on: the id of a token, or the home's. */
  readonly token?: string;
  readonly from: string;
}

/** What is looked at of a request besides its headers. */
type Asking = Pick<IncomingMessage, "socket" | "method">;

export interface AccessRefusal {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly retryAfter?: Millis;
}

export const COOKIE = "rollcall";
/** How the audit log names a caller that came through the socket in the home. */
export const SOCKET = "home socket";

/** For each token; far more than an honest fleet sends, far less than would hold others up. */
export const PER_TOKEN = { burst: 5000, perSecond: 1000 };
/** For each address that has not said who it is. This machine's beats without a token are not counted. */
const PER_ADDRESS = { burst: 60, perSecond: 5 };

/** Says who asks, whether they may, and whether it is too much. */
export class Authenticator {
  readonly #keys: TokenStore;
  readonly #now: () => Instant;
  readonly #reachable: boolean;
  readonly #tokens: Rate;
  readonly #addresses: Rate;
  /** The last loopback name that was used: nearly every beat brings the same one. */
  #localHost: string | undefined;
  readonly #local: Caller = { standing: "local", name: "this machine", from: "127.0.0.1" };
  #unprovenBeats = true;

  /** `reachable`: whether the server can be reached from other machines at all. */
  constructor(keys: TokenStore, now: () => Instant, reachable: boolean) {
    this.#keys = keys;
    this.#now = now;
    this.#reachable = reachable;
    this.#tokens = new Rate(PER_TOKEN, now);
    this.#addresses = new Rate(PER_ADDRESS, now);
  }

  /** Whether this machine may send beats without a token. */
  configure({ unprovenBeats }: { readonly unprovenBeats: boolean }): void {
    this.#unprovenBeats = unprovenBeats;
  }

  /**
   * Who asks; on loopback, without a word, that costs next to nothing. `bySocket`: through the socket in the home, which
   * only its owner can open.
   */
  caller(request: Asking, heads: Heads, bySocket = false): Caller | AccessRefusal {
    const { authorization, cookie } = heads;
    const sender = request.socket.remoteAddress ?? "";
    const isPassedOn = heads.hub !== undefined;
    if (isPassedOn && !this.#keys.isHub(heads.hub ?? ""))
      return this.failed(sender) ?? { code: "needs-token", detail: "this hub is not known here" };
    if (isPassedOn && heads.hubCaller === "owner") return this.#owner();
    const local = isPassedOn ? heads.hubCaller === "local" : this.#isLocal(request, heads, bySocket);
    const from = bySocket ? SOCKET : isPassedOn ? (heads.hubFrom ?? "") : sender;
    if (authorization !== undefined) return this.#byToken(authorization, from);
    const session = cookie === undefined ? undefined : this.#sessionOf(cookie);
    if (session === undefined) {
      if (!local) return this.#nobody(from);
      return bySocket ? this.#owner() : this.#local;
    }
    const limited = this.counted(session.token);
    if (limited !== undefined) return limited;
    if (!isReading(request.method) && !isOwnPage(heads)) {
      return { code: "not-allowed", detail: "a cookie is accepted only from the page of this server" };
    }
    const { scope: standing, name, token, person } = session;
    return { standing, name, session, token, from, ...(person === undefined ? {} : { person }) };
  }

  /** Why somebody may not do what needs this, or undefined. */
  refusal(caller: Caller, need: Need): AccessRefusal | undefined {
    if (caller.standing === "local" && need === "beat" && !this.#unprovenBeats) {
      const detail =
        "beats need a token of scope beat here, or must be sent with `rollcall beat` (access.unprovenBeats)";
      return { code: "needs-token", detail };
    }
    if (allows(caller.standing, need)) return undefined;
    if (caller.standing === "nobody" || caller.standing === "local") {
      return { code: "needs-token", detail: `send a token of scope ${need} as \`Authorization: Bearer …\`` };
    }
    return {
      code: "wrong-scope",
      detail: `this needs the scope ${need}, and ${caller.name} has ${caller.standing}`,
    };
  }

  /** An attempt that failed, or that proves nothing, counts against its address. */
  failed(from: string): AccessRefusal | undefined {
    return tooMany(this.#addresses.take(from));
  }

  /** A request counts against its token, session or ping key. */
  counted(key: string): AccessRefusal | undefined {
    return tooMany(this.#tokens.take(key));
  }

  #byToken(authorization: string, from: string): Caller | AccessRefusal {
    const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    const holder = text === undefined ? undefined : this.#keys.holder(text);
    if (holder === undefined) {
      return this.failed(from) ?? { code: "needs-token", detail: "this token is unknown or revoked" };
    }
    const limited = this.counted(holder.id);
    if (limited !== undefined) return limited;
    const { id: token, name, scope: standing, agent, host, owner, person } = holder;
    return {
      ...{ standing, name, token, from },
      ...(person === undefined ? {} : { person }),
      ...(agent === undefined ? {} : { agent }),
      ...(host === undefined ? {} : { host }),
      ...(owner === undefined ? {} : { owner }),
    };
  }

  #owner(): Caller {
    const { id: token, scope: standing } = this.#keys.owner;
    return { standing, name: SOCKET, token, from: SOCKET, owner: true };
  }

  #nobody(from: string): Caller | AccessRefusal {
    return this.failed(from) ?? { standing: "nobody", name: "somebody", from };
  }

  /**
   * It seems to be from this machine itself: no proxy says that it passed the request on, and no name of the outside was
   * used. A proxy that says nothing cannot be told from a local program, so nothing but beats may rest on this.
   */
  #isLocal(request: Asking, { host, forwarded }: Heads, bySocket: boolean): boolean {
    if (forwarded) return false;
    if (!bySocket && this.#reachable && !isLoopbackAddress(request.socket.remoteAddress)) return false;
    return host === this.#localHost || this.#isLocalName(host);
  }

  #isLocalName(host: string | undefined): boolean {
    if (host === undefined || !isLoopbackName(hostName(host))) return false;
    this.#localHost = host;
    return true;
  }

  #sessionOf(cookie: string): Session | undefined {
    const value = cookieOf(cookie);
    return value === undefined ? undefined : this.#keys.session(value, this.#now());
  }
}

export function isRefusal(answer: Caller | AccessRefusal): answer is AccessRefusal {
  return "code" in answer;
}

function cookieOf(header: string): string | undefined {
  for (const part of header.split(";")) {
    const [name, value] = part.trim().split("=", 2);
    if (name === COOKIE && value !== undefined && value !== "") return value;
  }
  return undefined;
}

function isReading(method: string | undefined): boolean {
  return method === "GET" || method === "HEAD";
}

export function tooMany(retryAfter: Millis | undefined): AccessRefusal | undefined {
  if (retryAfter === undefined) return undefined;
  return { code: "too-many-requests", detail: `try again in ${Math.ceil(retryAfter / 1000)} s`, retryAfter };
}
