import type { Instant } from "../../core/duration.ts";
import type { RunsMark } from "../../core/liveness/observation.ts";
import type { PingRun } from "../../core/ping/ping.ts";
import type { StoredRecord } from "../../ports/repositories.ts";

/** So many runs of one agent at once; the oldest beyond that is given up. */
const MOST = 64;

/** A change of the runs: what must be stored of it, and how to take it back if that fails. */
export interface RunChange {
  readonly run?: PingRun;
  readonly records: readonly StoredRecord[];
  readonly undo: () => void;
}

/** The runs that are under way, by agent. Those of one agent are told apart by their run id, or by having none. */
export class PingRuns {
  readonly #open = new Map<string, PingRun[]>();
  readonly #newest = new Map<string, number>();

  constructor(open: readonly PingRun[]) {
    for (const run of open) this.#put(run.agent, [...this.of(run.agent), run]);
  }

  of(agent: string): readonly PingRun[] {
    return this.#open.get(agent) ?? [];
  }

  /** Begins a run. One that goes by the same id, or by none like this one, can no longer end: it is given up. */
  begin(agent: string, rid: string | undefined, lastCycle: number, now: Instant): RunChange {
    const before = this.of(agent);
    const given = before.filter((run) => run.rid === rid);
    const others = before.filter((run) => run.rid !== rid);
    if (others.length >= MOST) given.push(...others.splice(0, others.length - MOST + 1));
    const cycle = Math.max(lastCycle, this.#newest.get(agent) ?? 0, ...before.map((run) => run.cycle)) + 1;
    this.#newest.set(agent, cycle);
    const run: PingRun = { agent, cycle, beganAt: now, ...(rid === undefined ? {} : { rid }) };
    const lost = given.map((each): PingRun => ({ ...each, endedAt: now, outcome: "lost" }));
    return this.#change(agent, before, [...others, run], run, [run, ...lost]);
  }

  /** Ends the run of this id; without one nothing changes. */
  end(agent: string, rid: string | undefined, outcome: "ok" | "error", now: Instant): RunChange {
    const before = this.of(agent);
    const found = before.find((run) => run.rid === rid);
    if (found === undefined) return { records: [], undo: () => {} };
    const run: PingRun = { ...found, endedAt: now, outcome };
    return this.#change(
      agent,
      before,
      before.filter((each) => each !== found),
      run,
      [run],
    );
  }

  /** Its agent is gone, and so are they. */
  drop(agent: string, now: Instant): readonly StoredRecord[] {
    const runs = this.of(agent);
    this.#open.delete(agent);
    return runs.map((run) => recordOf({ ...run, endedAt: now, outcome: "lost" }));
  }

  /** What the judge must know: since when the oldest run of an agent is under way. */
  mark(agent: string, at: Instant): RunsMark {
    const open = this.of(agent);
    const since = open.length === 0 ? {} : { openSince: Math.min(...open.map((run) => run.beganAt)) };
    return { kind: "runs", signal: "beat", at, ...since };
  }

  #change(
    agent: string,
    before: readonly PingRun[],
    after: readonly PingRun[],
    run: PingRun,
    changed: readonly PingRun[],
  ): RunChange {
    this.#put(agent, after);
    const undo = () => {
      // Others may have begun and ended meanwhile: only what this change did is taken back.
      const added = after.filter((each) => !before.includes(each));
      const taken = before.filter((each) => !after.includes(each));
      this.#put(agent, [...taken, ...this.of(agent).filter((each) => !added.includes(each))]);
    };
    return { run, records: changed.map(recordOf), undo };
  }

  #put(agent: string, runs: readonly PingRun[]): void {
    if (runs.length === 0) this.#open.delete(agent);
    else this.#open.set(agent, [...runs]);
  }
}

function recordOf(run: PingRun): StoredRecord<"ping-run"> {
  return {
    kind: "ping-run",
    id: `${run.agent}/${run.cycle}`,
    at: run.beganAt,
    about: run.agent,
    current: run.endedAt === undefined,
    body: run,
  };
}
