import type { AuditEntry, Scope, Session, Token } from "../../core/access/token.ts";
import { DAY, type Instant, MINUTE, type Millis } from "../../core/duration.ts";
import type { StoredRecord } from "../../ports/repositories.ts";
import type { Store } from "../../ports/store.ts";
import {
  hashOf,
  isHashOf,
  type NewSecret,
  newCode,
  newPingKey,
  newToken,
  readPingKey,
  readToken,
} from "./secrets.ts";

/** How long a browser stays signed in. */
const SESSION: Millis = 7 * DAY;
/** Signed-in browsers beyond this end the oldest. */
const SESSIONS = 1000;
const CODE: Millis = MINUTE;
/** Codes beyond this end the oldest. */
const CODES = 100;

export interface TokenWish {
  readonly scope: Scope;
  readonly name?: string | undefined;
  readonly person?: string | undefined;
  readonly agent?: string | undefined;
  readonly host?: string | undefined;
  readonly pingKey?: boolean | undefined;
}

/** The holder of something that proved itself. */
export interface TokenHolder {
  /** What it is limited by, and what its sessions hang on. */
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  readonly person?: string;
  readonly agent?: string;
  readonly host?: string;
  /** It showed the token in the home: only its owner can read that. */
  readonly owner?: true;
}

/** Makes a token: what is kept of it, and the secret, which is shown once. */
export function makeToken(wish: TokenWish, now: Instant): { token: Token; secret: string } {
  const made: NewSecret = wish.pingKey === true ? newPingKey() : newToken();
  const token: Token = {
    id: made.id,
    name: wish.name ?? `${wish.pingKey === true ? "ping key" : wish.scope} ${made.id}`,
    scope: wish.scope,
    ...(wish.person === undefined ? {} : { person: wish.person }),
    ...(wish.agent === undefined ? {} : { agent: wish.agent }),
    ...(wish.host === undefined ? {} : { host: wish.host }),
    ...(wish.pingKey === true ? { pingKey: true } : {}),
    hash: made.hash,
    createdAt: now,
  };
  return { token, secret: made.text };
}

export function tokenRecord(token: Token): StoredRecord<"token"> {
  const current = token.revokedAt === undefined;
  return { kind: "token", id: token.id, at: token.createdAt, about: token.agent ?? "", current, body: token };
}

export function auditRecord(entry: AuditEntry, id: string): StoredRecord<"audit"> {
  return { kind: "audit", id, at: entry.at, about: entry.who, current: false, body: entry };
}

function sessionRecord(session: Session): StoredRecord<"session"> {
  const { id, createdAt, name, endedAt } = session;
  return {
    kind: "session",
    id,
    at: createdAt,
    about: name,
    current: endedAt === undefined,
    body: session,
  };
}

function homeId(digest: string): string {
  return `home-${digest.slice(0, 12)}`;
}

/** Every token and session that counts, in memory. What changes is stored first and counts then. */
export class TokenStore {
  readonly #home: { readonly digest: string; readonly id: string };
  readonly #tokens = new Map<string, Token>();
  readonly #sessions = new Map<string, Session>();
  /** By their hash. They are gone after a restart: a new one costs nothing. */
  readonly #codes = new Map<string, { readonly holder: TokenHolder; readonly madeAt: Instant }>();
  readonly #persist: (records: readonly StoredRecord[]) => Promise<void>;
  /** The hashes of the tokens in the homes of all hubs. */
  hubs: () => readonly string[] = () => [];
  /** Told when a token counts no more. One of a host does not concern it. */
  onRevoked: () => Promise<void> = async () => {};

  private constructor(
    homeToken: string,
    records: readonly StoredRecord[],
    persist: (records: readonly StoredRecord[]) => Promise<void>,
  ) {
    const digest = hashOf(homeToken);
    this.#home = { digest, id: homeId(digest) };
    this.#persist = persist;
    for (const { kind, id, current, body } of records) {
      if (kind === "token" && current) this.#tokens.set(id, body);
      else if (kind === "session" && current) this.#sessions.set(id, body);
    }
  }

  static async load(
    homeToken: string,
    store: Store,
    persist: (records: readonly StoredRecord[]) => Promise<void>,
  ) {
    const page = { limit: Number.MAX_SAFE_INTEGER, current: true };
    const [tokens, sessions] = await Promise.all([
      store.records.page("token", page),
      store.records.page("session", page),
    ]);
    return new TokenStore(homeToken, [...tokens, ...sessions], persist);
  }

  /** Whether anybody but the home's owner was given a token. */
  get any(): boolean {
    return this.#tokens.size > 0;
  }

  /** Holds the token in the home, or reached the socket in it. */
  get owner(): TokenHolder {
    return { id: this.#home.id, name: "home token", scope: "admin", owner: true };
  }

  tokens(): readonly Token[] {
    return [...this.#tokens.values()];
  }

  /** Whose token this is: that of the home, or one that was made; never a ping key. */
  holder(text: string): TokenHolder | undefined {
    if (isHashOf(this.#home.digest, text)) return this.owner;
    const token = this.#proven(readToken(text));
    if (token === undefined || token.pingKey === true) return undefined;
    return { ...token, name: token.person ?? token.name };
  }

  /** The ping key in an address. */
  pingKey(text: string): TokenHolder | undefined {
    const token = this.#proven(readPingKey(text));
    return token?.pingKey === true ? token : undefined;
  }

  #proven(read: { id: string; secret: string } | undefined): Token | undefined {
    const token = read === undefined ? undefined : this.#tokens.get(read.id);
    return token !== undefined && isHashOf(token.hash, read?.secret ?? "") ? token : undefined;
  }

  async create(wish: TokenWish, now: Instant): Promise<{ token: Token; secret: string }> {
    const made = makeToken(wish, now);
    await this.#persist([tokenRecord(made.token)]);
    this.#tokens.set(made.token.id, made.token);
    return made;
  }

  /** What is stored already counts from now on. */
  adopt(token: Token): void {
    this.#tokens.set(token.id, token);
  }

  /** Takes a token back, and with it the sessions that it opened. */
  async revoke(id: string, now: Instant): Promise<boolean> {
    const token = this.#tokens.get(id);
    if (token === undefined) return false;
    const ended = [...this.#sessions.values()].filter((session) => session.token === id);
    await this.#persist([
      tokenRecord({ ...token, revokedAt: now }),
      ...ended.map((session) => sessionRecord({ ...session, endedAt: now })),
    ]);
    this.#tokens.delete(id);
    for (const session of ended) this.#sessions.delete(session.id);
    if (token.host === undefined) await this.onRevoked();
    return true;
  }

  /** The session of a cookie, if it has not expired and what opened it still counts. */
  session(cookie: string, now: Instant): Session | undefined {
    const session = this.#sessions.get(hashOf(cookie));
    if (session === undefined || now >= session.expiresAt) return undefined;
    return this.#counts(session.token) ? session : undefined;
  }

  #counts(id: string): boolean {
    if (id === this.#home.id || this.#tokens.has(id)) return true;
    return this.hubs().some((digest) => homeId(digest) === id);
  }

  /** Whether this is the token in the home of a hub that shares our store. */
  isHub(text: string): boolean {
    return this.hubs().some((digest) => isHashOf(digest, text));
  }

  /** Makes a code with which one browser signs in as this holder, once and soon. */
  makeCode(holder: TokenHolder, now: Instant): { code: string; expiresAt: Instant } {
    const code = newCode();
    this.#codes.set(hashOf(code), { holder, madeAt: now });
    const [oldest] = this.#codes.keys();
    if (this.#codes.size > CODES && oldest !== undefined) this.#codes.delete(oldest);
    return { code, expiresAt: now + CODE };
  }

  /** Whom a code signs in. It is used up by this. */
  takeCode(code: string, now: Instant): TokenHolder | undefined {
    const hash = hashOf(code);
    const made = this.#codes.get(hash);
    this.#codes.delete(hash);
    if (made === undefined || now < made.madeAt || now >= made.madeAt + CODE) return undefined;
    return this.#counts(made.holder.id) ? made.holder : undefined;
  }

  /** Signs in; answers what the cookie holds. */
  async signIn(holder: TokenHolder, now: Instant): Promise<{ cookie: string; session: Session }> {
    const cookie = newToken().text;
    const { id: token, name, scope, person } = holder;
    const who = { token, name, scope, ...(person === undefined ? {} : { person }) };
    const session = { id: hashOf(cookie), ...who, createdAt: now, expiresAt: now + SESSION };
    const over = [...this.#sessions.values()].filter(({ expiresAt }) => expiresAt <= now);
    const [oldest] = this.#sessions.values();
    if (over.length === 0 && this.#sessions.size >= SESSIONS && oldest !== undefined) over.push(oldest);
    await this.#persist([
      sessionRecord(session),
      ...over.map((each) => sessionRecord({ ...each, endedAt: now })),
    ]);
    for (const { id } of over) this.#sessions.delete(id);
    this.#sessions.set(session.id, session);
    return { cookie, session };
  }

  async signOut(session: Session, now: Instant): Promise<void> {
    await this.#persist([sessionRecord({ ...session, endedAt: now })]);
    this.#sessions.delete(session.id);
  }
}
