import { join } from "node:path";
import { readOwnFile } from "../system/files.ts";
import { cycleNumber } from "./beat-record.ts";
import { openHome } from "./home.ts";
import { placeFile } from "./place-file.ts";
import { latestBeat } from "./write-beat.ts";

/**
 * The number of an agent's next cycle. `own` is the last one in this process, if there was one: only the
 * first takes its number from `ROLLCALL_CYCLE`, which whoever woke the process may have set.
 */
export function nextCycle(agent: string, home: string, own: number | undefined): number {
  const given = own === undefined ? givenCycle(agent) : undefined;
  if (given !== undefined) return given;
  const known = [own, latestBeat(agent, home)?.cycle, noted(agent, home)];
  return Math.max(0, ...known.filter((cycle) => Number.isSafeInteger(cycle)).map(Number)) + 1;
}

/** The cycle in which this process was woken, unless it is another agent's: `rollcall run` names both. */
export function givenCycle(agent: string): number | undefined {
  const { ROLLCALL_CYCLE: cycle = "", ROLLCALL_AGENT: woken = "" } = process.env;
  return cycle === "" || (woken !== "" && woken !== agent) ? undefined : cycleNumber(cycle, "ROLLCALL_CYCLE");
}

/**
 * Notes the number of a begun cycle. The latest beat does not always tell it: hooks beat for the same agent
 * without knowing its cycle, and their beats replace those of the cycle in `beats/<agent>.json`.
 */
export function noteCycle(agent: string, home: string, cycle: number): void {
  const path = notePath(openHome(home).beats, agent);
  placeFile(`${path}.${process.pid}.tmp`, path, `${cycle}\n`, false);
}

function noted(agent: string, home: string): number | undefined {
  try {
    return Number.parseInt(readOwnFile(notePath(join(home, "beats"), agent), 4096).toString("latin1"), 10);
  } catch {
    return undefined;
  }
}

/** Names that begin with a dot are no beats. */
function notePath(beats: string, agent: string): string {
  return join(beats, `.${agent}.cycle`);
}
