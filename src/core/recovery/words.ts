import { type Instant, sayDuration } from "../duration.ts";
import type { Ladder, Step } from "./ladder.ts";
import { type Next, REFUSALS } from "./next.ts";
import { hasActed, overAt, type Recovery } from "./recovery.ts";

const DONE = { nudge: "nudged", restart: "restarted", release: "released", escalate: "escalated" } as const;

/** What was done on an agent so far: `restarted 3 times in 2 min, nudged once in 5 s`. */
export function sayDone(earlier: readonly Recovery[], now: Instant): string {
  const kinds: Step["do"][] = ["nudge", "restart", "release"];
  const said = kinds.flatMap((kind) => {
    const acted = earlier.filter((each) => each.do === kind && hasActed(each));
    if (acted.length === 0) return [];
    const since = Math.min(...acted.map(overAt));
    return [`${DONE[kind]} ${times(acted.length)} in ${sayDuration(now - since)}`];
  });
  return said.join(", ");
}

/** What comes next for an agent in trouble, for people: a step, or why there is none. */
export interface NextStep {
  readonly step: Step["do"] | undefined;
  readonly why: string;
  /** When that may change by time alone. */
  readonly at: Instant | undefined;
}

export function sayNext(next: Next, ladder: Ladder): NextStep {
  if (next.take !== undefined) return { step: next.take.do, why: "it is due now", at: undefined };
  const step = next.index === undefined ? undefined : ladder[next.index]?.do;
  return { step, why: REFUSALS[next.why], at: next.at };
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

/** The incident's sentence with what was done about it, once. */
export function withDone(why: string, done: string, then: string): string {
  const plain = why.split(AFTER)[0] ?? why;
  return done === "" ? `${plain}${AFTER}${then}` : `${plain}${AFTER}${done}, ${then}`;
}

const AFTER = "; recovery: ";
