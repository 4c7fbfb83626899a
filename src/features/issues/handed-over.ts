import { join } from "node:path";
import type { Instant } from "../../core/duration.ts";
import { MarkedFiles } from "./marked-files.ts";

/** An issue that a command filed, for the daemon to follow up. */
export interface HandedOver {
  readonly marker: string;
  readonly number: number;
  readonly url: string;
  /** The name of the forge that has it. */
  readonly forge: string;
  readonly at: Instant;
  /** The folder of ticks that the command looked at. */
  readonly ticks: string;
}

/** Issues that `rollcall tick check` filed, kept in the home until the daemon knows of them. */
export class HandedOverIssues {
  readonly #files: MarkedFiles<HandedOver>;

  constructor(home: string) {
    this.#files = new MarkedFiles(join(home, "issues-filed"), readHandedOver);
  }

  /** The first word stays: the points of an issue count from when it was filed, not from when it was found again. */
  put(issue: HandedOver): void {
    if (!this.#files.has(issue.marker)) this.#files.keep(issue);
  }

  all(): HandedOver[] {
    return this.#files.all();
  }

  drop(marker: string): void {
    this.#files.drop(marker);
  }
}

function readHandedOver({
  marker,
  number,
  url,
  forge,
  at,
  ticks,
}: Partial<HandedOver>): HandedOver | undefined {
  if (typeof marker !== "string" || typeof url !== "string" || typeof forge !== "string") return undefined;
  if (typeof ticks !== "string" || !Number.isSafeInteger(number) || !Number.isSafeInteger(at))
    return undefined;
  return { marker, number: number ?? 0, url, forge, at: at ?? 0, ticks };
}
