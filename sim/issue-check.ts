import { MINUTE, type Millis } from "../src/core/duration.ts";
import { type IssueDraft, markerOf } from "../src/core/rca/issue.ts";
import { isIssueDue } from "../src/features/issues/issue-desk.ts";
import type { Conditions } from "./conditions.ts";
import { ISSUES } from "./filing.ts";
import type { Ledger } from "./ledger.ts";
import type { Report } from "./violation.ts";

/** What is due in so many minutes on end must have been taken up by the desk, which looks once a minute. */
const TAKEN = 3;
/** What failed rests for half an hour at most; then it is looked for, and created. */
const FILED: Millis = 35 * MINUTE;

/** Invariants 17 and 18: an incident has one issue, and has it in the end. */
export class IssueCheck {
  readonly #ledger: Ledger;
  readonly #conditions: Conditions;
  readonly #report: Report;
  readonly #created = new Set<string>();
  /** The marker of each incident. */
  readonly #markers = new Map<string, string>();
  /** In how many minutes on end each incident has been due, by its marker, and since when its issue is owed. */
  readonly #due = new Map<string, number>();
  readonly #owed = new Map<string, Millis>();

  constructor(ledger: Ledger, conditions: Conditions, report: Report) {
    this.#ledger = ledger;
    this.#conditions = conditions;
    this.#report = report;
  }

  /** The forge has created one. */
  created({ marker, title }: IssueDraft): void {
    if (this.#created.has(marker)) this.#report(17, `there are two issues of ${marker} (${title})`);
    this.#created.add(marker);
    this.#owed.delete(marker);
  }

  /** A minute is over. `troubleAt` is when the forge last gave anybody trouble. */
  minute(now: Millis, wall: number, troubleAt: Millis): void {
    const calm = this.#conditions.calmSince;
    if (calm > now - MINUTE) this.#due.clear();
    else this.#take(now, wall);
    for (const [marker, since] of this.#owed) {
      if (now - Math.max(calm, troubleAt, since) <= FILED) continue;
      this.#owed.delete(marker);
      this.#report(18, `there is no issue of ${marker}, although the forge could have had it`);
    }
  }

  #take(now: Millis, wall: number): void {
    const silences = [...this.#ledger.silences.values()];
    for (const incident of this.#ledger.incidents.values()) {
      const marker = this.#markerOf(incident.id);
      if (!isIssueDue(incident, ISSUES, silences, wall)) {
        this.#due.delete(marker);
        continue;
      }
      if (this.#created.has(marker) || this.#owed.has(marker)) continue;
      const due = (this.#due.get(marker) ?? 0) + 1;
      this.#due.set(marker, due);
      if (due > TAKEN) this.#owed.set(marker, now);
    }
  }

  #markerOf(incident: string): string {
    const marker = this.#markers.get(incident) ?? markerOf(incident);
    this.#markers.set(incident, marker);
    return marker;
  }
}
