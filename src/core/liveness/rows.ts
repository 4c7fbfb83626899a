import { beatRow, restingRow, runRow } from "./beat-rows.ts";
import type { Row } from "./case.ts";
import { failingRow } from "./error-row.ts";
import { contactRow, hostsWordRow } from "./host-rows.ts";
import { goneRow, neverRow, pausedRow, unlookedRow, unpromisedRow } from "./life-rows.ts";
import { orphanRow } from "./orphan-row.ts";
import { budgetRow, idleRow, loopRow, needsHumanRow, progressRow, stallRow } from "./work-rows.ts";

/** The table "which evidence wins", in its order. The first row that applies decides. */
export const rows: readonly Row[] = [
  hostsWordRow, // 2, and whatever row decided on its host
  contactRow, // 2, for hosts themselves
  pausedRow, // 1
  unlookedRow, // 2
  runRow, // 9, for runs that were begun
  restingRow, // 3, cleanly
  goneRow, // 3, not cleanly
  orphanRow, // 3, for work whose session never was
  needsHumanRow, // 4
  failingRow, // 5, and 9 where its silence is death
  loopRow, // 7, for calls: what they write must not pass for progress
  budgetRow, // 5, unless it stalls
  progressRow, // 6
  stallRow, // 7
  idleRow, // 8
  beatRow, // 9 and 10
  neverRow, // 10
  unpromisedRow, // 10, for agents that promise no beats
];
