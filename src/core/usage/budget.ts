import { type DayUsage, tokensIn } from "./usage.ts";

/** What an agent may use on one day. */
export interface UsageBudget {
  /** In US dollars. */
  readonly day?: number;
  readonly tokens?: number;
}

/** What is over, for people: `used 21.40 USD of 20.00 USD today`; undefined if nothing is. */
export function overBudget({ day, tokens }: UsageBudget, used: DayUsage | undefined): string | undefined {
  if (used === undefined) return undefined;
  const all = tokensIn(used);
  const over = [
    day !== undefined && used.cost > day ? `${dollars(used.cost)} of ${dollars(day)}` : undefined,
    tokens !== undefined && all > tokens ? `${sayTokens(all)} tokens of ${sayTokens(tokens)}` : undefined,
  ].filter((each) => each !== undefined);
  return over.length === 0 ? undefined : `used ${over.join(", and ")} on ${used.day}`;
}

export function dollars(amount: number): string {
  return `${amount.toFixed(2)} USD`;
}

/** `950`, `12.3k`, `50M`. */
export function sayTokens(count: number): string {
  const [unit, size] =
    count >= 999_950
      ? (["M", 1_000_000] as const)
      : count >= 1000
        ? (["k", 1000] as const)
        : (["", 1] as const);
  const short = (count / size).toFixed(unit === "" ? 0 : 1).replace(/\.0$/, "");
  return `${short}${unit}`;
}

/** `20 USD` or 20; undefined for anything else. */
export function readDollars(written: unknown): number | undefined {
  const text = typeof written === "number" ? String(written) : written;
  const found = typeof text === "string" ? /^\$?\s*(\d+(?:\.\d+)?)\s*(?:USD|\$)?$/i.exec(text.trim()) : null;
  return found === null ? undefined : positive(Number(found[1]));
}

/** `50M`, `200k` or 200000; undefined for anything else. */
export function readTokens(written: unknown): number | undefined {
  const text = typeof written === "number" ? String(written) : written;
  const found = typeof text === "string" ? /^(\d+(?:\.\d+)?)\s*([kM]?)$/.exec(text.trim()) : null;
  if (found === null) return undefined;
  return positive(Number(found[1]) * (found[2] === "M" ? 1_000_000 : found[2] === "k" ? 1000 : 1));
}

function positive(amount: number): number | undefined {
  return Number.isFinite(amount) && amount > 0 ? amount : undefined;
}
