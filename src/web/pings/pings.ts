import type { IncomingMessage, ServerResponse } from "node:http";
import { isLoopbackAddress } from "../../core/access/exposure.ts";
import { type Agent, isAgentId } from "../../core/agent.ts";
import type { Beat } from "../../core/beat.ts";
import type { Millis } from "../../core/duration.ts";
import type { Ping } from "../../core/ping/ping.ts";
import type { StoredRecord } from "../../ports/repositories.ts";
import type { Store } from "../../ports/store.ts";
import type { TokenStore } from "../../service/access/token-store.ts";
import type { PingIds } from "../../service/ping-ids.ts";
import { RollError } from "../../watch/intent.ts";
import type { Watcher } from "../../watch/watcher.ts";
import type { Authenticator } from "../access/authenticator.ts";
import { PATIENCE, send } from "../kit/problem.ts";
import { isRunId, type PingAddress, readAddress } from "./address.ts";
import { BODY_LIMIT, excerptOf, firstBytes } from "./body.ts";
import { PingRuns, type RunChange } from "./runs.ts";

/** So many pings of each agent are kept. */
const KEPT = 100;
const USER_AGENT = 200;

export interface PingOptions {
  readonly watcher: Watcher;
  readonly store: Store;
  readonly keys: TokenStore;
  readonly gate: Authenticator;
  readonly pingIds: PingIds;
  readonly now: () => number;
  readonly newId: () => string;
  readonly readAgent: (value: unknown, owner: boolean) => { agent: Agent } | { problem: string };
  /** How long a ping waits until it is on disk. */
  readonly patience?: Millis;
}

/** An answer of the contract: status and text. */
type Said = readonly [status: number, text: string, retryAfter?: Millis | undefined];
const NOT_FOUND: Said = [404, "not found"];
const LATE = "not stored in time; it may still be stored, and a second ping does no harm";

/** Pings as clients of Healthchecks send them. Their address is their secret. */
export class Pings {
  readonly #options: PingOptions;
  readonly #runs: PingRuns;
  readonly #creating = new Map<string, Promise<void>>();
  readonly #numbers = new Map<string, number>();

  private constructor(options: PingOptions, runs: PingRuns) {
    this.#options = options;
    this.#runs = runs;
  }

  /** Takes up the runs that were under way, and tells the judge of them. */
  static async load(options: PingOptions): Promise<Pings> {
    const { watcher, store, now } = options;
    const open = await store.records.page("ping-run", { limit: Number.MAX_SAFE_INTEGER, current: true });
    const runs = new PingRuns(open.map(({ body }) => body).reverse());
    const pings = new Pings(options, runs);
    const agents = [...new Set(open.map(({ about }) => about))];
    const gone = agents.filter((agent) => watcher.reader.place(agent) === undefined);
    await pings.#forget(gone);
    const here = agents.filter((agent) => !gone.includes(agent));
    if (here.length > 0) {
      const found = here.map((agent) => ({ agent, facts: [runs.mark(agent, now())], memories: {} }));
      await watcher.notice(found);
    }
    watcher.onCommitted(({ removed = [] }) => {
      // If that cannot be stored now, the next start does it.
      if (removed.length > 0) void pings.#forget(removed).catch(() => {});
    });
    return pings;
  }

  async #forget(agents: readonly string[]): Promise<void> {
    const lost = agents.flatMap((agent) => this.#runs.drop(agent, this.#options.now()));
    await this.#options.watcher.persist({ records: lost });
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    const { patience = PATIENCE } = this.#options;
    let late: NodeJS.Timeout | undefined;
    const finish = (said: Said) => {
      clearTimeout(late);
      if (!response.headersSent && !response.destroyed) say(response, said);
    };
    firstBytes(request).then(
      (body) => {
        late = setTimeout(() => finish([503, LATE, patience]), patience);
        this.#answer(request, body).then(finish, (error: unknown) => finish(refusalOf(error)));
      },
      (error: unknown) => finish(refusalOf(error)),
    );
  }

  async #answer(request: IncomingMessage, body: Buffer): Promise<Said> {
    const address = readAddress(request.url ?? "");
    if ("problem" in address) return [address.problem === "not found" ? 404 : 400, address.problem];
    const agent = "uuid" in address.to ? await this.#byUuid(address.to.uuid) : this.#bySlug(address.to);
    if (agent === undefined) return this.#unknown(request);
    const limited = this.#options.gate.counted(`ping ${agent.id}`);
    if (limited !== undefined) return [429, limited.detail, limited.retryAfter];
    if (!agent.known && !address.create) return NOT_FOUND;
    if (!isAgentId(agent.id)) return [400, "invalid url format"];
    if (address.rid !== undefined && !isRunId(address.rid)) return [400, "invalid uuid format"];
    const created = agent.known ? false : await this.#create(agent.id);
    await this.#record(agent.id, address, request, body);
    return created ? [201, "Created"] : [200, "OK"];
  }

  /** Who guesses is slowed down; who runs on this machine has nothing to guess. */
  #unknown(request: IncomingMessage): Said {
    const from = request.socket.remoteAddress;
    if (isLoopbackAddress(from)) return NOT_FOUND;
    return this.#options.gate.failed(from ?? "") === undefined ? NOT_FOUND : [429, "too many requests"];
  }

  async #byUuid(uuid: string): Promise<{ id: string; known: boolean } | undefined> {
    const id = await this.#options.pingIds.agentOf(uuid);
    return id === undefined || this.#options.watcher.reader.place(id) === undefined
      ? undefined
      : { id, known: true };
  }

  /**
   * The agent that a slug names: the one of that id, also where its id has capitals. A key for one agent names that very
   * agent: another one may have the same id in small letters.
   */
  #bySlug({ key, slug }: { key: string; slug: string }): { id: string; known: boolean } | undefined {
    const { keys, watcher } = this.#options;
    const holder = keys.pingKey(key);
    if (holder === undefined) return undefined;
    if (holder.agent !== undefined) {
      if (holder.agent.toLowerCase() !== slug) return undefined;
      return { id: holder.agent, known: watcher.reader.place(holder.agent) !== undefined };
    }
    if (watcher.reader.place(slug) !== undefined) return { id: slug, known: true };
    for (const { agent } of watcher.reader.places()) {
      if (agent.id.toLowerCase() === slug) return { id: agent.id, known: true };
    }
    return { id: slug, known: false };
  }

  /** Of many at once one creates and the others wait for it; says whether it was this one. */
  async #create(id: string): Promise<boolean> {
    const underWay = this.#creating.get(id);
    if (underWay !== undefined) {
      await underWay;
      return false;
    }
    const read = this.#options.readAgent({ id }, false);
    if ("problem" in read) throw new RollError("no-such-agent", read.problem);
    // Who holds a key can make up any number of slugs: these agents are as limited as those of beats without a token.
    const adding = this.#options.watcher.add({ ...read.agent, unproven: true });
    this.#creating.set(id, adding);
    try {
      await adding;
      return true;
    } catch (error) {
      if (error instanceof RollError && error.code === "agent-exists") return false;
      throw error;
    } finally {
      this.#creating.delete(id);
    }
  }

  /** Keeps the ping, and what it means for its agent: a beat, and the begin or end of a run. One commit. */
  async #record(id: string, address: PingAddress, request: IncomingMessage, body: Buffer): Promise<void> {
    const { watcher, now } = this.#options;
    const number = await this.#number(id);
    const at = now();
    const ping = pingOf(id, number, address, at, request, body);
    if (address.kind === "log") return watcher.persist({ records: [ping] });
    const change = this.#change(id, address, at);
    const runs =
      change.run === undefined ? [] : [{ agent: id, facts: [this.#runs.mark(id, at)], memories: {} }];
    try {
      // Asked in one breath, they are one commit.
      await Promise.all([
        watcher.accept([this.#beat(id, address, change, at, body)]),
        watcher.persist({ records: [ping, ...change.records] }),
        ...(runs.length === 0 ? [] : [watcher.notice(runs)]),
      ]);
    } catch (error) {
      change.undo();
      throw error;
    }
  }

  #change(id: string, { kind, rid }: PingAddress, at: number): RunChange {
    const lastCycle = this.#options.watcher.reader.place(id)?.cycle?.number ?? 0;
    if (kind === "start") return this.#runs.begin(id, rid, lastCycle, at);
    return this.#runs.end(id, rid, kind === "fail" ? "error" : "ok", at);
  }

  #beat(id: string, { kind, exitCode }: PingAddress, { run }: RunChange, at: number, body: Buffer): Beat {
    const message =
      excerptOf(body) ?? (exitCode === undefined || exitCode === 0 ? undefined : `exit code ${exitCode}`);
    return {
      id: this.#options.newId(),
      agent: id,
      source: "agent",
      status: kind === "fail" ? "error" : "ok",
      sentAt: at,
      receivedAt: at,
      ...(run === undefined ? {} : { cycle: run.cycle, cycleEvent: kind === "start" ? "begun" : "ended" }),
      ...(message === undefined ? {} : { message }),
    };
  }

  /** Counts the pings of an agent on, also after a restart. */
  async #number(id: string): Promise<number> {
    if (!this.#numbers.has(id)) {
      const [newest] = await this.#options.store.records.page("ping", { about: id, limit: 1 });
      if (!this.#numbers.has(id)) this.#numbers.set(id, newest?.body.number ?? 0);
    }
    const number = (this.#numbers.get(id) ?? 0) + 1;
    this.#numbers.set(id, number);
    return number;
  }
}

/** The newest take the place of the oldest: each agent has so many places. */
function pingOf(
  agent: string,
  number: number,
  { kind, exitCode, rid }: PingAddress,
  at: number,
  request: IncomingMessage,
  bytes: Buffer,
): StoredRecord<"ping"> {
  const body: Ping = {
    agent,
    number,
    kind,
    at,
    method: request.method ?? "GET",
    userAgent: (request.headers["user-agent"] ?? "").slice(0, USER_AGENT),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(rid === undefined ? {} : { rid }),
    ...(bytes.length === 0 ? {} : { body: bytes.toString("base64") }),
  };
  return { kind: "ping", id: `${agent}/${number % KEPT}`, at, about: agent, current: false, body };
}

function refusalOf(error: unknown): Said {
  if (!(error instanceof RollError)) return [503, "cannot store; try again"];
  return [error.code === "too-many-agents" ? 429 : 409, error.message, error.retryAfter];
}

function say(response: ServerResponse, [status, text, retryAfter]: Said): void {
  send(response, status, text, {
    ...(retryAfter === undefined ? {} : { "retry-after": String(Math.ceil(retryAfter / 1000)) }),
    "content-type": "text/plain; charset=utf-8",
    "ping-body-limit": String(BODY_LIMIT),
    "access-control-allow-origin": "*",
    "cache-control": "no-store, no-cache, max-age=0, must-revalidate",
    "x-content-type-options": "nosniff",
  });
}
