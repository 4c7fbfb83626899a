import { type InputProblem, isRecord } from "../beat-input.ts";
import type { Instant } from "../duration.ts";
import { MONTH_FORM, type Month, monthOf, parseMonth } from "./period.ts";
import {
  type Capabilities,
  statusOf,
  TICK_STATUSES,
  type TickStatus,
  VITALS,
  type Vitals,
  worse,
} from "./status.ts";
import type { Tick } from "./tick.ts";

/** Whose tick, and of which month, is looked for. */
export interface Awaited {
  readonly agent: string;
  readonly month: Month;
}

type Read<T> = { readonly value: T } | { readonly problem: InputProblem };

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads a tick out of parsed JSON: a tick, or what is wrong with it. It never throws. Fields that it does not know
 * are left alone, because an agent may have more to tell than we ask for.
 */
export function readTick(
  value: unknown,
  { agent, month }: Awaited,
): { tick: Tick } | { problem: InputProblem } {
  if (!isRecord(value)) return problem("", value, "an object with status, vitals and capabilities");
  const whose = value.agent;
  if (whose !== undefined && whose !== agent)
    return problem("agent", whose, `${JSON.stringify(agent)}, as the file is called`);
  const status = TICK_STATUSES.find((each) => each === value.status);
  if (status === undefined) {
    return problem("status", value.status, TICK_STATUSES.map((each) => `"${each}"`).join(", "));
  }
  const vitals = vitalsIn(value.vitals, status);
  if ("problem" in vitals) return vitals;
  const capabilities = capabilitiesIn(value.capabilities, status);
  if ("problem" in capabilities) return capabilities;
  const period = periodIn(value, month);
  if ("problem" in period) return period;
  const measured = vitals.value === undefined ? status : statusOf(vitals.value, capabilities.value);
  return {
    tick: {
      ...period.value,
      status: worse(status, measured),
      ...(vitals.value === undefined ? {} : { vitals: vitals.value }),
      capabilities: capabilities.value,
    },
  };
}

/** Whoever reports an agent that cannot be reached has nothing to measure. */
function vitalsIn(value: unknown, status: TickStatus): Read<Vitals | undefined> {
  if (value === undefined && status === "offline") return { value: undefined };
  if (!isRecord(value)) return problem("vitals", value, `an object with ${VITALS.join(", ")}`);
  for (const vital of VITALS) {
    if (typeof value[vital] !== "boolean") return problem(`vitals.${vital}`, value[vital], "true or false");
  }
  return { value: Object.fromEntries(VITALS.map((vital) => [vital, value[vital]])) as unknown as Vitals };
}

function capabilitiesIn(value: unknown, status: TickStatus): Read<Capabilities> {
  if (value === undefined && status === "offline") return { value: {} };
  if (!isRecord(value)) return problem("capabilities", value, "an object of names with true or false");
  const wrong = Object.entries(value).find(([, has]) => typeof has !== "boolean");
  if (wrong !== undefined) return problem(`capabilities.${wrong[0]}`, wrong[1], "true or false");
  return { value: value as Capabilities };
}

/** A tick fulfils the month that it names, else the one that its instant falls in, else the one of its folder. */
function periodIn(
  { month: named, submitted_at: stamp }: Record<string, unknown>,
  awaited: Month,
): Read<{ month: Month; submittedAt?: Instant }> {
  const at = typeof stamp === "string" && ISO.test(stamp) ? Date.parse(stamp) : Number.NaN;
  if (stamp !== undefined && !Number.isFinite(at)) {
    return problem("submitted_at", stamp, "an ISO 8601 time such as 2026-04-01T06:00:00Z");
  }
  const submitted = stamp === undefined ? {} : { submittedAt: at };
  if (named !== undefined) {
    if (typeof named !== "string" || parseMonth(named) === undefined)
      return problem("month", named, MONTH_FORM);
    if (named !== awaited) return problem("month", named, `"${awaited}", as its folder is called`);
  } else if (stamp !== undefined && monthOf(at) !== awaited) {
    return problem("submitted_at", stamp, `a time in ${awaited} (UTC), or the month beside it`);
  }
  return { value: { month: awaited, ...submitted } };
}

function problem(path: string, value: unknown, expected: string): { problem: InputProblem } {
  return { problem: { path, value, expected } };
}
