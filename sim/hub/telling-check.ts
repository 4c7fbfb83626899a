import { MINUTE, type Millis, SECOND } from "../../src/core/duration.ts";
import { hubName } from "../../src/core/host/fact.ts";
import { isSilence } from "../../src/core/incident/incident.ts";
import { HOLD } from "../../src/core/incident/policy.ts";
import type { Changes } from "../../src/ports/store.ts";
import type { Report } from "../violation.ts";
import type { HostLog } from "./host-log.ts";
import type { HubLedger } from "./hub-ledger.ts";
import { PLACE } from "./sim-hub.ts";

/** The hub sees an episode of a host in contact within this. */
const IN_CONTACT: Millis = 15 * SECOND;
/** The hub sleeps for a minute at most in this world. */
const PACE: Millis = MINUTE;
/** After a disturbance a link is back within this. */
const BACK: Millis = 2 * MINUTE;
/** What ended so soon may have ended before anybody heard of it. */
const BRIEF: Millis = 75 * SECOND;

/** Whether everybody's trouble is told: in time, once, and also what began and ended in a cut. */
export class TellingCheck {
  readonly #report: Report;
  readonly #ledger: HubLedger;
  /** By incident, change and place: what the message was. */
  readonly #said = new Map<string, string>();

  constructor(report: Report, ledger: HubLedger) {
    this.#report = report;
    this.#ledger = ledger;
  }

  /** Begins anew: the hub's commits are told again. */
  clear(): void {
    this.#said.clear();
  }

  /** Before the ledger knows of it. */
  committed({ deliveries = [] }: Changes): void {
    for (const { key, createdAt, state, incident = "", change, to } of deliveries) {
      if (state !== "pending") continue;
      const known = this.#ledger.deliveries.get(key);
      if (known !== undefined && known.createdAt !== createdAt) this.#report(24, `${key} is told twice`);
      const what = key.slice(key.indexOf(incident) + incident.length + 1).split("-", 1)[0] ?? "";
      if (what === "reminder" || what === "resolved") continue;
      const about = `${incident} ${change} ${to}`;
      const before = this.#said.get(about);
      if (before !== undefined && before !== key) this.#report(24, `${key} after ${before}`);
      this.#said.set(about, key);
    }
  }

  /** `calmSince`: since when nothing has kept host and hub apart; `hubCalmSince`: since when the hub can tell of anything. */
  minute(now: Millis, host: string, log: HostLog, calmSince: Millis, hubCalmSince: Millis): void {
    for (const episode of log.episodes.values()) {
      const { incident, changedAt } = episode;
      if (incident.resolved !== undefined || incident.calmSince !== undefined) continue;
      const hold = isSilence(incident.reason) ? HOLD : 0;
      if (now - Math.max(changedAt, hubCalmSince) > hold + BRIEF) episode.mustBeTold = true;
      const due = Math.max(changedAt, calmSince + BACK) + hold + IN_CONTACT + PACE;
      if (now <= due || this.#isTold(hubName(incident.id, host), incident.change)) continue;
      this.#report(24, `${host} tells of ${incident.id} (${incident.change}), and the hub tells nobody`);
    }
  }

  /** At the end everything has been told that lasted. */
  end(host: string, log: HostLog): void {
    for (const { incident, mustBeTold } of log.episodes.values()) {
      const id = hubName(incident.id, host);
      if (mustBeTold && !this.#ledger.told.has(id) && !this.#ledger.spokenFor.has(id))
        this.#report(24, `${id} was never told`);
    }
  }

  #isTold(id: string, change: number): boolean {
    const there = this.#ledger.incidents.get(id);
    return (
      there !== undefined && (there.spokenForBy !== undefined || (there.told[PLACE]?.change ?? 0) >= change)
    );
  }
}
