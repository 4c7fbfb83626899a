import * as z from "zod";
import { expectedDuration, formatDuration, parseDuration } from "../core/duration.ts";
import { REASONS, type Reason, type State } from "../core/liveness/state.ts";
import {
  DEFAULT_BACKOFF,
  DEFAULT_BUDGET,
  DEFAULT_REASONS,
  DEFAULT_STATES,
  type Ladder,
  type Step,
} from "../core/recovery/ladder.ts";
import { wordsOf } from "../ports/adapter.ts";
import { mapping } from "../ports/setting-forms.ts";
import type { BareStep, Mistake } from "./kit/adapter.ts";
import { RECOVERIES, recoveryOf } from "./registry.ts";

const DURATION = "a duration such as 10m or 90s";
const TIMES = "a whole number from 1 to 20";
const STATE = `a state that opens an incident: ${troubles().join(", ")}`;
const REASON = "a reason from docs/states.md";

/** The states that open an incident. */
function troubles(): State[] {
  return ["dead", "stalled", "failing", "waiting", "limited"];
}

const duration = z.string({ error: DURATION }).transform((text, context) => {
  const length = parseDuration(text);
  if (length !== undefined) return length;
  context.addIssue({ code: "custom", message: expectedDuration(text, DURATION) });
  return z.NEVER;
});

const when = mapping({
  states: z
    .array(z.enum(troubles() as [State, ...State[]], { error: STATE }), { error: STATE })
    .min(1, STATE)
    .meta({ description: "the states in which it applies; the default depends on the step" })
    .optional(),
  reasons: z
    .array(z.enum(Object.keys(REASONS) as [Reason, ...Reason[]], { error: REASON }), { error: REASON })
    .min(1, REASON)
    .meta({ description: "the reasons (docs/states.md) for which it applies; all unless given" })
    .optional(),
});

const KINDS = RECOVERIES.map(({ kind }) => kind);

type Shape = (typeof RECOVERIES)[number]["settings"]["shape"];
type OwnKey = Shape extends infer One ? keyof One : never;

/** The keys of all kinds. */
const ownKeys: Readonly<Record<OwnKey, z.ZodType>> = Object.assign(
  {},
  ...RECOVERIES.map(({ settings }) => settings.shape),
);

const step = mapping({
  do: z.enum(KINDS, { error: wordsOf(KINDS) }).meta({ description: "what the step does" }),
  ...ownKeys,
  when: when.meta({ description: "the states and reasons for which this step is taken" }).prefault({}),
  budget: mapping({
    times: z
      .int({ error: TIMES })
      .min(1, TIMES)
      .max(20, TIMES)
      .meta({ description: "how many steps of this kind" })
      .default(DEFAULT_BUDGET.times),
    within: duration.meta({ description: "within how long" }).prefault(formatDuration(DEFAULT_BUDGET.within)),
  })
    .meta({
      description: "at most this many times within this time; then Rollcall stops and sends an alert",
    })
    .prefault({}),
  backoff: mapping({
    first: duration
      .meta({ description: "the wait after the first step" })
      .prefault(formatDuration(DEFAULT_BACKOFF.first)),
    longest: duration
      .meta({ description: "the longest wait" })
      .prefault(formatDuration(DEFAULT_BACKOFF.longest)),
  })
    .meta({ description: "the wait after a step; it doubles each time, up to the longest" })
    .prefault({}),
}).transform((value, context): Step => {
  const { do: kind, when, budget, backoff, ...own } = value;
  const { settings, read } = recoveryOf(kind);
  const stray = Object.entries(own).find(([key, given]) => given !== undefined && !(key in settings.shape));
  const made: BareStep<Step["do"]> | Mistake =
    stray === undefined
      ? read(settings.parse(own))
      : { path: stray[0], message: `no ${stray[0]} in a ${kind} step` };
  if ("path" in made) {
    context.addIssue({ code: "custom", path: [made.path], message: made.message });
    return z.NEVER;
  }
  // Whoever names states means all of their reasons.
  const {
    states = DEFAULT_STATES[kind],
    reasons = when.states === undefined ? DEFAULT_REASONS[kind] : undefined,
  } = when;
  const applies = { states, ...(reasons === undefined ? {} : { reasons }) };
  return { ...made, when: applies, budget, backoff };
});

/** A ladder as the config writes it, and as the rules know it. */
export const ladderSettings = z
  .array(step, { error: "a list of steps" })
  .max(20, "at most 20 steps")
  .transform((steps): Ladder => steps);
