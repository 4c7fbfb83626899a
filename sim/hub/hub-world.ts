import { DAY, MINUTE, type Millis, SECOND } from "../../src/core/duration.ts";
import { COMMANDS, type CommandName } from "../../src/core/host/command.ts";
import { HOST_KINDS, type HostKind } from "../../src/core/host-kind.ts";
import type { Changes } from "../../src/ports/store.ts";
import { memoryStore } from "../../src/store/memory/memory.ts";
import { Chance } from "../chance.ts";
import { Conditions } from "../conditions.ts";
import { Time } from "../time.ts";
import type { Trace } from "../trace.ts";
import type { Report, Violation } from "../violation.ts";
import { Clocks } from "./clocks.ts";
import { CommandCheck } from "./command-check.ts";
import { ContactCheck } from "./contact-check.ts";
import { LENGTH, plan, type Victims } from "./faults.ts";
import { HostLog } from "./host-log.ts";
import { HubLedger } from "./hub-ledger.ts";
import type { Machine } from "./machine.ts";
import { MirrorCheck } from "./mirror-check.ts";
import type { HubMutant } from "./mutants.ts";
import { RowsCheck } from "./rows-check.ts";
import { SimHost } from "./sim-host.ts";
import { SimHub } from "./sim-hub.ts";
import { TellingCheck } from "./telling-check.ts";
import { Way, type WayState } from "./way.ts";

/** Every violation after the first ones of a seed follows from them. */
const ENOUGH = 3;
/** In every so many-th seed the hub's store keeps frozen copies. */
const COPIES = 10;
/** How long an ephemeral host stays on the roll without a word. */
const TTL: Millis = 20 * MINUTE;
const keepAll = <T>(value: T): T => value;

/** One host of the world, and what is known of it. */
interface Station {
  readonly host: SimHost;
  readonly log: HostLog;
  readonly way: Way;
  /** What keeps its way from being well. */
  readonly wayConditions: Conditions;
  /** There is little room for what waits on it. */
  readonly isSmall: boolean;
}

/** How many hosts there are. */
export function hostsOf(seed: number): number {
  return new Chance(seed + 5_000_011).between(2, 5);
}

/** One seed: hosts that report to a hub, and whatever happens to them and between them. */
export class HubWorld implements Victims {
  readonly seed: number;
  readonly violations: Violation[] = [];
  readonly hosts: readonly SimHost[];
  readonly #stations: readonly Station[];
  readonly #mutant: HubMutant;
  readonly #trace: Trace;
  readonly #time = new Time(0);
  readonly #chance: Chance;
  readonly #hub: SimHub;
  readonly #hubClocks: Clocks;
  readonly #ledger = new HubLedger();
  readonly #mirror: MirrorCheck;
  readonly #contact: ContactCheck;
  readonly #telling: TellingCheck;
  readonly #commands: CommandCheck;
  readonly #rows: RowsCheck;
  /** The hub's commits, from which an older copy of its disk is made. */
  readonly #commits: { readonly changes: Changes; readonly at: Millis; readonly decidedAt: Millis }[] = [];
  /** While commits are told again, which were checked before. */
  #replaying = false;
  /** When all hosts had been heard: no copy of the hub's disk is older. */
  #allHeardAt = Number.POSITIVE_INFINITY;
  #asked = 0;

  constructor(seed: number, mutant: HubMutant, trace: Trace) {
    this.seed = seed;
    this.#mutant = mutant;
    this.#trace = trace;
    // Its own, so that a seed is another one here.
    this.#chance = new Chance(seed + 3_000_017);
    const chance = this.#chance;
    const time = this.#time;
    const report: Report = (invariant, what) => {
      if (!this.#replaying) this.#violated(invariant, what);
    };
    const kinds = new Map<string, HostKind>();
    this.#mirror = new MirrorCheck(report);
    this.#telling = new TellingCheck(report, this.#ledger);
    this.#commands = new CommandCheck(report);
    this.#hubClocks = new Clocks(time, 0, 0);
    this.#rows = new RowsCheck(report, this.#ledger, this.#hubClocks);
    const note = (what: string, about: string) => this.#note(what, about);
    this.#hub = new SimHub({
      ...{ time, chance, mutant, clocks: this.#hubClocks },
      store: seed % COPIES === 0 ? memoryStore() : memoryStore(keepAll),
      watch: {
        note,
        applied: (changes, decidedAt) => this.#hubCommitted(changes, decidedAt),
        refused: (why) => report(22, why),
        unreadable: (why) => report(21, why),
        reached: (sent, read) => {
          this.#rows.reached(sent.facts);
          this.#mirror.reached(read);
        },
        answered: (read) => this.#mirror.answered(read),
        started: () => this.#mirror.started(),
        acked: (host, number, reachedAt) => {
          this.#contact.heard(host, reachedAt);
          if (number > this.#mirror.ackedOf(host))
            report(21, `${host} is told that ${number} is stored, and ${this.#mirror.ackedOf(host)} is`);
        },
      },
    });
    this.#contact = new ContactCheck(report, this.#ledger, this.#hub.machine.conditions, kinds);
    this.#stations = Array.from({ length: hostsOf(seed) }, (_, number) => {
      const name = `h${number}`;
      const kind = chance.hit(0.6) ? "server" : chance.one(HOST_KINDS);
      kinds.set(name, kind);
      return this.#station(name, kind);
    });
    this.hosts = this.#stations.map(({ host }) => host);
  }

  /** Lets the seed happen, and answers what should not have. */
  async run(stopAtFirst = false): Promise<readonly Violation[]> {
    const time = this.#time;
    plan(this.#chance, this);
    const minute = () => {
      this.#minute();
      time.quietly(MINUTE, minute);
    };
    time.quietly(MINUTE, minute);
    this.#hub.machine.start();
    for (const station of this.#stations) {
      station.host.machine.start();
      time.after(this.#chance.between(SECOND, 10 * MINUTE), () => this.#join(station));
    }
    const enough = stopAtFirst ? 1 : ENOUGH;
    await time.run(LENGTH, () => this.violations.length < enough);
    if (this.violations.length < enough) await this.#end();
    return this.violations;
  }

  get hub(): Machine {
    return this.#hub.machine;
  }

  after(at: Millis, call: () => void): void {
    this.#time.after(at, call);
  }

  disturb(way: Way, state: WayState, length: Millis): void {
    const station = this.#stations.find((each) => each.way === way);
    if (station === undefined || way.state !== "well") return;
    this.#note(state, `${station.host.name} for ${Math.round(length / SECOND)} s`);
    way.state = state;
    station.wayConditions.begin();
    this.#time.after(length, () => {
      way.state = "well";
      station.wayConditions.end(this.#time.now);
    });
  }

  command(host: SimHost): void {
    const { hub } = this.#hub;
    if (hub === undefined || hub.one(host.name) === undefined) return;
    this.#asked += 1;
    const by = `op-${this.#asked}`;
    const name: CommandName = this.#chance.one(COMMANDS);
    const target = this.#chance.one(host.agents.all).id;
    this.#note("asks", `${by} ${host.name} ${name} ${target}`);
    this.#commands.asked(by);
    if (this.#chance.hit(0.3)) hub.commands.watch(host.name);
    hub.ask(host.name, name, target, by, this.#chance.between(5 * SECOND, MINUTE)).then(
      (result) => {
        this.#note("ended", `${by} ${result.end}`);
        this.#commands.ended(by, result);
      },
      () => {},
    );
    // Nobody is left paused.
    if (name === "pause")
      this.#time.after(5 * MINUTE, () => void host.watcher?.resume(target).catch(() => {}));
  }

  restore(age: Millis): void {
    const at = Math.max(this.#time.now - age, this.#allHeardAt + MINUTE);
    if (at >= this.#time.now) return;
    const { machine } = this.#hub;
    this.#note("hub restored", `from ${Math.round((this.#time.now - at) / SECOND)} s ago`);
    machine.die("replaced", 5 * SECOND);
    const left = this.#commits.findIndex((commit) => commit.at > at);
    if (left >= 0) this.#commits.splice(left);
    const store = memoryStore(keepAll);
    this.#replaying = true;
    this.#ledger.clear();
    this.#mirror.clear();
    this.#contact.clear();
    this.#telling.clear();
    this.#rows.rewind(this.#commits.length);
    for (const { changes, decidedAt } of this.#commits) {
      void store.commit(changes);
      this.#fold(changes, decidedAt);
    }
    this.#replaying = false;
    machine.put(store);
  }

  #station(name: string, kind: HostKind): Station {
    const [time, chance, mutant] = [this.#time, this.#chance, this.#mutant];
    const log = new HostLog();
    const error = chance.hit(0.5) ? chance.between(-DAY, DAY) : chance.between(-2 * SECOND, 2 * SECOND);
    const drift = chance.hit(0.3) ? (chance.next() - 0.5) / 2000 : 0;
    const clocks = new Clocks(time, error, drift);
    const way = new Way(time, chance, {
      take: (batch) => this.#hub.take(batch),
      wait: (wait) => this.#hub.wait(name, wait),
    });
    const isSmall = chance.hit(0.25);
    const allow = COMMANDS.filter(() => chance.hit(0.7));
    const host = new SimHost({
      ...{ name, kind, time, chance, clocks, allow, way, mutant },
      store: memoryStore(keepAll, isSmall ? chance.between(4_000, 10_000) : undefined),
      watch: {
        note: (what, about) => this.#note(what, about),
        applied: (changes, decidedAt) => {
          log.apply(changes, host.joined, clocks, decidedAt, time.now);
          this.#commands.committed(changes);
          this.#deaths(host, changes, decidedAt);
          for (const { agent, from, to } of changes.flips ?? [])
            this.#note("host flip", `${agent}@${name} ${from} ${to}`);
        },
        refused: (why) => this.#violated(21, why),
        heard: (commands) => this.#commands.heard(commands, time.now),
        did: (what, by) => {
          this.#note("does", `${what} ${by}`);
          this.#commands.did(what, by, allow, time.now);
        },
        newSpool: (id) => {
          log.spools += 1;
          this.#note("new spool", id);
        },
      },
    });
    return { host, log, way, wayConditions: new Conditions(), isSmall };
  }

  #join(station: Station): void {
    const { host } = station;
    const { name, kind } = host.parts;
    const again = () => this.#time.after(20 * SECOND, () => this.#join(station));
    if (host.machine.life.isOver) return again();
    const record = { name, kind, token: `t-${name}`, machine: name, version: "0.1.0", acked: 0 };
    this.#hub.join({ ...record, ...(kind === "ephemeral" ? { ttl: TTL } : {}) }).then((joined) => {
      if (!joined) return again();
      this.#note("joins", `${name} ${kind}`);
      station.wayConditions.touch(this.#time.now);
      host.join().catch(() => {});
    });
  }

  #hubCommitted(changes: Changes, decidedAt: Millis): void {
    this.#commits.push({ changes, at: this.#time.now, decidedAt });
    this.#rows.committed(changes, this.#commits.length - 1, this.#time.now, decidedAt);
    this.#fold(changes, decidedAt);
    for (const { agent, from, to, reason } of changes.flips ?? [])
      this.#note("hub flip", `${agent} ${from} ${to} ${reason}`);
    for (const { key, state } of changes.deliveries ?? []) this.#note(state, key);
    if (
      this.#allHeardAt === Number.POSITIVE_INFINITY &&
      this.#stations.every(({ host }) => this.#mirror.ackedOf(host.name) > 0)
    )
      this.#allHeardAt = this.#time.now;
  }

  #fold(changes: Changes, decidedAt: Millis): void {
    this.#mirror.committed(changes);
    this.#contact.committed(changes, decidedAt);
    this.#telling.committed(changes);
    this.#ledger.apply(changes);
  }

  /** Whoever is called dead of silence by its host was silent, whatever the clocks say. */
  #deaths(host: SimHost, changes: Changes, decidedAt: Millis): void {
    for (const { agent, to, reason } of changes.flips ?? []) {
      const known = host.agents.all.find(({ id }) => id === agent);
      if (to !== "dead" || reason !== "no-beat" || known === undefined) continue;
      const silent = decidedAt - known.heardAt;
      if (silent < 6 * MINUTE - 5 * SECOND)
        this.#violated(
          27,
          `${agent}@${host.name} is dead, and was heard ${Math.round(silent / SECOND)} s before`,
        );
    }
  }

  #minute(): void {
    const { now } = this.#time;
    this.#contact.minute(now);
    for (const { host, log, wayConditions } of this.#stations) {
      if (!host.joined || this.#ledger.hosts.get(host.name)?.revokedAt !== undefined) continue;
      const hubCalmSince = this.#hub.machine.conditions.calmSince;
      const calmSince = Math.max(wayConditions.calmSince, host.machine.conditions.calmSince, hubCalmSince);
      this.#telling.minute(now, host.name, log, calmSince, hubCalmSince);
    }
  }

  async #end(): Promise<void> {
    const { now } = this.#time;
    for (const { host, log, isSmall } of this.#stations) {
      if (this.#ledger.hosts.get(host.name)?.revokedAt !== undefined || !host.joined) continue;
      if (!host.machine.isUp) continue;
      const hub = this.#hub.machine.disk.storeFor(this.#hub.machine.life);
      const { clocks } = host.parts;
      const mayDrop = isSmall || clocks.wasSetBetween(0, now);
      await this.#rows.end(host.name, log, { clocks, hub, now, mayDrop });
      if (this.#ledger.hosts.get(host.name)?.dropped === undefined) this.#telling.end(host.name, log);
    }
  }

  #note(what: string, about: string): void {
    this.#trace.note(this.#time.now, what, about);
  }

  #violated(invariant: number, what: string): void {
    this.#note(`VIOLATION ${invariant}`, what);
    this.violations.push({ seed: this.seed, at: this.#time.now, invariant, what });
  }
}
