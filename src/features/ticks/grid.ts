import { readdirSync } from "node:fs";
import { setImmediate as letOthers } from "node:timers/promises";
import { registryAt } from "../../config/registry-file.ts";
import { type Instant, iso } from "../../core/duration.ts";
import { judgeTick } from "../../core/tick/check.ts";
import { TickError } from "../../core/tick/error.ts";
import { type Month, monthOf, parseMonth } from "../../core/tick/period.ts";
import type { Store } from "../../ports/store.ts";
import type { TickCell, TickGrid } from "../../views/ticks.ts";
import type { TickPlaces } from "./scheduled.ts";
import { findTick } from "./tick-file.ts";

const MOST_MONTHS = 24;
/** Of one month. */
const MOST_ISSUES = 10_000;

/** The ticks of everybody in the registry, the newest months first. Without a registry or ticks there are none. */
export async function tickGrid(
  places: TickPlaces | undefined,
  store: Pick<Store, "issues">,
  now: Instant,
): Promise<TickGrid> {
  const months = places === undefined ? [] : monthsIn(places.ticks, now);
  if (places === undefined || months.length === 0) return { months, agents: [] };
  const issues = await issuesOf(months, store);
  const agents: TickGrid["agents"][number][] = [];
  for (const { id, name = id } of agentsIn(places.registry)) {
    agents.push({ id, name, ticks: rowOf(id, months, places, issues, now) });
    // Many agents are many files: beats are not kept waiting for them.
    await letOthers();
  }
  return { months, agents };
}

function monthsIn(ticks: string, now: Instant): Month[] {
  try {
    const months = readdirSync(ticks).filter(
      (name) => parseMonth(name) !== undefined && name <= monthOf(now),
    );
    return months.sort().reverse().slice(0, MOST_MONTHS);
  } catch {
    return [];
  }
}

function agentsIn(registry: string) {
  try {
    return registryAt(registry).flatMap((entry) => ("agent" in entry ? entry.agent : []));
  } catch (error) {
    // Who reads the registry for its own sake (`tick check`) is told what is wrong with it.
    if (error instanceof TickError) return [];
    throw error;
  }
}

async function issuesOf(
  months: readonly Month[],
  { issues }: Pick<Store, "issues">,
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(months.map((month) => issues.page({ month, limit: MOST_ISSUES })));
  // The newest come first, and of several the newest counts.
  return new Map(
    found.flatMap((filed) => filed.toReversed()).map((each) => [`${each.agent} ${each.month}`, each.url]),
  );
}

function rowOf(
  agent: string,
  months: readonly Month[],
  { ticks }: TickPlaces,
  issues: ReadonlyMap<string, string>,
  now: Instant,
): Record<Month, TickCell> {
  const row: Record<Month, TickCell> = {};
  let known = false;
  for (const month of months.toReversed()) {
    const judged = judgeTick(findTick(ticks, month, agent).found, { agent, month }, now);
    const issue = issues.get(`${agent} ${month}`) ?? null;
    if (judged.result === "not-due") continue;
    // Before its first tick an agent was not there to be missed, unless somebody missed it.
    known ||= judged.result !== "missing" || issue !== null || month === months[0];
    if (!known) continue;
    const at = "tick" in judged ? judged.tick.submittedAt : undefined;
    row[month] = { status: judged.result, submittedAt: at === undefined ? null : iso(at), issue };
  }
  return row;
}
