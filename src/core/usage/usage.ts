import type { Instant } from "../duration.ts";

/** What models were given and gave back. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  /** Input that the service had kept, and input that it was asked to keep. */
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What was used on one day, by the clock of the host. */
export interface DayUsage extends Tokens {
  /** Such as 2026-11-17. */
  readonly day: string;
  /** In US dollars. */
  readonly cost: number;
  readonly compactions: number;
}

/** How much of a limit of the service is used, from 0 to 1, with what was told of it before. */
export interface LimitUse {
  readonly name: "5h" | "7d";
  readonly used: number;
  readonly at: Instant;
  readonly resetsAt?: Instant;
  readonly earlier: readonly (readonly [at: Instant, used: number])[];
}

/** What one source knows of an agent's usage: plain data, which survives a restart. */
export interface Usage {
  /** The last days, oldest first. */
  readonly days: readonly DayUsage[];
  /** How full the context of the newest session is, from 0 to 1. */
  readonly context?: number;
  readonly limits: readonly LimitUse[];
  readonly at: Instant;
}

/** What one event tells. */
export interface Spent {
  readonly tokens?: Tokens;
  readonly cost?: number;
  readonly compacted?: true;
  readonly context?: number;
  readonly limits?: readonly Pick<LimitUse, "name" | "used" | "resetsAt">[];
}

export const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
export const NO_USAGE: Usage = { days: [], limits: [], at: 0 };

/** So many days are remembered. */
const DAYS = 31;

export function tokensIn({ input, output, cacheRead, cacheWrite }: Tokens): number {
  return input + output + cacheRead + cacheWrite;
}

/** What the second has more than the first. Counters that began anew are counted whole. */
export function moreThan(before: Tokens, now: Tokens): Tokens {
  if (tokensIn(now) < tokensIn(before)) return now;
  const more = (a: number, b: number) => Math.max(0, b - a);
  return {
    input: more(before.input, now.input),
    output: more(before.output, now.output),
    cacheRead: more(before.cacheRead, now.cacheRead),
    cacheWrite: more(before.cacheWrite, now.cacheWrite),
  };
}

/** The usage after an event. `day` is the day of `at`. */
export function withSpent(usage: Usage, spent: Spent, at: Instant, day: string): Usage {
  const { tokens, cost = 0, compacted, context, limits = [] } = spent;
  const isSpent = tokens !== undefined || cost > 0 || compacted === true;
  return {
    days: isSpent ? withDay(usage.days, day, tokens ?? NO_TOKENS, cost, compacted === true) : usage.days,
    ...(context === undefined ? shareOf(usage) : { context: Math.min(1, context) }),
    limits: limits.reduce((known, limit) => withLimit(known, limit, at), usage.limits),
    at: Math.max(usage.at, at),
  };
}

function shareOf({ context }: Usage): Pick<Usage, "context"> {
  return context === undefined ? {} : { context };
}

function withDay(
  days: readonly DayUsage[],
  day: string,
  tokens: Tokens,
  cost: number,
  compacted: boolean,
): readonly DayUsage[] {
  const known = days.find((each) => each.day === day) ?? { ...NO_TOKENS, day, cost: 0, compactions: 0 };
  const sum: DayUsage = {
    day,
    input: known.input + tokens.input,
    output: known.output + tokens.output,
    cacheRead: known.cacheRead + tokens.cacheRead,
    cacheWrite: known.cacheWrite + tokens.cacheWrite,
    cost: known.cost + cost,
    compactions: known.compactions + (compacted ? 1 : 0),
  };
  const others = days.filter((each) => each.day !== day);
  return [...others, sum].sort((a, b) => (a.day < b.day ? -1 : 1)).slice(-DAYS);
}

/** What was told of a limit is kept a few minutes apart, for the forecast. */
const APART = 5 * 60_000;
const KEPT = 12;

function withLimit(
  known: readonly LimitUse[],
  { name, used, resetsAt }: Pick<LimitUse, "name" | "used" | "resetsAt">,
  at: Instant,
): readonly LimitUse[] {
  const before = known.find((each) => each.name === name);
  // A limit that was reset has no past.
  const past = before === undefined || used < before.used ? [] : before.earlier;
  const last = past.at(-1);
  const earlier = last === undefined || at - last[0] >= APART ? [...past, [at, used] as const] : past;
  const now: LimitUse = {
    ...{ name, used, at, earlier: earlier.slice(-KEPT) },
    ...(resetsAt === undefined ? {} : { resetsAt }),
  };
  return [...known.filter((each) => each.name !== name), now].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The most that several sources know: each of them may have missed a part, and none counts anything twice. */
export function bestOf(usages: readonly Usage[]): Usage | undefined {
  const [newest] = usages.toSorted((a, b) => b.at - a.at);
  if (newest === undefined) return undefined;
  const days = [...new Set(usages.flatMap((one) => one.days.map(({ day }) => day)))].sort();
  const most = (day: string): DayUsage => {
    const told = usages.flatMap((one) => one.days.filter((each) => each.day === day));
    const tokens = told.reduce<Tokens>((a, b) => (tokensIn(b) > tokensIn(a) ? b : a), NO_TOKENS);
    const { input, output, cacheRead, cacheWrite } = tokens;
    return {
      ...{ day, input, output, cacheRead, cacheWrite },
      cost: Math.max(...told.map(({ cost }) => cost)),
      compactions: Math.max(...told.map(({ compactions }) => compactions)),
    };
  };
  const context = usages.toSorted((a, b) => b.at - a.at).find((one) => one.context !== undefined)?.context;
  const limits = (["5h", "7d"] as const).flatMap((name) => {
    const told = usages.flatMap((one) => one.limits.filter((each) => each.name === name));
    return told.length === 0 ? [] : [told.reduce((a, b) => (b.at > a.at ? b : a))];
  });
  return {
    ...{ days: days.map(most).slice(-DAYS), limits, at: newest.at },
    ...(context === undefined ? {} : { context }),
  };
}

/** The sum of several sessions: each told of its own part only. */
export function sumOf(usages: readonly Usage[]): Usage | undefined {
  const best = bestOf(usages);
  if (best === undefined) return undefined;
  const days = best.days.map(({ day }) => {
    const told = usages.flatMap((one) => one.days.filter((each) => each.day === day));
    const sum = (key: Exclude<keyof DayUsage, "day">) => told.reduce((total, each) => total + each[key], 0);
    return {
      ...{ day, input: sum("input"), output: sum("output"), cacheRead: sum("cacheRead") },
      ...{ cacheWrite: sum("cacheWrite"), cost: sum("cost"), compactions: sum("compactions") },
    };
  });
  return { ...best, days };
}
