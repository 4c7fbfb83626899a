import { MINUTE, type Millis } from "../src/core/duration.ts";
import type { Conditions } from "./conditions.ts";
import type { Ledger } from "./ledger.ts";
import type { Report } from "./violation.ts";

/** How far the watcher's own account of a span may lie from the truth: it looks, and saves its mark, once a minute. */
const MARGIN: Millis = 130_000;
/** An outside place says that the watcher is dead when it has heard nothing for so long. */
const OUTSIDE: Millis = 3 * MINUTE;

/** Invariants 6 and 14: the watcher knows when it did not watch, and somebody else knows when it is dead. */
export class WatchCheck {
  readonly #ledger: Ledger;
  readonly #conditions: Conditions;
  readonly #report: Report;
  #pingedAt: Millis = 0;
  #stuckSince: Millis | undefined;

  constructor(ledger: Ledger, conditions: Conditions, report: Report) {
    this.#ledger = ledger;
    this.#conditions = conditions;
    this.#report = report;
  }

  pinged(now: Millis): void {
    this.#pingedAt = now;
    if (this.#stuckSince === undefined) return;
    if (now - Math.max(this.#stuckSince, this.#conditions.brokenAt) > OUTSIDE)
      this.#report(14, "the watcher pings the outside, but it cannot judge");
  }

  /** A commit takes no end: the loop cannot go on. */
  stuck(now: Millis): void {
    this.#stuckSince ??= now;
  }

  unstuck(): void {
    this.#stuckSince = undefined;
  }

  minute(now: Millis): void {
    const calm = this.#conditions.calmSince;
    if (now - calm <= 5 * MINUTE || now - this.#pingedAt <= OUTSIDE) return;
    this.#pingedAt = now;
    this.#report(14, "the outside calls the watcher dead, but nothing disturbs it");
  }

  end(length: Millis): void {
    // The clock may have been set meanwhile.
    const excuses = this.#conditions.excuses.map(({ from, to, ...rest }) => ({
      ...rest,
      from: Math.min(from, to) - MARGIN,
      to: Math.max(from, to) + MARGIN,
    }));
    excuses.sort((a, b) => a.from - b.from);
    const unexplained = this.#ledger.blind.reduce(
      (sum, { from, to }) => sum + uncovered(from, to, excuses),
      0,
    );
    if (unexplained > 0.05 * length)
      this.#report(6, `${Math.round(unexplained / MINUTE)} minutes were not watched for no reason`);
    for (const { what, from, to, certain } of excuses) {
      if (!certain) continue;
      const left = this.#ledger.blind.some((span) => span.from <= to && from <= span.to);
      if (!left) this.#report(6, `${what} of ${Math.round((to - from) / MINUTE)} minutes left no event`);
    }
  }
}

/** How much of a span lies in none of these, which are in the order of their beginnings. */
function uncovered(
  from: number,
  to: number,
  excuses: readonly { readonly from: number; readonly to: number }[],
): Millis {
  let at = from;
  let left = 0;
  for (const excuse of excuses) {
    if (excuse.to <= at) continue;
    if (excuse.from >= to) break;
    left += Math.max(0, excuse.from - at);
    at = excuse.to;
  }
  return left + Math.max(0, to - at);
}
