import { MINUTE, type Millis, SECOND } from "../core/duration.ts";
import type { Incident } from "../core/incident/incident.ts";
import type { Policy } from "../core/incident/policy.ts";
import type { Verdict } from "../core/liveness/verdict.ts";
import type { Ladder, Step } from "../core/recovery/ladder.ts";
import {
  isMark,
  type Next,
  nextStep,
  REFUSALS,
  type Situation,
  type StepRefusal,
} from "../core/recovery/next.ts";
import { overAt, type Recovery, sameLife } from "../core/recovery/recovery.ts";
import { sayDone, withDone } from "../core/recovery/words.ts";
import { type Clock, pause } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Acted, Recoverer } from "../ports/recovery.ts";
import type { Persistable, RecoveryChange } from "../ports/store.ts";
import { escalation } from "./escalation.ts";
import type { IncidentCommand } from "./incident-desk.ts";
import { type RollPlace, withoutUnproven } from "./roll-place.ts";
import { Turns } from "./turns.ts";

/** A step that takes longer than this is given up. */
const STEP: Millis = MINUTE;
/** Before a step the agent is looked at twice: what needs a person is believed when two looks agree. */
const LOOKS_APART: Millis = SECOND;
/** So old may the last look be when a step is taken; what the store takes to record it counts. */
const SEEN: Millis = 10 * SECOND;
/** While the store takes nothing, nothing is done: it is asked again after so long, at first and at most. */
const STORE_AGAIN: Millis = SECOND;
const STORE_RARELY: Millis = 30 * SECOND;

export interface StepOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly persist: (parts: Persistable) => Promise<void>;
  readonly command: (command: IncidentCommand) => Promise<void>;
  readonly place: (agent: string) => RollPlace | undefined;
  readonly verdict: (place: RollPlace) => Verdict;
  /** Makes a fresh look at an agent's signals; resolves when it is judged. */
  readonly lookAgain: (agent: string) => Promise<void>;
  readonly ladder: (agent: string) => Ladder;
  /** The policy in force, by which people are told. */
  readonly telling: () => Policy;
  readonly open: (step: Step) => Recoverer;
}

/** What is known when a step is taken; it may change while it is. */
interface Known {
  readonly incident: () => Incident | undefined;
  /** The steps that still count. */
  readonly earlier: () => readonly Recovery[];
}

/** Takes one step: planned, looked at again, taken, recorded. Each is committed before the next. */
export class StepTaker {
  readonly #options: StepOptions;
  readonly #abort: AbortSignal;
  readonly #turns = new Turns();
  #storeAgain = STORE_AGAIN;

  constructor(options: StepOptions, abort: AbortSignal) {
    this.#options = options;
    this.#abort = abort;
  }

  #situation(incident: Incident, earlier: readonly Recovery[]): Situation | undefined {
    const place = this.#options.place(incident.subject);
    if (place === undefined) return undefined;
    const proven = withoutUnproven(place);
    const now = this.#options.clock.wall();
    const ladder = this.#options.ladder(incident.subject);
    return {
      incident,
      verdict: this.#options.verdict(place),
      observations: place.entry.observations,
      ...(proven === undefined ? {} : { proven: this.#options.verdict(proven) }),
      ...(place.agent.rule === undefined ? {} : { rule: place.agent.rule }),
      ladder,
      earlier,
      // Only agents that are resumed wait for each other.
      ...(ladder.some((step) => step.do === "restart" && step.with.by === "resume")
        ? { turn: this.#turns.of(`${incident.id} ${incident.episodes.at(-1)}`, now) }
        : {}),
      now,
    };
  }

  next(incident: Incident, earlier: readonly Recovery[]): Next | undefined {
    const situation = this.#situation(incident, earlier);
    return situation && nextStep(situation);
  }

  /** Takes the step that is next now. Says if it was dropped because all had changed. */
  async take(known: Known): Promise<"dropped" | undefined> {
    const incident = known.incident();
    const next = incident && this.next(incident, known.earlier());
    if (incident === undefined || next === undefined) return undefined;
    if (next.take === undefined) {
      if (next.untold === true) await this.#tellGivenUp(incident, next.why, next.index ?? 0, known);
      return undefined;
    }
    const planned = this.#plan(incident, next);
    if (!(await this.#persist([planned, ...this.#stale(known)]))) return undefined;
    const { clock } = this.#options;
    const seenAt = next.take.do === "escalate" ? clock.uptime() : await this.#lookTwice(planned.agent);
    if (this.#abort.aborted) return undefined;
    if (seenAt === undefined) return this.#drop(planned, "unclear");
    const moved = this.#moved(planned, known);
    if (typeof moved === "string") return this.#drop(planned, moved);
    const { incident: current, step, aim } = moved;
    if (step.do !== "escalate") return this.#act(current, step, { ...planned, aim }, seenAt);
    await this.#escalate(current, step.to, planned, known);
    return undefined;
  }

  async #drop(planned: Recovery, why: StepRefusal): Promise<"dropped"> {
    await this.#end(planned, { outcome: "dropped", why: `${why}: ${REFUSALS[why]}` });
    return "dropped";
  }

  /** Plans that came to nothing because the store did not take what followed. */
  #stale({ earlier }: Known): Recovery[] {
    const endedAt = this.#options.clock.wall();
    const plans = earlier().filter(({ state }) => state === "planned");
    return plans.map((plan) => ({
      ...plan,
      state: "dropped",
      why: "moved-on: Rollcall could not record it",
      endedAt,
    }));
  }

  #plan(incident: Incident, { index, take, aim }: Extract<Next, { take: Step }>): Recovery {
    const { clock } = this.#options;
    const plannedAt = clock.wall();
    // The same wall time comes twice where a clock is set back, and a step must not take an earlier one's place.
    const [wall, uptime] = [plannedAt, clock.uptime()].map((time) => Math.trunc(time).toString(36));
    const id = `${incident.id}-r${wall}-${uptime}`;
    const about = { id, incident: incident.id, agent: incident.subject };
    return { ...about, do: take.do, step: index, aim, state: "planned", why: incident.why, plannedAt };
  }

  /** The step as it is to be taken after all, or why it is not. */
  #moved(
    planned: Recovery,
    known: Known,
  ): StepRefusal | { step: Step; incident: Incident; aim: Recovery["aim"] } {
    const incident = known.incident();
    if (incident === undefined) return "recovered";
    const earlier = known.earlier().filter(({ id }) => id !== planned.id);
    const next = incident.id === planned.incident ? this.next(incident, earlier) : undefined;
    if (next === undefined) return "moved-on";
    if (next.take === undefined) return next.untold === true ? "moved-on" : next.why;
    if (!sameLife(next.aim, planned.aim)) return "new-incarnation";
    if (next.index !== planned.step || next.take.do !== planned.do) return "moved-on";
    return { step: next.take, incident, aim: next.aim };
  }

  /** When it was last looked at, by the clock that no suspend stops; undefined if it could not be. */
  async #lookTwice(agent: string): Promise<Millis | undefined> {
    const { clock, lookAgain } = this.#options;
    try {
      await lookAgain(agent);
      await this.pause(LOOKS_APART);
      const seenAt = clock.uptime();
      if (!this.#abort.aborted) await lookAgain(agent);
      return seenAt;
    } catch {
      return undefined;
    }
  }

  async #act(
    incident: Incident,
    step: Step,
    planned: Recovery,
    seenAt: Millis,
  ): Promise<"dropped" | undefined> {
    const { clock, log, place } = this.#options;
    const acting: Recovery = { ...planned, state: "acting", startedAt: clock.wall() };
    const found = place(planned.agent);
    if (found === undefined || !(await this.#persist([acting]))) return undefined;
    // A store that hung has kept us, and nobody knows how the agent is by now: nothing was done, and that is put right.
    if (clock.uptime() - seenAt > SEEN) return this.#drop(planned, "unclear");
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
    return undefined;
  }

  async #attempt(step: Step, target: Parameters<Recoverer["act"]>[0]): Promise<Acted> {
    const own = new AbortController();
    const end = () => own.abort();
    this.#abort.addEventListener("abort", end, { once: true });
    const cancel = this.#options.clock.after(STEP, end);
    try {
      return await this.#options.open(step).act(target, own.signal);
    } catch (error) {
      return { outcome: "failed", problem: error instanceof Error ? error.message : String(error) };
    } finally {
      cancel();
      this.#abort.removeEventListener("abort", end);
    }
  }

  /** Records how a step ended. Something may have been done: that must be stored, however long the store takes. */
  async #end(recovery: Recovery, acted: Acted): Promise<void> {
    const why =
      acted.outcome === "done" ? acted.note : acted.outcome === "failed" ? acted.problem : acted.why;
    const ended: Recovery = { ...recovery, state: acted.outcome, why, endedAt: this.#options.clock.wall() };
    while (!(await this.#persist([ended]))) if (this.#abort.aborted) return;
  }

  /** The budget is spent, or every try failed: that goes on record, and people who hear of the incident hear it once. */
  async #tellGivenUp(incident: Incident, why: StepRefusal, index: number, { earlier }: Known): Promise<void> {
    const situation = this.#situation(incident, earlier());
    const step = situation?.ladder[index];
    if (situation === undefined || step === undefined) return;
    const done = sayDone(earlier(), situation.now);
    const planned = this.#plan(incident, {
      take: step,
      index,
      aim: { state: incident.state, reason: situation.verdict.reason },
    });
    const mark: Recovery = {
      ...planned,
      state: "dropped",
      why: `${why}: ${done}, gave up`,
      endedAt: situation.now,
    };
    const then = nextStep({ ...situation, earlier: [...earlier(), mark] });
    const escalates = then.index !== undefined && situation.ladder[then.index]?.do === "escalate";
    // The escalation that follows says so.
    if (escalates) await this.#persist([mark]);
    else
      await this.#tell(
        incident,
        { why: withDone(incident.why, done, "gave up"), isNews: true },
        { recoveries: [recoveryChange(mark)] },
      );
  }

  async #escalate(incident: Incident, to: readonly string[], planned: Recovery, known: Known): Promise<void> {
    const now = this.#options.clock.wall();
    const others = known.earlier().filter(({ id }) => id !== planned.id);
    const gaveUp = others.some(isMark);
    const why = withDone(incident.why, sayDone(others, now), gaveUp ? "gave up" : "escalated");
    const note = to.length === 0 ? "sent as an update" : `sent to ${to.join(", ")}`;
    const done: Recovery = { ...planned, state: "done", why: note, startedAt: now, endedAt: now };
    const began = incident.episodes.at(-1) ?? incident.openedAt;
    // Everyone who heard of the incident hears that Rollcall gave up, not only those to whom it is escalated.
    const isNews = to.length === 0 || others.some((each) => isMark(each) && overAt(each) >= began);
    const change = isNews ? incident.change + 1 : incident.change;
    const about = { to, recovery: planned.id, policy: this.#options.telling() };
    const deliveries = escalation({ ...incident, why, change }, about, now);
    // Who was told just now hears of its end, too.
    await this.#tell(incident, { why, isNews, to }, { recoveries: [recoveryChange(done)], deliveries });
  }

  /** Both wait in the same line, and so are committed together: it is told if and only if it is on record. */
  async #tell(
    { id }: Incident,
    news: Omit<Extract<IncidentCommand, { kind: "restate" }>, "kind" | "id">,
    parts: Persistable,
  ): Promise<void> {
    // An incident that has gone meanwhile has nothing more to say.
    const restated = this.#options.command({ kind: "restate", id, ...news }).catch(() => {});
    await Promise.all([restated, this.persist(parts)]);
  }

  #persist(recoveries: readonly Recovery[]): Promise<boolean> {
    return this.persist({ recoveries: recoveries.map((each) => recoveryChange(each)) });
  }

  /** Whether it is on disk. If not, some time has passed. */
  async persist(parts: Persistable): Promise<boolean> {
    try {
      await this.#options.persist(parts);
      this.#storeAgain = STORE_AGAIN;
      return true;
    } catch {
      await this.pause(this.#storeAgain);
      this.#storeAgain = Math.min(2 * this.#storeAgain, STORE_RARELY);
      return false;
    }
  }

  pause(length: Millis): Promise<void> {
    return pause(length, this.#options.clock, this.#abort);
  }
}

/** A step that was dropped because all had changed anyway never counts. */
export function recoveryChange(recovery: Recovery): RecoveryChange {
  const movedOn = recovery.state === "dropped" && recovery.startedAt === undefined;
  return { recovery, counts: !movedOn || isMark(recovery) };
}
