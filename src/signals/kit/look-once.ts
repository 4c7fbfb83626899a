import type { Observation, Signal } from "../../core/liveness/observation.ts";
import type { Look } from "../../ports/signal.ts";
import { untilAborted } from "../../system/until-aborted.ts";

/** The result of a look: facts, a problem as a sentence, or undefined because the look was cancelled. */
export type Looked = readonly Observation[] | { readonly problem: string } | undefined;

export interface LookOnce {
  look(look: Look): Promise<readonly Observation[]>;
  /** Whether all that was found out was told: no look runs, none was broken off, and there is no problem. */
  isEasy(): boolean;
  /** The problem that was told last, if it lasts: to be remembered. */
  problem(): string | undefined;
  close(): void;
}

export const NOTHING: readonly Observation[] = [];

/**
 * What all who look have in common. One look at a time: one that hangs in the file system is waited for, not
 * started again. A problem is told once, and when it is over, everything is told again, because facts from before a
 * problem do not count. What was found out by a look that was broken off is told by the next one.
 */
export function lookOnce(
  signal: Signal,
  inner: (look: Look) => Promise<Looked>,
  restored?: unknown,
): LookOnce {
  let problem = typeof restored === "string" ? restored : undefined;
  let untold = false;
  let running: Promise<readonly Observation[]> | undefined;
  let closed = false;

  const once = async (asked: Look): Promise<readonly Observation[]> => {
    const again = asked.fresh || untold;
    const fresh = again || problem !== undefined;
    try {
      const looked = await inner(fresh === asked.fresh ? asked : { ...asked, fresh });
      // Nobody heard what a look found out that was broken off.
      untold = looked === undefined || asked.abort.aborted;
      if (looked === undefined) return NOTHING;
      if (!("problem" in looked)) {
        problem = undefined;
        return looked;
      }
      if (looked.problem === problem && !again) return NOTHING;
      problem = looked.problem;
      return [{ kind: "degraded", signal, at: asked.now, problem }];
    } finally {
      running = undefined;
    }
  };

  const start = (look: Look): Promise<readonly Observation[]> => {
    if (closed || look.abort.aborted) return Promise.resolve(NOTHING);
    running = once(look);
    return untilAborted(running, look.abort, NOTHING);
  };

  const startLater = async (look: Look): Promise<readonly Observation[]> => {
    while (running !== undefined && !look.abort.aborted) await untilAborted(running, look.abort, NOTHING);
    return await start(look);
  };

  return {
    look: (look) => (running === undefined ? start(look) : startLater(look)),
    isEasy: () => running === undefined && problem === undefined && !untold && !closed,
    problem: () => problem,
    close() {
      closed = true;
    },
  };
}

/** The parts of a memory, whatever it is. */
export function partsOf(memory: unknown): Readonly<Record<string, unknown>> {
  return typeof memory === "object" && memory !== null ? { ...memory } : {};
}
