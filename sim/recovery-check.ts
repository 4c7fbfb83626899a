import { MINUTE, type Millis, SECOND } from "../src/core/duration.ts";
import { DEFAULT_BUDGET } from "../src/core/recovery/ladder.ts";
import { isSpentMark } from "../src/core/recovery/next.ts";
import { hasFailed, type Recovery } from "../src/core/recovery/recovery.ts";
import type { Changes } from "../src/ports/store.ts";
import type { Conditions } from "./conditions.ts";
import type { Ledger } from "./ledger.ts";
import type { Mood } from "./panes.ts";
import type { Report } from "./violation.ts";

const UNTOUCHABLE: ReadonlySet<string> = new Set(["waiting", "login", "limited"]);
/** So old may the look be on which a step is taken, and a moment. */
const SEEN: Millis = 11 * SECOND;
/** A step takes a minute at most, two looks, and what the store takes. */
const UNDER_WAY: Millis = 5 * MINUTE;
/** Whoever is down has a step within the hold, a look in a round, and what the store takes. */
const HELPED: Millis = 10 * MINUTE;

/** Invariants 15, 16 and 19: whom nobody may touch is not touched, no budget is overdrawn, every step has an end, and a beginning. */
export class RecoveryCheck {
  readonly #ledger: Ledger;
  readonly #conditions: Conditions;
  readonly #report: Report;
  readonly #records = new Map<string, Recovery>();
  /** How each agent was when a recoverer last looked at it. */
  readonly #looked = new Map<string, { readonly mood: Mood | undefined; readonly at: Millis }>();
  /** When steps on each agent began, by the watcher's clock. */
  readonly #begun = new Map<string, number[]>();
  /** Since when each agent with a ladder has been down. */
  readonly #down = new Map<string, Millis>();
  /** The incidents in which a step was planned, and the agents whose budget is spent. */
  readonly #helped = new Set<string>();
  readonly #spent = new Set<string>();

  constructor(ledger: Ledger, conditions: Conditions, report: Report) {
    this.#ledger = ledger;
    this.#conditions = conditions;
    this.#report = report;
  }

  looked(agent: string, mood: Mood | undefined, now: Millis): void {
    this.#looked.set(agent, { mood, at: now });
  }

  /** The same wall time may come twice, and a budget's time may be over at once. */
  clockSet(): void {
    this.#begun.clear();
  }

  /** Something is done to an agent. */
  acted(agent: string, now: Millis): void {
    const { mood = "never there", at = 0 } = this.#looked.get(agent) ?? {};
    if (UNTOUCHABLE.has(mood) || mood === "never there")
      this.#report(15, `${agent} was restarted although it was ${mood} when it was looked at`);
    // Nothing that is seen of it is wrong: only what somebody without a token says of it.
    if (mood === "working")
      this.#report(15, `${agent} was restarted although it worked when it was looked at`);
    if (now - at > SEEN)
      this.#report(
        15,
        `${agent} was restarted, and was looked at ${Math.round((now - at) / SECOND)} s before`,
      );
    const acting = [...this.#records.values()].some(
      (each) => each.agent === agent && each.state === "acting" && each.do === "restart",
    );
    if (!acting) this.#report(16, `${agent} was restarted, and that is not on record`);
  }

  /** Before a commit is folded in. */
  before({ agents = [], recoveries = [], flips = [] }: Changes, now: Millis): void {
    for (const { agent, to } of flips) {
      const known = this.#ledger.members.get(agent)?.agent ?? agents.find(({ id }) => id === agent);
      // Those without a rule are in panes, and have a ladder.
      const hasLadder = known !== undefined && known.rule === undefined;
      if (hasLadder && (to === "dead" || to === "stalled")) this.#down.set(agent, now);
      else this.#down.delete(agent);
    }
    for (const { recovery: body, counts } of recoveries) {
      this.#helped.add(body.incident);
      if (isSpentMark(body) && counts) this.#spent.add(body.agent);
      else if (isSpentMark(body)) this.#spent.delete(body.agent);
      const was = this.#records.get(body.id);
      this.#records.set(body.id, body);
      if (body.state === "acting" && was?.state !== "acting") this.#begins(body);
      // It was on record, but not taken, or the try failed: it is no part of the budget.
      const dropped = body.state === "dropped" && body.startedAt === undefined;
      if ((dropped || hasFailed(body)) && was?.state === "acting") {
        const others = this.#begun.get(body.agent)?.filter((at) => at !== was.startedAt);
        this.#begun.set(body.agent, others ?? []);
      }
      if (was !== undefined && isOver(was) && was.state !== body.state)
        this.#report(16, `the step ${body.id} was ${was.state} and is ${body.state}`);
    }
  }

  #begins({ id, agent, startedAt = 0 }: Recovery): void {
    // What is committed together with it was not known when it was decided.
    const state = this.#ledger.members.get(agent)?.state ?? "unknown";
    if (UNTOUCHABLE.has(state)) this.#report(15, `the step ${id} begins although ${agent} is ${state}`);
    const { times, within } = DEFAULT_BUDGET;
    const lately = (this.#begun.get(agent) ?? []).filter((at) => startedAt - at < within);
    lately.push(startedAt);
    this.#begun.set(agent, lately);
    if (lately.length > times)
      this.#report(16, `${agent} was restarted ${lately.length} times within ${within / MINUTE} minutes`);
  }

  /** A minute is over. */
  minute(now: Millis): void {
    const calm = this.#conditions.calmSince;
    for (const [agent, since] of this.#down) {
      if (now - Math.max(calm, since) <= HELPED || this.#spent.has(agent)) continue;
      const incident = this.#ledger.openOf(agent);
      if (incident === undefined || this.#helped.has(incident.id)) continue;
      this.#helped.add(incident.id);
      this.#report(
        19,
        `nobody has tried to bring ${agent} back, which is ${incident.state} (${incident.id})`,
      );
    }
  }

  /** At the end, after a calm while: every step that was planned has an end. */
  end(now: Millis, wall: number): void {
    if (this.#conditions.calmSince > now - 15 * MINUTE) return;
    for (const each of this.#records.values()) {
      if (!isOver(each) && Math.abs(wall - each.plannedAt) > UNDER_WAY)
        this.#report(16, `the step ${each.id} on ${each.agent} is still ${each.state}`);
    }
  }
}

function isOver({ state }: Recovery): boolean {
  return state === "done" || state === "failed" || state === "dropped";
}
