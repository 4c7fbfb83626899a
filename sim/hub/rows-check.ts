import { MINUTE, type Millis, SECOND } from "../../src/core/duration.ts";
import type { HostFact } from "../../src/core/host/fact.ts";
import { hubName } from "../../src/core/host/fact.ts";
import type { Flip } from "../../src/core/liveness/verdict.ts";
import type { Changes, Store } from "../../src/ports/store.ts";
import type { Report } from "../violation.ts";
import type { Clocks } from "./clocks.ts";
import { type HostFlip, type HostLog, matters } from "./host-log.ts";
import type { HubLedger } from "./hub-ledger.ts";

interface Row {
  readonly flip: Flip;
  /** Its date in true time, and when the commit was. */
  readonly trueAt: Millis;
  readonly at: Millis;
  readonly commit: number;
}

/** What was committed on a host so shortly before the end may be under way. */
const UNDER_WAY: Millis = 2 * MINUTE;
/** How far a date may be off: the way's slowest first sample. */
const OFF: Millis = 90 * SECOND;

/** Compares hosts and hub at the end, row by row: flips, episodes, states, and what was dropped. */
export class RowsCheck {
  readonly #report: Report;
  readonly #ledger: HubLedger;
  #rows: Row[] = [];
  readonly #arrived = new Set<HostFact>();
  readonly #hubClocks: Clocks;

  constructor(report: Report, ledger: HubLedger, hubClocks: Clocks) {
    this.#hubClocks = hubClocks;
    this.#report = report;
    this.#ledger = ledger;
  }

  reached(facts: readonly { readonly fact: HostFact }[]): void {
    for (const { fact } of facts) this.#arrived.add(fact);
  }

  committed({ flips = [] }: Changes, commit: number, now: Millis, decidedAt: Millis): void {
    for (const flip of flips)
      this.#rows.push({ flip, trueAt: this.#hubClocks.trueTime(flip.at, decidedAt), at: now, commit });
  }

  /** The hub lost what came from this commit on. */
  rewind(commit: number): void {
    this.#rows = this.#rows.filter((row) => row.commit < commit);
  }

  /** `mayDrop`: it has little room, or its clock was set so that facts looked old. */
  async end(
    host: string,
    log: HostLog,
    {
      clocks,
      hub,
      now,
      mayDrop,
    }: {
      readonly clocks: Clocks;
      readonly hub: Store;
      readonly now: Millis;
      readonly mayDrop: boolean;
    },
  ): Promise<void> {
    const dropped = this.#ledger.hosts.get(host)?.dropped ?? 0;
    if (dropped > 0 && !mayDrop) this.#report(21, `${host} had room, and lost ${dropped} facts`);
    let missing = 0;
    for (const fact of log.facts) if (fact.k !== "entry" && !this.#arrived.has(fact)) missing += 1;
    const last = log.lastFactsAt > now - UNDER_WAY ? log.lastFacts : 0;
    if (missing - last > dropped)
      this.#report(29, `${host}: ${missing} facts never arrived, and it told of ${dropped}`);
    this.#states(host, log, now);
    this.#open(host, log, now);
    if (dropped > 0 || log.spools > 1) return;
    for (const agent of new Set(log.flips.map((flip) => flip.agent)))
      await this.#flips(
        hubName(agent, host),
        log.flips.filter((flip) => flip.agent === agent),
        clocks,
        hub,
        now,
      );
    this.#episodes(host, log, now);
  }

  async #flips(id: string, all: readonly HostFlip[], clocks: Clocks, hub: Store, now: Millis): Promise<void> {
    const rows = this.#rows.filter(({ flip }) => flip.agent === id);
    const stored = (await hub.flips(id, { limit: 100_000 })).toReversed();
    // Where the hub's own clock was set back its dates are not in order; a new life may have begun before an old one was lost.
    const lives = rows.filter(({ flip }) => flip.from === "new").length;
    if (
      !this.#hubClocks.wasSetBack &&
      lives < 2 &&
      stored.map(sayFlip).join() !== rows.map(({ flip }) => sayFlip(flip)).join()
    )
      this.#report(27, `the flips of ${id} are dated in another order than they came in`);
    const here = wordsOf(rows);
    const fits = (list: readonly HostFlip[]) =>
      here.length <= list.length &&
      here.length >= list.filter(({ committedAt }) => committedAt < now - UNDER_WAY).length &&
      here.every(({ flip }, n) => flip.to === list[n]?.to);
    const there = [all, afterGreeting(all)].find(fits);
    if (there === undefined) {
      const say = (list: readonly { to: string }[]) => list.map(({ to }) => to).join();
      this.#report(21, `${id}: ${say(here.map(({ flip }) => flip))} here, ${say(all)} on its host`);
      return;
    }
    for (const [n, row] of here.entries()) this.#date(row, there[n] as HostFlip, clocks);
  }

  #date({ flip, trueAt, at, floor }: Word, there: HostFlip, clocks: Clocks): void {
    // What waited while its host's clock was set has no date that anybody could know.
    if (there.trueAt === Number.NEGATIVE_INFINITY || this.#hubClocks.wasSetBack) return;
    if (clocks.wasSetBetween(Math.min(there.trueAt, there.decidedAt), at)) return;
    if (trueAt < there.trueAt - OFF || trueAt > Math.max(there.trueAt, floor) + OFF)
      this.#report(
        27,
        `${flip.agent} is ${flip.to} since ${Math.round(trueAt / SECOND)} s here, on its host since ${Math.round(there.trueAt / SECOND)} s`,
      );
  }

  #states(host: string, log: HostLog, now: Millis): void {
    for (const [agent, { state, at }] of log.states) {
      if (at > now - 10 * MINUTE || agent.startsWith("rollcall@")) continue;
      const id = hubName(agent, host);
      const here = wordsOf(
        this.#rows.filter(({ flip }) => flip.agent === id),
        true,
      ).at(-1)?.flip.to;
      if (matters(state) ? here !== state : here !== undefined && matters(here))
        this.#report(22, `${id} is ${here ?? "nothing"} here, and ${state} on its host`);
    }
  }

  /** Whatever was dropped: what is open there is open here, and nothing else. */
  #open(host: string, log: HostLog, now: Millis): void {
    for (const { incident, changedAt } of log.episodes.values()) {
      if (changedAt > now - 10 * MINUTE) continue;
      const here = this.#ledger.incidents.get(hubName(incident.id, host));
      const isOpenHere = here !== undefined && here.resolved === undefined;
      if (isOpenHere !== (incident.resolved === undefined))
        this.#report(22, `${incident.id} of ${host} is ${isOpenHere ? "" : "not "}open here, unlike there`);
    }
  }

  #episodes(host: string, log: HostLog, now: Millis): void {
    for (const { incident, changedAt, joined } of log.episodes.values()) {
      if (changedAt > now - UNDER_WAY || !joined) continue;
      const here = this.#ledger.incidents.get(hubName(incident.id, host));
      const say = (each = here) =>
        each === undefined
          ? "nothing"
          : `${each.state} ${each.change} ${each.resolved === undefined ? "open" : "over"}`;
      if (say() !== say(incident))
        this.#report(21, `${incident.id} of ${host} is ${say()} here, and ${say(incident)} there`);
    }
  }
}

interface Word extends Row {
  /** When its host was lost before, in true time: it cannot be dated before that. */
  readonly floor: Millis;
}

/** The changes that a host told of, without those that its loss and return made: those that matter, or all. */
function wordsOf(rows: readonly Row[], all = false): readonly Word[] {
  const words: Word[] = [];
  let [lost, last, floor] = [false, "new", Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    const { from, to, reason } = row.flip;
    const back = lost && from === "unknown" && to === last;
    lost = reason === "host-out-of-contact";
    if (lost || back) floor = Math.max(floor, row.trueAt);
    if (lost || back) continue;
    last = to;
    if (all || matters(from) || matters(to)) words.push({ ...row, floor });
    floor = Math.max(floor, row.trueAt);
  }
  return words;
}

/** How it was when its host joined may have changed before it was told: then only the change is. */
function afterGreeting(all: readonly HostFlip[]): readonly HostFlip[] {
  const since = all.findIndex(({ to, trueAt }) => trueAt > Number.NEGATIVE_INFINITY && matters(to));
  return since < 0 ? [] : all.slice(since);
}

function sayFlip({ from, to }: Flip): string {
  return `${from}>${to}`;
}
