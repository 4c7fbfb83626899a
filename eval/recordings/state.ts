import { judge } from "../../src/core/liveness/judge.ts";
import type { Observation } from "../../src/core/liveness/observation.ts";
import type { State } from "../../src/core/liveness/state.ts";
import { FULL_TRUST } from "../../src/core/liveness/trust.ts";
import type { ScreenReading } from "../../src/core/screen/reading.ts";

/** What the judge makes of this reading, if the screen is all that it knows. */
export function stateOf(reading: ScreenReading, now: number): State {
  return judge({ observations: [factOf(reading, now)], addedAt: 0, now, trust: FULL_TRUST }).state;
}

function factOf({ state, context, progressAt, kind, resetAt }: ScreenReading, now: number): Observation {
  if (state === "exited") return { kind: "gone", signal: "log", at: progressAt, seenAt: now, clean: false };
  return {
    kind: "reading",
    signal: "log",
    at: progressAt,
    seenAt: now,
    reading: state,
    context,
    progressAt,
    ...(kind === undefined ? {} : { detail: kind }),
    ...(resetAt === undefined ? {} : { resetAt }),
  };
}
