import { type Instant, iso } from "../core/duration.ts";
import { forecastOf } from "../core/usage/forecast.ts";
import { type DayUsage, tokensIn, type Usage } from "../core/usage/usage.ts";

/** What an agent used, as the API and `--json` show it. Times are ISO 8601, shares go from 0 to 1, costs are US dollars. */
export interface UsageView {
  readonly agent: string;
  /** The client's last session, as it is called there. */
  readonly session: { readonly client: string; readonly id: string } | null;
  readonly at: string | null;
  readonly context: number | null;
  readonly limits: readonly {
    readonly name: "5h" | "7d";
    readonly left: number;
    readonly resetsAt: string | null;
    /** When it runs out at the present pace; null if it is reset before. */
    readonly runsOutAt: string | null;
  }[];
  /** Newest first. */
  readonly days: readonly (DayUsage & { readonly tokens: number })[];
}

export function showUsage(
  agent: string,
  session: UsageView["session"],
  usage: Usage | undefined,
  now: Instant,
): UsageView {
  const { days = [], limits = [], context = null, at } = usage ?? {};
  const time = (instant: Instant | undefined) => (instant === undefined ? null : iso(instant));
  return {
    ...{ agent, session, at: time(at), context },
    limits: limits.flatMap((limit) => {
      const found = forecastOf(limit, now);
      if (found === undefined) return [];
      const { name, left, resetsAt, runsOutAt } = found;
      return [{ name, left, resetsAt: time(resetsAt), runsOutAt: time(runsOutAt) }];
    }),
    days: days.toReversed().map((day) => ({ ...day, tokens: tokensIn(day) })),
  };
}
