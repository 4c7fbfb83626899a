import type { Agent } from "../src/core/agent.ts";
import type { Beat } from "../src/core/beat.ts";
import { HOUR, type Instant, MINUTE, type Millis, SECOND } from "../src/core/duration.ts";
import type { Chance } from "./chance.ts";
import type { Time } from "./time.ts";

/** How agents reach the watcher: the answer of `accept` ends well, badly, or never. */
export interface Intake {
  accept(beats: readonly Beat[], done: () => void, failed: () => void): void;
}

/** What happens to a beat that could not be delivered: it is gone, or waits and is sent again. */
type Habit = "forgets" | "spools";

interface SimAgent {
  readonly declared: Agent;
  readonly habit: Habit;
  readonly period: Millis;
  /** It beats when all of its group do. */
  readonly isInStep: boolean;
  alive: boolean;
  /** Its network is cut: nothing of it arrives. */
  cut: boolean;
  erring: boolean;
  spool: Beat[];
}

/** A rule with a pace. */
export interface Pace {
  readonly every: Millis;
  readonly grace: Millis;
}

export const RULES: readonly Pace[] = [
  { every: 10 * MINUTE, grace: 5 * MINUTE },
  { every: 15 * MINUTE, grace: 5 * MINUTE },
  { every: 20 * MINUTE, grace: 10 * MINUTE },
  { every: 30 * MINUTE, grace: 10 * MINUTE },
];
const DEFAULT_RULE: Pace = { every: 15 * MINUTE, grace: 5 * MINUTE };
/** The group that an agent really belongs to, whatever the watcher was told. */
export function groupNameOf(id: string): string {
  return id.slice(0, id.indexOf("-"));
}

const ANSWER: Millis = 10 * SECOND;
/** Those who are woken at once beat within so long of one another. */
const TOGETHER: Millis = 20 * SECOND;

/** The agents: they beat, err, flap, die, come back, and lose their network. */
export class Fleet {
  readonly agents: readonly SimAgent[];
  readonly defaultRule: Pace;
  /** When each beat first reached the watcher. */
  readonly arrivedAt = new Map<string, Millis>();
  readonly #time: Time;
  readonly #chance: Chance;
  readonly #intake: Intake;
  readonly #waiting = new Map<object, { since: Millis; fail: () => void }>();
  readonly #stretch: number;
  #count = 0;

  constructor(
    time: Time,
    chance: Chance,
    intake: Intake,
    { addedAt, stretch }: { readonly addedAt: Instant; readonly stretch: number },
  ) {
    this.#stretch = stretch;
    const stretched = ({ every, grace }: Pace) => ({
      every: stretch * every,
      grace: stretch * grace,
    });
    this.defaultRule = stretched(DEFAULT_RULE);
    this.#time = time;
    this.#chance = chance;
    this.#intake = intake;
    // Groups that can fall silent as one, and some that register themselves with their first beat.
    const groups = [...Array(5).fill("web"), ...Array(3).fill("batch"), undefined, undefined];
    // Some groups are woken by one clock: all of them beat at once, and fall silent at once.
    const inStep = new Map(["web", "batch"].map((group) => [group, chance.hit(0.5)]));
    const shared = new Map(["web", "batch"].map((group) => [group, stretched(chance.one(RULES))]));
    this.agents = groups.map((group: string | undefined, number): SimAgent => {
      const isInStep = group !== undefined && inStep.get(group) === true;
      const own = group === undefined ? this.defaultRule : stretched(chance.one(RULES));
      const rule = (isInStep ? shared.get(group) : undefined) ?? own;
      const declared: Agent = {
        id: `${group ?? "free"}-${number}`,
        rule,
        origin: group === undefined ? "beat" : "config",
        addedAt,
        ...(group === undefined ? {} : { group }),
      };
      const period = Math.round(rule.every * (isInStep ? 0.8 : 0.6 + 0.35 * chance.next()));
      const habit = chance.hit(0.5) ? "spools" : "forgets";
      return { declared, habit, period, isInStep, alive: true, cut: false, erring: false, spool: [] };
    });
    for (const agent of this.agents) this.#live(agent);
  }

  group(name: string): readonly SimAgent[] {
    return this.agents.filter(({ declared }) => declared.group === name);
  }

  /** The watcher's process is gone: whoever waited for an answer knows that there will be none. */
  hungUp(): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { fail } of all) fail();
  }

  /** A minute is over: nobody waits longer than this for an answer. */
  minute(): void {
    for (const [key, { since, fail }] of this.#waiting) {
      if (this.#time.now - since < ANSWER) continue;
      this.#waiting.delete(key);
      fail();
    }
  }

  /** What lies in spools on the watcher's own host, as it is taken up before the watch begins. */
  takeSpools(): readonly Beat[] {
    return this.agents.flatMap((agent) => (agent.cut ? [] : agent.spool.splice(0)));
  }

  #live(agent: SimAgent): void {
    const { declared, period, isInStep } = agent;
    const fate = this.#chance.next();
    // Some are never heard at all, or only after a while.
    if (fate < 0.03) return;
    const first =
      fate < 0.06 ? this.#stretch * this.#chance.between(0, HOUR) : this.#chance.between(0, period);
    const wait = () => {
      const { now } = this.#time;
      if (!isInStep) return Math.round(period * (0.9 + 0.15 * this.#chance.next()));
      return (Math.floor(now / period) + 1) * period - now + this.#chance.between(0, TOGETHER);
    };
    const beat = () => {
      if (agent.alive) this.#beat(agent);
      this.#time.quietly(wait(), beat);
    };
    this.#time.quietly(first, beat);
    if (fate > 0.75) this.#troubles(agent, this.#stretch * (fate > 0.9 ? 25 : 150) * MINUTE);
    if (declared.group === undefined && fate < 0.2) this.#errs(agent);
  }

  /** It dies now and then, and comes back, or not. */
  #troubles(agent: SimAgent, mean: Millis): void {
    const again = () => {
      this.#time.after(this.#chance.between(mean / 3, 2 * mean), () => {
        agent.alive = false;
        if (this.#chance.hit(0.2)) return;
        this.#time.after(this.#chance.between(MINUTE, 1.5 * mean), () => {
          agent.alive = true;
          if (this.#chance.hit(0.5)) this.#beat(agent);
          again();
        });
      });
    };
    again();
  }

  #errs(agent: SimAgent): void {
    this.#time.after(this.#stretch * this.#chance.between(10 * MINUTE, 90 * MINUTE), () => {
      agent.erring = !agent.erring;
      this.#errs(agent);
    });
  }

  #beat(agent: SimAgent): void {
    const at = this.#time.wall();
    const beat: Beat = {
      id: `b${this.#count++}`,
      agent: agent.declared.id,
      source: "agent",
      status: agent.erring ? "error" : "ok",
      sentAt: at,
      receivedAt: at,
    };
    const chance = this.#chance.next();
    if (chance < 0.03)
      this.#time.after(this.#chance.between(MINUTE, 4 * MINUTE), () => this.#arrive(agent, [beat]));
    else this.#time.after(this.#chance.between(2, 100), () => this.#arrive(agent, [beat]));
    // The network repeats it.
    if (chance > 0.97)
      this.#time.after(this.#chance.between(1, 3 * MINUTE), () => this.#arrive(agent, [beat]));
  }

  #arrive(agent: SimAgent, beats: readonly Beat[]): void {
    const keep = () => {
      if (agent.habit === "spools") agent.spool.push(...beats.map((beat) => ({ ...beat, spooled: true })));
    };
    if (agent.cut) return keep();
    const key = {};
    const over = () => this.#waiting.delete(key);
    this.#waiting.set(key, { since: this.#time.now, fail: keep });
    for (const { id } of beats) if (!this.arrivedAt.has(id)) this.arrivedAt.set(id, this.#time.now);
    this.#intake.accept(
      beats,
      () => {
        if (over()) this.#flush(agent);
      },
      () => {
        if (over()) keep();
      },
    );
  }

  /** It has an answer: what waited is sent after, in any order, and some of it twice. */
  #flush(agent: SimAgent): void {
    if (agent.spool.length === 0) return;
    const all = agent.spool.splice(0);
    const again = this.#chance.hit(0.2) ? all.slice(0, 1) : [];
    const batch = this.#chance.hit(0.3) ? this.#chance.shuffled([...all, ...again]) : [...all, ...again];
    this.#time.after(this.#chance.between(2, 5 * SECOND), () => this.#arrive(agent, batch));
  }
}
