import type { Instant, Millis } from "../core/duration.ts";
import { MINUTE, SECOND } from "../core/duration.ts";
import { type HostBatch, type HubAnswer, WIRE } from "../core/host/batch.ts";
import { offsetAfter, redated } from "../core/host/clock-offset.ts";
import type { CommandDetail, CommandName, CommandRecord, CommandResult } from "../core/host/command.ts";
import { hostAgent } from "../core/host/fact.ts";
import { CONTACT_RULE, type KnownHost } from "../core/host/host.ts";
import { canTalk } from "../core/host/versions.ts";
import type { Clock } from "../ports/clock.ts";
import type { HostMark } from "../ports/inbox.ts";
import type { StoredRecord } from "../ports/repositories.ts";
import type { SignalFindings } from "../watch/intent.ts";
import { markOf } from "../watch/mirror.ts";
import type { Watcher } from "../watch/watcher.ts";
import { Commands } from "./commands.ts";

/** Why a batch is refused, and what the host needs to go on. */
export interface Refusal {
  readonly code: "no-such-host" | "host-revoked" | "host-cloned" | "other-spool" | "gap" | "wrong-version";
  readonly says: string;
  readonly acked?: number;
}

export interface HubOptions {
  readonly watcher: Pick<Watcher, "report" | "notice" | "persist" | "reader">;
  readonly clock: Clock;
  readonly version: string;
  /** Set if other hubs take reports too. */
  readonly elsewhere?: Elsewhere | undefined;
}

/** What other hubs took for us. */
export interface Elsewhere {
  /** Hears all that they have taken so far. */
  catchUp(): Promise<void>;
  /** From now on this host's reports come to us. */
  forget(host: string): void;
}

/** What is known of a host's voice since this hub runs: nothing of it outlives the process. */
interface Voice {
  readonly boot: string;
  /** The process that spoke, and since when it has run, on our monotonic clock. */
  readonly life?: { readonly id: string; readonly began: Millis } | undefined;
  readonly heardAt: Millis;
  readonly wallAt: Instant;
}

/** A batch of a process that has ended arrives within this. */
const LATE: Millis = 5 * SECOND;

/** How many spans that a host did not watch are kept with it. */
const BLIND_SPANS = 8;

/** Takes what hosts tell, each fact once and in its order, and asks them what operators want. */
export class Hub {
  readonly commands: Commands;
  readonly #options: HubOptions;
  readonly #hosts = new Map<string, KnownHost>();
  readonly #voices = new Map<string, Voice>();
  /** When hosts joined that have said nothing yet, on our monotonic clock. */
  readonly #joinedAt = new Map<string, Millis>();
  /** What concerns one host is done one after the other. */
  readonly #lines = new Map<string, Promise<unknown>>();

  /** Since when we could have heard anybody. */
  readonly #began: Millis;

  constructor(options: HubOptions, records: readonly StoredRecord[]) {
    this.#options = options;
    this.#began = options.clock.monotonic();
    for (const record of records) if (record.kind === "host") this.#hosts.set(record.id, record.body);
    this.commands = new Commands(
      options.clock,
      (parts) => options.watcher.persist(parts),
      records,
      (host) => options.elsewhere?.forget(host),
      (host, since) => (this.#voices.get(host)?.heardAt ?? Number.NEGATIVE_INFINITY) >= since,
    );
  }

  get hosts(): IterableIterator<KnownHost> {
    return this.#hosts.values();
  }

  /** A host of this name would share its agent with the watcher of this hub, and its loss would not show. */
  isOwnName(name: string): boolean {
    return this.#options.watcher.reader.place(hostAgent(name))?.agent.origin === "watcher";
  }

  one(name: string): KnownHost | undefined {
    return this.#hosts.get(name);
  }

  /** When a host was last heard, by our clock; undefined if it was not since this hub runs. */
  heardAt(name: string): Instant | undefined {
    return this.#voices.get(name)?.wallAt;
  }

  /** A host joined, and is stored. What was heard of an earlier one under its name counts no more. */
  joined(host: KnownHost): void {
    this.#hosts.set(host.name, host);
    this.#joinedAt.set(host.name, this.#options.clock.monotonic());
    this.#voices.delete(host.name);
  }

  async receive(batch: HostBatch): Promise<HubAnswer | Refusal> {
    // When it arrived, however long it waits for those before it.
    const voice = this.#voice(batch);
    const take = () => this.#inLine(batch.host, () => this.#take(batch, voice));
    const answer = await take();
    const { elsewhere } = this.#options;
    if (elsewhere === undefined || !("code" in answer) || answer.code !== "gap") return answer;
    // Another hub may have taken what is missing.
    await elsewhere.catchUp();
    return take();
  }

  /**
   * Takes a batch that another hub took so long ago, and that its host takes for stored. What we have of it already is passed
   * over. False if facts before it are missing: then the host must send them again.
   */
  hear(batch: HostBatch, age: Millis): Promise<boolean> {
    const voice = this.#voice(batch, age);
    return this.#inLine(batch.host, async () => {
      const { upTo = batch.from } = batch;
      for (;;) {
        const host = this.#hosts.get(batch.host);
        if (host === undefined || host.revokedAt !== undefined) return true;
        const { spool, acked } = host;
        if (spool !== batch.spool || batch.from > acked) return false;
        if (upTo <= acked) return true;
        const facts = batch.facts.filter(({ seq }) => seq > acked);
        const answer = await this.#take({ ...batch, from: acked, facts }, voice);
        if ("code" in answer) return false;
      }
    });
  }

  /** Takes signs of life that other hubs took. Answers with what the watcher must notice. */
  marked(marks: readonly HostMark[]): readonly SignalFindings[] {
    return marks.flatMap(({ host: name, ago, wall, backlog }) => {
      const host = this.#hosts.get(name);
      const agent = hostAgent(name);
      if (host === undefined || this.#options.watcher.reader.place(agent) === undefined) return [];
      const known = this.#voices.get(name);
      const voice = { ...this.#voice({ boot: host.boot ?? "" }, ago), life: known?.life };
      if (known !== undefined && known.heardAt >= voice.heardAt) return [];
      this.#voices.set(name, voice);
      const { leftAt: _, ...rest } = host;
      this.#hosts.set(name, { ...rest, backlog, offset: offsetAfter(host.offset, wall, voice.wallAt) });
      return [{ agent, facts: [markOf(voice.wallAt)], memories: {} }];
    });
  }

  #voice({ boot, life }: Pick<HostBatch, "boot" | "life">, age: Millis = 0): Voice {
    const { clock } = this.#options;
    const heardAt = clock.monotonic() - age;
    const speaks = life === undefined ? undefined : { id: life.id, began: heardAt - life.age };
    return { boot, life: speaks, heardAt, wallAt: clock.wall() - age };
  }

  #inLine<T>(host: string, work: () => Promise<T>): Promise<T> {
    const next = (this.#lines.get(host) ?? Promise.resolve()).then(work);
    const settled = next.catch(() => undefined);
    this.#lines.set(host, settled);
    void settled.then(() => {
      if (this.#lines.get(host) === settled) this.#lines.delete(host);
    });
    return next;
  }

  async #take(whole: HostBatch, voice: Voice): Promise<HubAnswer | Refusal> {
    const batch = firstPart(whole);
    const host = this.#hosts.get(batch.host);
    const refusal = this.#refusal(host, batch, voice);
    if (host === undefined || refusal !== undefined)
      return refusal ?? { code: "no-such-host", says: `no host "${batch.host}" has joined` };
    const { clock, watcher } = this.#options;
    const facts = batch.facts.map(({ fact }) => fact);
    let next = after(host, batch, voice.wallAt);
    const isNews = facts.length > 0 || next.acked !== host.acked || next.spool !== host.spool;
    const isUnknown = watcher.reader.place(hostAgent(host.name)) === undefined;
    if (isNews || next.boot !== host.boot || batch.bye || isUnknown) {
      let turn: Instant | undefined;
      const hostAt = (now: Instant) => {
        if (turn !== now) next = after(host, batch, now - (clock.monotonic() - voice.heardAt));
        turn = now;
        return next;
      };
      await watcher.report({ host: hostAt, facts });
    } else
      await watcher.notice([{ agent: hostAgent(host.name), facts: [markOf(clock.wall())], memories: {} }]);
    this.#hosts.set(host.name, next);
    this.#voices.set(host.name, voice);
    const behind = next.offset?.used ?? 0;
    await this.commands.ended(
      host.name,
      (batch.results ?? []).map((result) => resultHere(result, behind)),
    );
    return {
      acked: next.acked,
      commands: this.commands.due(host.name),
      ...(this.commands.isWatched(host.name) ? { watched: true } : {}),
    };
  }

  #refusal(host: KnownHost | undefined, batch: HostBatch, voice: Voice): Refusal | undefined {
    if (host === undefined) return { code: "no-such-host", says: `no host "${batch.host}" has joined` };
    if (host.revokedAt !== undefined)
      return { code: "host-revoked", says: `host "${host.name}" was revoked; invite it again` };
    if (batch.v !== WIRE || !canTalk(this.#options.version, batch.version)) {
      const says = `this hub is version ${this.#options.version} and takes hosts up to two minor versions older; update host "${host.name}" (${batch.version})`;
      return { code: "wrong-version", says };
    }
    if (this.#isClone(host.name, batch, voice)) {
      const says = `another machine reports as host "${host.name}" at the same time; join it under a name of its own`;
      return { code: "host-cloned", says };
    }
    if (host.spool !== batch.spool && batch.from !== 0)
      return { code: "other-spool", says: "this hub knows another spool; begin a new one", acked: 0 };
    const acked = host.spool === batch.spool ? host.acked : 0;
    if (batch.from !== acked) return { code: "gap", says: `send from fact ${acked} on`, acked };
    return undefined;
  }

  /**
   * Another boot or process speaks, and it was running when the last one was heard: these are two machines, or two containers.
   * Of two processes the younger is the copy: it may have seemed to be a restart. Only while the other one is heard, and with
   * patience for processes: a batch of one that ended may have come late.
   */
  #isClone(name: string, { boot, clock }: HostBatch, { life }: Voice): boolean {
    const last = this.#voices.get(name);
    if (last === undefined) return false;
    const now = this.#options.clock.monotonic();
    const since = now - last.heardAt;
    if (since >= CONTACT_RULE.every) return false;
    if (last.boot !== boot) return clock.uptime > since + SECOND;
    if (life === undefined || last.life === undefined || life.id === last.life.id) return false;
    return now - life.began > since + LATE && life.began > last.life.began;
  }

  /** Ephemeral hosts that said goodbye, or nothing for their time, leave the roll. */
  async sweep(): Promise<readonly string[]> {
    const tokens: string[] = [];
    for (const { name } of [...this.#hosts.values()].filter((host) => this.#isGone(host))) {
      // Asked again in its line: a batch of it may be under way.
      const gone = await this.#inLine(name, async () => {
        const host = this.#hosts.get(name);
        return host !== undefined && this.#isGone(host) ? this.#revoke(name) : undefined;
      });
      if (gone !== undefined) tokens.push(gone.token);
    }
    return tokens;
  }

  #isGone({ name, kind, ttl = Number.POSITIVE_INFINITY, leftAt }: KnownHost): boolean {
    const since = this.#voices.get(name)?.heardAt ?? this.#joinedAt.get(name) ?? this.#began;
    return kind === "ephemeral" && (leftAt !== undefined || this.#options.clock.monotonic() - since >= ttl);
  }

  /** Asks a host for something; answers with what came of it. */
  ask(
    host: string,
    name: CommandName,
    target: string,
    by: string,
    ttl: Millis = MINUTE,
    detail: CommandDetail = {},
  ): Promise<CommandResult> {
    return this.commands.ask({ host, name, target, by, ttl, ...detail });
  }

  /** Takes a host's right to speak away, under this name. Its agents leave the roll. */
  revoke(name: string, renamedTo?: string): Promise<KnownHost | undefined> {
    return this.#inLine(name, () => this.#revoke(name, renamedTo));
  }

  async #revoke(name: string, renamedTo?: string): Promise<KnownHost | undefined> {
    const host = this.#hosts.get(name);
    if (host === undefined || host.revokedAt !== undefined) return undefined;
    const revoked = {
      ...host,
      revokedAt: this.#options.clock.wall(),
      ...(renamedTo === undefined ? {} : { renamedTo }),
    };
    await this.#options.watcher.report({
      host: () => revoked,
      facts: [{ k: "hello", at: revoked.revokedAt, agents: [] }],
    });
    this.#hosts.delete(name);
    this.#options.elsewhere?.forget(name);
    return revoked;
  }
}

/** What a host answered, with the dates of our clock. */
function resultHere({ evidence, ...result }: CommandResult, offset: Millis): CommandResult {
  const here = evidence?.map(({ signal, at, says }) => ({
    ...{ signal, says: redated(says, offset) },
    at: redated(at, offset),
  }));
  return { ...result, ...(here === undefined ? {} : { evidence: here }) };
}

/** A host as it is kept after a batch that was received at `now` by our clock. */
function after({ leftAt: _, ...host }: KnownHost, batch: HostBatch, now: Instant): KnownHost {
  let dropped = host.dropped ?? 0;
  const blind = [...(host.blind ?? [])];
  for (const { fact } of batch.facts) {
    if (fact.k === "dropped") dropped += fact.count;
    if (fact.k === "blind") blind.push(fact.span);
  }
  const { spool, boot, version, backlog, upTo: acked = host.acked } = batch;
  return {
    ...host,
    ...{ spool, acked, boot, version, backlog },
    offset: offsetAfter(host.offset, batch.clock.wall, now),
    ...(dropped === 0 ? {} : { dropped }),
    ...(blind.length === 0 ? {} : { blind: blind.slice(-BLIND_SPANS) }),
    ...(batch.bye ? { leftAt: now } : {}),
  };
}

/**
 * What is committed as one: it ends before somebody leaves the roll, so that what was told of them before is kept. The host is
 * answered with its number, and sends the rest again.
 */
function firstPart(batch: HostBatch): HostBatch {
  const { facts } = batch;
  const end = facts.findIndex(({ fact }, n) => n > 0 && (fact.k === "removed" || fact.k === "hello"));
  const last = facts[end - 1];
  return last === undefined ? batch : { ...batch, facts: facts.slice(0, end), upTo: last.seq };
}

export type { CommandRecord };
