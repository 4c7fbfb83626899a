import { type Instant, sayDuration } from "../duration.ts";
import type { Ladder, Step } from "./ladder.ts";
import { type Next, REFUSALS } from "./next.ts";
import { hasActed, hasFailed, overAt, type Recovery } from "./recovery.ts";

const DONE = {
  ...{ nudge: "nudged", restart: "restarted", release: "released", escalate: "escalated" },
  ...{ interrupt: "interrupted", pause: "paused", end: "ended" },
} as const;

/** The steps taken on an agent so far: `restarted 3 times in 2 min, 1 nudge failed in 5 s (…)`. */
export function sayDone(earlier: readonly Recovery[], now: Instant): string {
  const kinds: Step["do"][] = ["nudge", "restart", "release", "interrupt", "pause", "end"];
  const said = kinds.flatMap((kind) => {
    const same = earlier.filter((each) => each.do === kind);
    const within = (steps: readonly Recovery[]) => sayDuration(now - Math.min(...steps.map(overAt)));
    const acted = same.filter(hasActed);
    const failed = same.filter(hasFailed);
    const last = failed.toSorted((a, b) => overAt(a) - overAt(b)).at(-1);
    return [
      ...(acted.length === 0 ? [] : [`${DONE[kind]} ${times(acted.length)} in ${within(acted)}`]),
      ...(last === undefined
        ? []
        : [
            `${failed.length} ${kind}${failed.length === 1 ? "" : "s"} failed in ${within(failed)} (${last.why})`,
          ]),
    ];
  });
  return said.join(", ");
}

/** What the config could say, so that a person may ask for a step. */
const EXAMPLES = {
  nudge: '{do: nudge, text: "continue"}',
  restart: "{do: restart, with: {respawn: true}}",
  wake: "{do: restart, with: {run: true, command: [./agent.sh]}}",
} as const;

/** Why a step is not taken by hand: the agent's ladder does not have it. */
export function missingStep(what: keyof typeof EXAMPLES): string {
  const needed = what === "wake" ? "restart step with run: true" : `${what} step`;
  return `its recovery steps (recover in the config) have no ${needed}, such as ${EXAMPLES[what]}`;
}

/** The next step for an agent in trouble, in words, or why there is none. */
export interface NextStep {
  readonly step: Step["do"] | undefined;
  readonly why: string;
  /** When that may change without new facts. */
  readonly at: Instant | undefined;
}

export function sayNext(next: Next, ladder: Ladder): NextStep {
  if (next.take !== undefined) return { step: next.take.do, why: "due now", at: undefined };
  const step = next.index === undefined ? undefined : ladder[next.index]?.do;
  const why = whyOf(next);
  // Then it is only asked after what else may have been seen meanwhile.
  return { step, why, at: next.why === "unproven" ? undefined : next.at };
}

function whyOf({ why, problem }: Extract<Next, { take: undefined }>): string {
  if (problem === undefined) return REFUSALS[why];
  // A step that failed cannot help any more: what is waited for is the next one.
  if (why === "backing-off") return `${problem}, and Rollcall waits before it tries again`;
  return `${REFUSALS[why]}: ${problem}`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

/** The incident's sentence with the steps taken, named once. */
export function withDone(why: string, done: string, then: string): string {
  const plain = why.split(AFTER)[0] ?? why;
  return done === "" ? `${plain}${AFTER}${then}` : `${plain}${AFTER}${done}, ${then}`;
}

const AFTER = "; recovery: ";
