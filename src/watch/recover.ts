import { type Instant, MINUTE, type Millis, SECOND } from "../core/duration.ts";
import { type Incident, isOpen, isWell, severityOf } from "../core/incident/incident.ts";
import type { Flip, Verdict } from "../core/liveness/verdict.ts";
import { HEALTHY, type Ladder, type Step } from "../core/recovery/ladder.ts";
import { type Next, nextStep, REFUSALS, type Refusal, type Situation } from "../core/recovery/next.ts";
import { type Recovery, sameLife } from "../core/recovery/recovery.ts";
import { sayDone, withDone } from "../core/recovery/words.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Acted, Recoverer } from "../ports/recovery.ts";
import type { Changes, Kept } from "../ports/store.ts";
import type { Wish } from "./desk.ts";
import { escalation } from "./escalation.ts";
import type { Place } from "./place.ts";

/** A step that takes longer than this is given up. */
const STEP: Millis = MINUTE;
/** Before a step the agent is looked at twice: what needs a person is believed when two looks agree. */
const LOOKS_APART: Millis = SECOND;
/** How long after a step that was dropped the next one is planned at the earliest. */
const RESTS: Millis = 10 * SECOND;
/** How many steps are under way at once: after a reboot everybody needs one. */
const PARALLEL = 4;
/** The newest steps that still count; more than these decide nothing. */
const COUNTED = 20;
/** While the store takes nothing, nothing is done: it is asked again so often. */
const STORE_AGAIN: Millis = SECOND;
const LONGEST_SLEEP: Millis = MINUTE;

export interface RecoverersOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly keep: (kept: readonly Kept[]) => Promise<void>;
  readonly wish: (wish: Wish) => Promise<void>;
  readonly incidents: () => Iterable<Incident>;
  readonly place: (agent: string) => Place | undefined;
  readonly verdict: (place: Place) => Verdict;
  /** Makes a fresh look at an agent's signals; resolves when it is judged. */
  readonly lookAgain: (agent: string) => Promise<void>;
  readonly ladder: (agent: string) => Ladder;
  readonly open: (step: Step) => Recoverer;
}

/** What is known of one agent's recoveries. */
interface Line {
  /** Those that still count: taken since it was last healthy for long. */
  earlier: readonly Recovery[];
  healthySince: Instant | undefined;
  /** A step that was dropped because all had changed is not planned again at once. */
  restsUntil: Instant;
  busy: boolean;
  cancel: () => void;
}

/**
 * Brings agents back: an incident leads to the next step of the agent's ladder, which is planned, looked at again,
 * taken and recorded. Each of these is committed before the next, so that after a crash at any moment it is known
 * whether something may have been done; that then counts, and is not repeated as if nothing had been.
 */
export class Recoverers {
  readonly #options: RecoverersOptions;
  readonly #lines = new Map<string, Line>();
  /** The open incidents of agents, by agent. */
  readonly #incidents = new Map<string, Incident>();
  readonly #abort = new AbortController();
  readonly #under = new Set<Promise<void>>();
  #waiting: string[] = [];
  #started = false;

  constructor(options: RecoverersOptions, kept: readonly Kept[]) {
    this.#options = options;
    this.#take(kept);
  }

  /** Says what became of the steps that a killed watcher left behind, and begins. */
  async start(): Promise<void> {
    const left = [...this.#lines.values()]
      .flatMap(({ earlier }) => earlier)
      .flatMap((each) => this.#leftBehind(each));
    for (const [agent, line] of this.#lines) line.healthySince = this.#wellSince(agent);
    await this.#keep(left);
    for (const incident of this.#options.incidents()) this.#noteIncident(incident);
    this.#started = true;
    this.reconsider();
  }

  /** Steps that are under way are ended, and that is recorded. */
  async stop(): Promise<void> {
    this.#started = false;
    this.#abort.abort();
    for (const line of this.#lines.values()) line.cancel();
    await Promise.all(this.#under);
  }

  /** Takes up what has been committed. */
  note({ kept = [], flips = [] }: Changes): void {
    const touched = this.#take(kept);
    for (const flip of flips) {
      const line = this.#lines.get(flip.agent);
      if (line !== undefined) line.healthySince = healthAfter(line.healthySince, flip);
      touched.add(flip.agent);
    }
    if (this.#started) for (const agent of touched) this.#consider(agent);
  }

  /** Another config is in force: whoever is in trouble may have another ladder. */
  reconsider(): void {
    for (const agent of new Set([...this.#incidents.keys(), ...this.#lines.keys()])) this.#consider(agent);
  }

  #noteIncident(incident: Incident): void {
    if (incident.kind !== "agent") return;
    if (isOpen(incident)) this.#incidents.set(incident.subject, incident);
    else this.#incidents.delete(incident.subject);
  }

  #take(kept: readonly Kept[]): Set<string> {
    const touched = new Set<string>();
    for (const { kind, body, open } of kept) {
      if (kind === "incident") {
        this.#noteIncident(body);
        touched.add(body.subject);
      }
      if (kind !== "recovery") continue;
      const line = this.#line(body.agent);
      const others = line.earlier.filter(({ id }) => id !== body.id);
      line.earlier = open ? [...others, body] : others;
      touched.add(body.agent);
    }
    return touched;
  }

  #line(agent: string): Line {
    let line = this.#lines.get(agent);
    if (line === undefined) {
      line = { earlier: [], healthySince: undefined, restsUntil: 0, busy: false, cancel: () => {} };
      this.#lines.set(agent, line);
    }
    return line;
  }

  #leftBehind(recovery: Recovery): Recovery[] {
    const endedAt = this.#options.clock.wall();
    if (recovery.state === "planned")
      return [
        { ...recovery, state: "dropped", why: "moved-on: the watcher ended before it was taken", endedAt },
      ];
    if (recovery.state !== "acting") return [];
    const why = "the watcher ended while it was under way; it may have been done";
    return [{ ...recovery, state: "failed", why, endedAt: recovery.startedAt ?? endedAt }];
  }

  #wellSince(agent: string): Instant | undefined {
    const standing = this.#options.place(agent)?.entry.standing;
    return standing !== undefined && isWell(standing.verdict.state) ? standing.since : undefined;
  }

  /** Does what is due for an agent, or sets the clock for when something may be. */
  #consider(agent: string): void {
    if (!this.#started || (!this.#lines.has(agent) && this.#options.ladder(agent).length === 0)) return;
    const incident = this.#incidents.get(agent);
    const line = this.#line(agent);
    if (line.busy) return;
    line.cancel();
    const now = this.#options.clock.wall();
    const next = incident && this.#rested(line, now, this.#next(incident, line.earlier));
    const isOff = this.#options.place(agent) === undefined && line.earlier.length > 0;
    const forgets = isOff ? 0 : this.#forgetsAt(line);
    if (next !== undefined && (next.take !== undefined || next.untold === true)) this.#queue(agent);
    else if (forgets <= now) this.#work(agent, line, () => this.#forget(line, isOff));
    else if (line.earlier.length === 0 && next?.at === undefined) this.#lines.delete(agent);
    else {
      const at = Math.min(next?.at ?? Number.POSITIVE_INFINITY, forgets);
      if (!Number.isFinite(at)) return;
      const sleep = Math.min(LONGEST_SLEEP, Math.max(1, at - now));
      line.cancel = this.#options.clock.after(sleep, () => this.#consider(agent));
    }
  }

  #situation(incident: Incident, earlier: readonly Recovery[]): Situation | undefined {
    const place = this.#options.place(incident.subject);
    if (place === undefined) return undefined;
    return {
      incident,
      verdict: this.#options.verdict(place),
      observations: place.entry.observations,
      ...(place.agent.rule === undefined ? {} : { rule: place.agent.rule }),
      ladder: this.#options.ladder(incident.subject),
      earlier,
      now: this.#options.clock.wall(),
    };
  }

  #next(incident: Incident, earlier: readonly Recovery[]): Next | undefined {
    const situation = this.#situation(incident, earlier);
    return situation && nextStep(situation);
  }

  #rested({ restsUntil: at }: Line, now: Instant, next: Next | undefined): Next | undefined {
    const rests = next?.take !== undefined && now < at && at - now <= RESTS;
    return rests ? { take: undefined, why: "backing-off", at } : next;
  }

  #queue(agent: string): void {
    if (!this.#waiting.includes(agent)) this.#waiting.push(agent);
    this.#pump();
  }

  #pump(): void {
    while (this.#started && this.#under.size < PARALLEL) {
      const agent = this.#waiting.shift();
      if (agent === undefined) return;
      const line = this.#line(agent);
      if (!line.busy) this.#work(agent, line, () => this.#step(agent, line));
    }
  }

  #work(agent: string, line: Line, work: () => Promise<void>): void {
    line.busy = true;
    line.cancel();
    const ended = work()
      .catch((error: unknown) => this.#complain(agent, error))
      .finally(() => {
        line.busy = false;
        this.#under.delete(ended);
        this.#pump();
        this.#consider(agent);
      });
    this.#under.add(ended);
  }

  /** One that throws is put off, so that it can stall neither itself for ever nor others. */
  async #complain(agent: string, error: unknown): Promise<void> {
    const problem = error instanceof Error ? error.message : String(error);
    this.#options.log.error({ agent, problem }, "a recovery went wrong");
    await this.#pause(STORE_AGAIN);
  }

  async #step(agent: string, line: Line): Promise<void> {
    // It may have waited for its turn.
    const incident = this.#incidents.get(agent);
    const next = incident && this.#next(incident, line.earlier);
    if (incident === undefined || next === undefined) return;
    if (next.take === undefined) {
      if (next.untold === true) await this.#tellSpent(incident, next.index ?? 0, line);
      return;
    }
    const planned = this.#plan(incident, next);
    if (!(await this.#keep([planned]))) return;
    const looked = next.take.do === "escalate" || (await this.#lookTwice(agent));
    if (this.#abort.signal.aborted) return;
    const moved = looked ? this.#moved(planned, line) : "unclear";
    if (typeof moved === "string") line.restsUntil = this.#options.clock.wall() + RESTS;
    if (typeof moved === "string")
      await this.#end(planned, { outcome: "dropped", why: `${moved}: ${REFUSALS[moved]}` });
    else if (moved.step.do === "escalate") await this.#escalate(moved.incident, moved.step, planned, line);
    else await this.#act(moved.incident, moved.step, { ...planned, aim: moved.aim });
  }

  #plan(incident: Incident, { index, take, aim }: Extract<Next, { take: Step }>): Recovery {
    const plannedAt = this.#options.clock.wall();
    const id = `${incident.id}-r${Math.trunc(plannedAt).toString(36)}`;
    const about = { id, incident: incident.id, agent: incident.subject };
    return { ...about, do: take.do, step: index, aim, state: "planned", why: incident.why, plannedAt };
  }

  /** The step as it is to be taken after all, or why it is not. */
  #moved(planned: Recovery, line: Line): Refusal | { step: Step; incident: Incident; aim: Recovery["aim"] } {
    const incident = this.#incidents.get(planned.agent);
    if (incident === undefined) return "recovered";
    const earlier = line.earlier.filter(({ id }) => id !== planned.id);
    const next = incident.id === planned.incident ? this.#next(incident, earlier) : undefined;
    if (next === undefined) return "moved-on";
    if (next.take === undefined) return next.untold === true ? "moved-on" : next.why;
    if (!sameLife(next.aim, planned.aim)) return "new-incarnation";
    if (next.index !== planned.step || next.take.do !== planned.do) return "moved-on";
    return { step: next.take, incident, aim: next.aim };
  }

  /** Whether it could be looked at. */
  async #lookTwice(agent: string): Promise<boolean> {
    try {
      await this.#options.lookAgain(agent);
      await this.#pause(LOOKS_APART);
      if (!this.#abort.signal.aborted) await this.#options.lookAgain(agent);
      return true;
    } catch {
      return false;
    }
  }

  async #act(incident: Incident, step: Step, planned: Recovery): Promise<void> {
    const { clock, log, place } = this.#options;
    const acting: Recovery = { ...planned, state: "acting", startedAt: clock.wall() };
    const found = place(planned.agent);
    if (found === undefined || !(await this.#keep([acting]))) return;
    const { agent, entry } = found;
    // An incident that opens again keeps its id: its episode is part of the key.
    const episode = Math.trunc(incident.episodes.at(-1) ?? incident.openedAt).toString(36);
    const key = `${incident.id}:${episode}:${acting.step}:${acting.do}`;
    const target = { key, incident: incident.id, agent, aim: acting.aim, why: incident.why };
    const acted = await this.#attempt(step, { ...target, memories: entry.memories ?? {} });
    const facts = { agent: agent.id, incident: incident.id, do: step.do, ...acted };
    if (acted.outcome === "done") log.info(facts, "recovery");
    else log.warn(facts, "recovery");
    await this.#end(acting, acted);
  }

  async #attempt(step: Step, target: Parameters<Recoverer["act"]>[0]): Promise<Acted> {
    const own = new AbortController();
    const end = () => own.abort();
    this.#abort.signal.addEventListener("abort", end, { once: true });
    const cancel = this.#options.clock.after(STEP, end);
    try {
      return await this.#options.open(step).act(target, own.signal);
    } catch (error) {
      return { outcome: "failed", problem: error instanceof Error ? error.message : String(error) };
    } finally {
      cancel();
      this.#abort.signal.removeEventListener("abort", end);
    }
  }

  /** Records how a step ended. Something may have been done: that must be kept, however long the store takes. */
  async #end(recovery: Recovery, acted: Acted): Promise<void> {
    const why =
      acted.outcome === "done" ? acted.note : acted.outcome === "failed" ? acted.problem : acted.why;
    const ended: Recovery = { ...recovery, state: acted.outcome, why, endedAt: this.#options.clock.wall() };
    while (!(await this.#keep([ended]))) if (this.#abort.signal.aborted) return;
  }

  /** The budget is spent: it is on record, and whoever hears of the incident hears of that, once. */
  async #tellSpent(incident: Incident, index: number, line: Line): Promise<void> {
    const situation = this.#situation(incident, line.earlier);
    const step = situation?.ladder[index];
    if (situation === undefined || step === undefined) return;
    const done = sayDone(line.earlier, situation.now);
    const planned = this.#plan(incident, {
      take: step,
      index,
      aim: { state: incident.state, reason: situation.verdict.reason },
    });
    const mark: Recovery = {
      ...planned,
      state: "dropped",
      why: `budget-spent: ${done}, left as it is`,
      endedAt: situation.now,
    };
    const then = nextStep({ ...situation, earlier: [...line.earlier, mark] });
    const escalates = then.index !== undefined && situation.ladder[then.index]?.do === "escalate";
    // What is escalated says the same, and says it once.
    if (escalates) await this.#keep([mark]);
    else await this.#tell(changed(incident, withDone(incident.why, done, "left down")), [keptRecovery(mark)]);
  }

  async #escalate(incident: Incident, step: Step, planned: Recovery, line: Line): Promise<void> {
    const now = this.#options.clock.wall();
    const to = step.do === "escalate" ? step.to : [];
    const others = line.earlier.filter(({ id }) => id !== planned.id);
    const why = withDone(incident.why, sayDone(others, now), "escalated");
    const note = to.length === 0 ? "told as a change" : `told ${to.join(", ")}`;
    const done: Recovery = { ...planned, state: "done", why: note, startedAt: now, endedAt: now };
    const { deliveries, told } = escalation({ ...incident, why }, to, planned.id, now);
    const wish = to.length === 0 ? changed(incident, why) : noted(incident, why, told);
    await this.#tell(wish, [keptRecovery(done), ...deliveries]);
  }

  /** Both wait in the same line, and so are committed together: it is told if and only if it is on record. */
  async #tell(wish: Wish, kept: readonly Kept[]): Promise<void> {
    // An incident that has gone meanwhile has nothing more to say.
    const wished = this.#options.wish(wish).catch(() => {});
    await Promise.all([wished, this.#keepAll(kept)]);
  }

  #forgetsAt({ earlier, healthySince }: Line): Instant {
    if (earlier.length > COUNTED) return 0;
    return earlier.length === 0 || healthySince === undefined
      ? Number.POSITIVE_INFINITY
      : healthySince + HEALTHY;
  }

  /** Closes what no longer counts: all of it, or the oldest of very many. */
  async #forget(line: Line, isOff: boolean): Promise<void> {
    const over = isOff || this.#forgetsAt(line) > 0 ? line.earlier : line.earlier.slice(0, -COUNTED);
    await this.#keepAll(over.map((each) => keptRecovery(each, false)));
  }

  #keep(recoveries: readonly Recovery[]): Promise<boolean> {
    return this.#keepAll(recoveries.map((each) => keptRecovery(each)));
  }

  /** Whether it is on disk. If not, some time has passed. */
  async #keepAll(kept: readonly Kept[]): Promise<boolean> {
    try {
      await this.#options.keep(kept);
      return true;
    } catch {
      await this.#pause(STORE_AGAIN);
      return false;
    }
  }

  #pause(length: Millis): Promise<void> {
    return new Promise((done) => {
      if (this.#abort.signal.aborted) return done();
      const end = () => {
        cancel();
        this.#abort.signal.removeEventListener("abort", end);
        done();
      };
      const cancel = this.#options.clock.after(length, end);
      this.#abort.signal.addEventListener("abort", end);
    });
  }
}

function healthAfter(since: Instant | undefined, { to, noticedAt }: Flip): Instant | undefined {
  if (severityOf(to) !== undefined) return undefined;
  return isWell(to) ? (since ?? noticedAt) : since;
}

/** The incident says something new, and that is told. */
function changed({ id }: Incident, why: string): Wish {
  return {
    wish: "change",
    id,
    change: (now) => (isOpen(now) ? { ...now, why, change: now.change + 1 } : now),
  };
}

/** The incident says something new to whom it was told just now; they will hear of its end, too. */
function noted({ id }: Incident, why: string, told: Incident["told"]): Wish {
  return {
    wish: "change",
    id,
    change: (now) => (isOpen(now) ? { ...now, why, told: { ...now.told, ...told } } : now),
  };
}

/** It is open as long as it counts. What was dropped because all had changed anyway never does. */
function keptRecovery(recovery: Recovery, counts = true): Kept<"recovery"> {
  const movedOn = recovery.state === "dropped" && recovery.startedAt === undefined;
  const open = counts && (!movedOn || recovery.why.startsWith("budget-spent"));
  return {
    kind: "recovery",
    id: recovery.id,
    at: recovery.plannedAt,
    about: recovery.agent,
    open,
    body: recovery,
  };
}
