import type { Beat } from "../src/core/beat.ts";
import type { Delivery } from "../src/core/delivery/delivery.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../src/core/duration.ts";
import type { Incident } from "../src/core/incident/incident.ts";
import { defaultPolicy, type Policy } from "../src/core/incident/policy.ts";
import type { Changes } from "../src/ports/store.ts";
import { memoryStore } from "../src/store/memory/memory.ts";
import { Courier } from "../src/watch/courier.ts";
import type { FleetPolicy } from "../src/watch/intent.ts";
import type { Recoverers } from "../src/watch/recover.ts";
import type { Rounds } from "../src/watch/rounds.ts";
import { Watcher } from "../src/watch/watcher.ts";
import { Chance } from "./chance.ts";
import { Conditions, type Excuse } from "./conditions.ts";
import { Deaths, type Moment } from "./deaths.ts";
import { Disk, type DiskState } from "./disk.ts";
import { type CrashPoint, isUnsteady, peaceOf, plan, planRestarts, type Victim } from "./faults.ts";
import { fileIssues, pendingIssues } from "./filing.ts";
import { Fleet } from "./fleet.ts";
import { SimForge } from "./forge.ts";
import { IssueCheck } from "./issue-check.ts";
import { Ledger } from "./ledger.ts";
import { Life } from "./life.ts";
import { Messages } from "./messages.ts";
import type { Mutant } from "./mutants.ts";
import { operate } from "./operators.ts";
import { Panes } from "./panes.ts";
import { recoverersOf, roundsOf } from "./recovering.ts";
import { RecoveryCheck } from "./recovery-check.ts";
import { RollCheck } from "./roll-check.ts";
import { Settings } from "./settings.ts";
import { lengthOf, stretchOf } from "./stretch.ts";
import { Time } from "./time.ts";
import type { Trace } from "./trace.ts";
import type { Violation } from "./violation.ts";
import { WatchCheck } from "./watch-check.ts";
import { Wire } from "./wire.ts";

const START = Date.parse("2026-03-02T08:00:00Z");
/** The simulated watcher looks at its clocks once a minute, and saves its sign of life every five at least. */
const PACE = { sleep: MINUTE, mark: 5 * MINUTE };
/** Where it is killed again and again it saves it each minute: only then does it know how short each outage was. */
const UNSTEADY = { sleep: MINUTE, mark: MINUTE };
const PLACES = ["ops", "chat"];
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
/** In every so many-th seed the store keeps frozen copies, which take time, and show who changes what was committed. */
const COPIES = 10;
/** Every violation after the first ones of a seed follows from them. */
const ENOUGH = 3;

/** One seed: a fleet, a watcher that is the real one, and whatever happens to both. */
export class World implements Victim {
  readonly seed: number;
  readonly violations: Violation[] = [];
  readonly #length: Millis;
  readonly #stretch: number;
  readonly #mutant: Mutant;
  readonly #trace: Trace;
  readonly #time = new Time(START);
  readonly #chance: Chance;
  readonly #ledger = new Ledger();
  readonly #conditions = new Conditions();
  readonly #disk: Disk;
  readonly #wires: readonly Wire[];
  readonly #fleet: Fleet;
  readonly #panes: Panes;
  readonly #settings: Settings;
  readonly #forge: SimForge;
  readonly #pending = pendingIssues();
  readonly #deaths: Deaths;
  readonly #messages: Messages;
  readonly #roll: RollCheck;
  readonly #watch: WatchCheck;
  readonly #recoveries: RecoveryCheck;
  readonly #issues: IssueCheck;
  readonly #telling: Policy;
  #life: Life;
  #lives = 0;
  #boots = 0;
  #watcher: Watcher | undefined;
  #courier: Courier | undefined;
  #rounds: Rounds | undefined;
  #recoverers: Recoverers | undefined;
  #crashAt: CrashPoint | undefined;
  #down: { readonly back: Millis; readonly reboot: boolean } = { back: 0, reboot: false };
  #outage: Excuse | undefined;
  #watching = false;
  #diedAt: Millis = 0;
  #diedInBoot = 0;
  #setAt = Number.NEGATIVE_INFINITY;
  /** When the watcher's last sign of life was decided, in true time and by its own clock. */
  #marked = { at: 0, wall: START };
  /** When the one before this life's was, in true time. */
  #lastSign: Millis = 0;

  constructor(seed: number, mutant: Mutant, trace: Trace) {
    this.seed = seed;
    this.#length = lengthOf(seed);
    this.#stretch = stretchOf(seed);
    this.#mutant = mutant;
    this.#trace = trace;
    const time = this.#time;
    const chance = new Chance(seed);
    this.#chance = chance;
    const report = (invariant: number, what: string) => this.#violated(invariant, what);
    this.#disk = new Disk(
      time,
      chance,
      {
        decided: (): Moment => ({ at: time.now, breaks: this.#conditions.breaks.length }),
        applied: (changes, moment) => this.#applied(changes, moment as Moment),
        refused: (why) => this.#violated(11, why),
        failed: (since) => this.#conditions.broke(since, time.now),
        tookLong: (since) => {
          this.#conditions.broke(since, time.now);
          this.#conditions.claim(since - MINUTE, time.now + MINUTE);
        },
        waits: (under) => (under ? this.#conditions.begin() : this.#conditions.end(time.now)),
        hangs: () => this.#watch.stuck(time.now),
        dies: (moment, changes) => this.#dies("commit", moment, changes),
      },
      seed % COPIES === 0 ? memoryStore() : memoryStore((value) => value),
    );
    const wireWatch = {
      sent: (_: string, key: string, life: number) => this.#messages.sent(key, life),
      arrived: (place: string, rows: readonly string[]) => this.#arrived(place, rows),
      answered: (
        _: string,
        rows: readonly string[],
        receipt: Parameters<Messages["answered"]>[1],
        life: number,
      ) => this.#messages.answered(rows, receipt, life),
      dies: (moment: "before" | "after") => this.#dies("send", moment),
    };
    this.#wires = PLACES.map((name) => new Wire(name, time, chance, wireWatch));
    this.#deaths = new Deaths(this.#ledger, this.#conditions, this.#wires, report);
    this.#messages = new Messages(this.#ledger, this.#conditions, report);
    this.#roll = new RollCheck(this.#ledger, report);
    this.#watch = new WatchCheck(this.#ledger, this.#conditions, report);
    this.#recoveries = new RecoveryCheck(this.#ledger, this.#conditions, report);
    this.#issues = new IssueCheck(this.#ledger, this.#conditions, report);
    this.#fleet = new Fleet(
      time,
      chance,
      { accept: (...all) => this.#accept(...all) },
      {
        addedAt: START,
        stretch: this.#stretch,
      },
    );
    this.#panes = new Panes(time, seed, { addedAt: START, stretch: this.#stretch });
    // Its own, so that what it draws changes nothing for the others.
    const lies = new Chance(seed + 2_000_003);
    for (const { id } of this.#panes.declared) this.#lie(lies, id);
    this.#settings = new Settings(new Chance(~seed), this.#stretch, this.#fleet.defaultRule, {
      all: this.#fleet.agents.map(({ declared }) => declared),
      fixed: this.#panes.declared,
    });
    this.#forge = new SimForge(time, seed, this.#length - 2 * peaceOf(this.#stretch), {
      created: (draft) => {
        this.#note("issue", draft.marker);
        this.#issues.created(draft);
      },
      dies: () => this.#diesMeanwhile(0.05),
    });
    this.#telling = {
      ...defaultPolicy(PLACES),
      ...(chance.hit(0.3) ? { escalate: { after: 15 * MINUTE, to: ["chat"] } } : {}),
    };
    this.#life = new Life(0, time);
    this.#life.end();
  }

  /** Lets the seed happen, and answers what should not have. */
  async run(stopAtFirst = false): Promise<readonly Violation[]> {
    const time = this.#time;
    plan(this.#chance, this.#stretch, this.#length, (at, call) => time.after(at, call), this);
    const { seed } = this;
    planRestarts(
      new Chance(-seed),
      { seed, stretch: this.#stretch, length: this.#length },
      (at, call) => time.after(at, call),
      this,
    );
    const minute = () => {
      this.#fleet.minute();
      this.#deaths.minute(time.now, time.wall());
      this.#messages.minute(time.now, time.wall());
      this.#watch.minute(time.now);
      this.#recoveries.minute(time.now);
      this.#issues.minute(time.now, time.wall(), this.#forge.troubleAt);
      time.quietly(MINUTE, minute);
    };
    time.quietly(MINUTE, minute);
    this.#conditions.begin();
    this.#start();
    const enough = stopAtFirst ? 1 : ENOUGH;
    await time.run(this.#length, () => this.violations.length < enough);
    if (this.violations.length < enough) {
      const isUp = (place: string) => {
        const upSince = this.#wires.find(({ name }) => name === place)?.upSince;
        return upSince !== undefined && upSince <= time.now - 15 * MINUTE;
      };
      this.#messages.end(time.now, time.wall(), isUp);
      // Whoever died while it started has noted a break already, which no watch has ended.
      if (!this.#watching) this.#unwatched("outage", this.#lastSign);
      this.#watch.end(this.#length);
      this.#recoveries.end(time.now, time.wall());
    }
    this.#life.end();
    return this.violations;
  }

  // What happens to the process.

  crash(point: CrashPoint, down: Millis, reboot: boolean): void {
    if (this.#life.isOver || this.#crashAt !== undefined) return;
    this.#down = { back: down, reboot };
    if (point.where === "now") this.#die("crash");
    else this.#crashAt = point;
  }

  restart(down: Millis): void {
    const [watcher, courier] = [this.#watcher, this.#courier];
    if (this.#reach() === undefined || watcher === undefined || courier === undefined) return;
    this.#note("stop", "");
    const life = this.#life;
    this.#watcher = undefined;
    const stop = async () => {
      await this.#recoverers?.stop();
      await courier.stop();
      await this.#rounds?.stop();
      await watcher.stop();
    };
    const gone = () => {
      if (life.isOver) return;
      this.#down = { back: down, reboot: false };
      this.#die("stopped");
    };
    stop().then(gone, gone);
  }

  hold(length: Millis, asleep: boolean): void {
    const time = this.#time;
    if (time.held) return;
    const what = asleep ? "suspend" : "freeze";
    this.#note(what, `${Math.round(length / SECOND)} s`);
    const from = time.wall();
    const began = time.now;
    const life = this.#life;
    time.hold(length, asleep);
    this.#conditions.begin();
    time.after(length, () => {
      const long = asleep ? length > 5 * SECOND : length > 130 * SECOND;
      const excuse: Excuse = { what, from, to: time.wall(), certain: false };
      this.#conditions.excuses.push(excuse);
      this.#conditions.claim(began - MINUTE, time.now + MINUTE);
      this.#unwatched(what, began);
      this.#conditions.end(time.now);
      if (long) this.#conditions.broke(began, time.now);
      if (long) this.#mustTell(excuse, life);
    });
  }

  /**
   * Whoever still watches two minutes later must have left an event of it. Of what happened while nobody watched, or
   * who died before it looked, the outage tells, which must leave one itself.
   */
  #mustTell(excuse: Excuse, life: Life): void {
    this.#time.after(2 * MINUTE, () => {
      const watches = this.#life === life && this.#watching && !this.#time.held;
      excuse.certain = watches && this.#disk.state === "well";
    });
  }

  /** The same span in today's wall time: the clock may have been set meanwhile, and who watches again counts by it. */
  #unwatched(what: string, since: Millis): void {
    const { now } = this.#time;
    const to = this.#time.wall();
    this.#conditions.excuses.push({ what, from: to - (now - since), to, certain: false });
  }

  step(by: Millis): void {
    const time = this.#time;
    if (time.held) return;
    this.#note("step", `${Math.round(by / SECOND)} s`);
    const from = time.wall();
    time.step(by);
    const to = time.wall();
    const certain = Math.abs(by) > 61 * SECOND;
    this.#conditions.claim(time.now - MINUTE, time.now + MINUTE);
    this.#setAt = time.now;
    this.#messages.clockSet();
    this.#recoveries.clockSet();
    if (by < 0) {
      this.#conditions.setBack = { at: time.now, by: -by };
      this.#roll.setBack(to);
    }
    const span = { from: Math.min(from, to), to: Math.max(from, to) };
    const excuse: Excuse = { what: "step", ...span, certain: false };
    this.#conditions.excuses.push(excuse);
    if (certain && this.#watching) this.#mustTell(excuse, this.#life);
    if (certain) this.#conditions.broke(time.now, time.now);
    else this.#conditions.touch(time.now);
  }

  disk(state: DiskState, length: Millis): void {
    const time = this.#time;
    const disk = this.#disk;
    if (disk.state !== "well") return;
    this.#note(`disk ${state}`, `${Math.round(length / SECOND)} s`);
    const from = time.wall();
    const began = time.now;
    disk.state = state;
    disk.hangsUntil = time.now + length;
    this.#conditions.begin();
    time.after(length, () => {
      disk.state = "well";
      this.#watch.unstuck();
      this.#conditions.excuses.push({
        what: `disk ${state}`,
        from,
        to: time.wall() + MINUTE,
        certain: false,
      });
      this.#conditions.claim(began - MINUTE, time.now + MINUTE);
      this.#unwatched(`disk ${state}`, began);
      this.#conditions.end(time.now);
    });
  }

  channelDown(length: Millis): void {
    const wire = this.#chance.one(this.#wires);
    if (wire.upSince === undefined) return;
    this.#note("channel down", `${wire.name} ${Math.round(length / SECOND)} s`);
    wire.down(length);
  }

  mass(group: string, share: number, kind: "cut" | "dead", length: Millis): void {
    this.#note(`mass ${kind}`, `${group} ${Math.round(length / SECOND)} s`);
    const all = this.#fleet.group(group);
    for (const agent of this.#chance.shuffled(all).slice(0, Math.ceil(share * all.length))) {
      if (kind === "cut") agent.cut = true;
      else agent.alive = false;
      // Some take longer to come back.
      const more = this.#chance.hit(0.3) ? HOUR : 2 * MINUTE;
      this.#time.after(length + this.#chance.between(0, more), () => {
        if (kind === "cut") agent.cut = false;
        else agent.alive = true;
      });
    }
  }

  operator(): void {
    operate({
      time: this.#time,
      chance: this.#chance,
      ledger: this.#ledger,
      reach: () => this.#reach(),
      resumed: (agent) => this.#deaths.resumed(agent, this.#time.now),
      note: (what, about) => this.#note(what, about),
    });
  }

  reconfigure(restarts: boolean): void {
    const watcher = this.#reach();
    this.#note("config", this.#settings.change(this.#time.wall()));
    if (restarts) this.restart(SECOND);
    else watcher?.configure(this.#policy()).catch(() => {});
  }

  // One life of the process.

  /** What the config says, as the watcher is told. */
  #policy(): FleetPolicy {
    const { declared, first, defaultRule } = this.#settings;
    const agents = this.#mutant.agents?.(declared, first) ?? declared;
    return { autoRegister: true, defaultRule, agents, telling: this.#telling };
  }

  #start(): void {
    const time = this.#time;
    const life = new Life(++this.#lives, time);
    this.#life = life;
    this.#note("start", `life ${life.number}`);
    if (this.#down.reboot) this.#boots += 1;
    this.#live(life).catch(() => {
      // The store cannot be read or written: whoever starts the daemon tries again.
      if (life.isOver) return;
      life.end();
      this.#disk.cutOff();
      time.after(20 * SECOND, () => this.#start());
    });
  }

  async #live(life: Life): Promise<void> {
    const time = this.#time;
    const { clock } = life;
    const mutant = this.#mutant;
    const store = mutant.store?.(this.#disk.storeFor(life)) ?? this.#disk.storeFor(life);
    const { declared } = this.#settings;
    const pace = isUnsteady(this.seed) ? UNSTEADY : PACE;
    const watcher = await Watcher.load(
      { store, clock, log: SILENT, bootId: `boot-${this.#boots}`, host: "here", pace },
      this.#policy(),
    );
    mutant.watcher?.(watcher);
    this.#roll.loaded(watcher, time.wall(), declared);
    const { deliveries } = await store.load();
    const channels = new Map(this.#wires.map((wire) => [wire.name, wire.channelFor(life)]));
    const persist = (all: readonly Delivery[]) =>
      watcher.persist({ deliveries: mutant.persisting?.(all) ?? all });
    const restated: Watcher["restated"] = (delivery) => watcher.restated(delivery);
    const channel = (name: string) => channels.get(name);
    const isWithheld: Watcher["isWithheld"] = (delivery) => watcher.isWithheld(delivery);
    const courier = new Courier({ clock, log: SILENT, persist, restated, isWithheld, channel }, deliveries);
    watcher.onCommitted((changes) => courier.note(changes.deliveries ?? []));
    await this.#spooled(watcher);
    const parts = {
      ...{ life, watcher, panes: this.#panes, check: this.#recoveries, chance: this.#chance },
      dies: () => this.#diesMeanwhile(0.1),
    };
    const rounds = roundsOf(parts);
    await rounds.start();
    this.#conditions.broke(this.#diedAt, time.now);
    this.#conditions.claim(this.#lastSign, time.now);
    this.#conditions.end(time.now);
    this.#watching = true;
    this.#watcher = watcher;
    this.#courier = courier;
    this.#rounds = rounds;
    watcher.watch();
    courier.start();
    if (this.#outage !== undefined) {
      Object.assign(this.#outage, { to: time.wall(), certain: true });
      this.#unwatched("outage", this.#lastSign);
      // A host that came back with an earlier time cannot know how long it was away.
      const setBack = this.#conditions.setBack.at >= this.#diedAt - 2 * MINUTE;
      if (setBack && this.#boots !== this.#diedInBoot) this.#unwatched("reboot", time.now - DAY);
    }
    this.#note("watch", "");
    this.#heartbeat(life, watcher, -1);
    fileIssues(life, watcher, store, this.#forge.forgeFor(life, mutant.looksFirst ?? true), this.#pending);
    const snapshot = await store.load();
    if (this.#watcher !== watcher) return;
    this.#recoverers = recoverersOf(parts, rounds, snapshot, (all) => mutant.recovering?.(all) ?? all);
    await this.#recoverers.start();
  }

  /** What waited in spools is taken up before anybody is judged. */
  async #spooled(watcher: Watcher): Promise<void> {
    const receivedAt = this.#time.wall();
    const beats = this.#fleet.takeSpools().map((beat) => ({ ...beat, receivedAt }));
    if (beats.length > 0) await watcher.accept(beats);
  }

  /** The end of the pipeline tells the outside each minute that it goes on. */
  #heartbeat(life: Life, watcher: Watcher, before: number): void {
    const { progress } = watcher;
    if (progress !== before && watcher.blindSince === undefined) this.#watch.pinged(this.#time.now);
    life.after(MINUTE, () => this.#heartbeat(life, watcher, progress));
  }

  #die(how: string): void {
    const time = this.#time;
    this.#note(how, `down for ${Math.round(this.#down.back / SECOND)} s`);
    this.#life.end();
    this.#watcher = undefined;
    this.#courier = undefined;
    this.#rounds = undefined;
    this.#recoverers = undefined;
    this.#crashAt = undefined;
    this.#disk.cutOff();
    this.#fleet.hungUp();
    const now = time.wall();
    if (this.#watching) {
      this.#watching = false;
      this.#diedAt = time.now;
      this.#diedInBoot = this.#boots;
      this.#conditions.begin();
      this.#lastSign = this.#marked.at;
      // Of what came after its last sign of life nobody can say whether it watched.
      this.#outage = { what: how, from: Math.min(now, this.#marked.wall), to: now, certain: false };
      this.#conditions.excuses.push(this.#outage);
    }
    time.after(this.#down.back, () => this.#start());
  }

  #dies(where: "commit" | "send", moment: "before" | "after", changes?: Changes): boolean {
    const point = this.#crashAt;
    if (point === undefined || point.moment !== moment) return false;
    const outbox = where === "commit" && (changes?.deliveries ?? []).length > 0;
    if (point.where !== where && !(point.where === "outbox" && outbox)) return false;
    this.#die(`crash ${moment} ${point.where}`);
    return true;
  }

  /** Now and then while a step or a request is under way. */
  #diesMeanwhile(probability: number): boolean {
    if (!this.#chance.hit(probability) || this.#time.now > this.#length - peaceOf(this.#stretch))
      return false;
    this.crash({ where: "now", moment: "after" }, this.#chance.between(SECOND, 10 * MINUTE), false);
    return this.#life.isOver;
  }

  #reach(): Watcher | undefined {
    return this.#time.held || this.#life.isOver ? undefined : this.#watcher;
  }

  /** Somebody without a token says that an agent in a pane errs or crashed, and after a while that it is well. */
  #lie(chance: Chance, agent: string): void {
    const say = (more: Partial<Beat>) => {
      const at = this.#time.wall();
      const beat = { id: `lie-${this.#time.now}-${agent}`, agent, source: "agent", status: "error" } as const;
      const said: Beat = { ...beat, sentAt: at, receivedAt: at, unproven: true, ...more };
      this.#reach()
        ?.accept([said])
        .catch(() => {});
    };
    this.#time.quietly(this.#stretch * chance.between(10 * MINUTE, 90 * MINUTE), () => {
      say(chance.hit(0.5) ? {} : { cycle: 1, cycleEvent: "ended", outcome: "crashed" });
      this.#time.quietly(chance.between(MINUTE, 15 * MINUTE), () => say({ status: "ok" }));
      this.#lie(chance, agent);
    });
  }

  // What the world sees.

  #accept(beats: readonly Beat[], done: () => void, failed: () => void): void {
    const watcher = this.#reach();
    if (watcher === undefined) return failed();
    const receivedAt = this.#time.wall();
    const life = this.#life;
    const received = beats.map((beat) => ({ ...beat, receivedAt }));
    const taken = this.#mutant.accept?.(watcher, received) ?? watcher.accept(received);
    taken.then(
      () => {
        if (life.isOver) return;
        for (const beat of received) this.#roll.acknowledged(beat, watcher, this.#time.wall());
        done();
      },
      () => {
        if (!life.isOver) failed();
      },
    );
  }

  #applied(changes: Changes, moment: Moment): void {
    if (changes.mark !== undefined) this.#marked = { at: moment.at, wall: changes.mark.at };
    const before = new Map<string, Incident>();
    for (const { state, key } of changes.deliveries ?? []) this.#note(state, key);
    for (const { recovery } of changes.recoveries ?? []) this.#note(recovery.state, recovery.id);
    for (const { incident } of changes.incidents ?? []) {
      const known = this.#ledger.incidents.get(`${incident.kind} ${incident.subject}`);
      if (known !== undefined) before.set(known.id, known);
    }
    for (const { agent, from, to } of changes.flips ?? []) this.#note("flip", `${agent} ${from} ${to}`);
    for (const { agent, id } of changes.beats ?? []) this.#note(agent, id);
    this.#recoveries.before(changes, this.#time.now);
    this.#deaths.before(changes, moment, (beat) => this.#fleet.arrivedAt.get(beat));
    for (const problem of this.#ledger.apply(changes)) {
      this.#violated(problem.startsWith("the key") ? 2 : problem.startsWith("incident") ? 9 : 11, problem);
    }
    this.#roll.committed(changes, before);
    this.#messages.committed(changes, this.#time.now - this.#setAt > 10 * MINUTE);
  }

  #arrived(place: string, rows: readonly string[]): void {
    for (const { key, about, incident, message, says } of this.#messages.arrived(place, rows)) {
      this.#note("arrived", key);
      const members = message.data?.members;
      if (Array.isArray(members)) this.#deaths.told(place, members as string[], incident);
      else if (says !== "resolved") this.#deaths.told(place, [about], incident);
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
