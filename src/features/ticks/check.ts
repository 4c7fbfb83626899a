import { statSync } from "node:fs";
import { registryAt } from "../../config/registry-file.ts";
import { sayProblem } from "../../core/beat-input.ts";
import type { Instant } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import { tickInMarker } from "../../core/rca/filed-issue.ts";
import { draftOf, type IssueDraft, markerOf } from "../../core/rca/issue.ts";
import { tickSubject } from "../../core/rca/tick-subject.ts";
import { judgeTick, type TickResult } from "../../core/tick/check.ts";
import { TickError } from "../../core/tick/error.ts";
import { firstInstant, type Month, monthOf, monthToCheck } from "../../core/tick/period.ts";
import type { Registered } from "../../core/tick/registry-input.ts";
import type { Filing, Reported } from "../../core/tick/report.ts";
import type { PendingIssues } from "../issues/marked-files.ts";
import type { IssueFiler } from "./file-issues.ts";
import { findTick, lastTickBefore } from "./tick-file.ts";

export interface CheckOptions {
  readonly registry: string;
  readonly ticks: string;
  readonly month?: Month | undefined;
  readonly now: Instant;
  readonly template: string;
  readonly secrets?: readonly string[];
  /** Where people read a tick, with {month} and {agent}. */
  readonly link?: string | undefined;
}

/** One agent of the registry: how it did, and the issue to file if it failed. */
export interface Checked {
  readonly result: TickResult;
  readonly draft?: IssueDraft;
}

/** Looks at the month's tick of every active agent. What is wrong with one of them never keeps the others from being told. */
export function checkTicks(options: CheckOptions): { month: Month; checked: readonly Checked[] } {
  const { registry, ticks, now } = options;
  const month = options.month ?? monthToCheck(now);
  if (firstInstant(month) > now) {
    throw new TickError("bad-month", `${month} has not begun; expected ${monthOf(now)} or an earlier month`);
  }
  const entries = registryAt(registry);
  // In a wrong folder everybody would be missing, and everybody would get an issue.
  if (statSync(ticks, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new TickError("no-ticks", `${ticks}: there is no such folder; name it with --ticks DIR`);
  }
  const checked = entries.flatMap((entry): Checked[] => {
    if ("problem" in entry) {
      const problem = `the registry: ${sayProblem(entry.problem)}`;
      return [{ result: { agent: entry.called, result: "invalid", problem } }];
    }
    return entry.agent.active ? [checkOne(entry.agent, month, options)] : [];
  });
  return { month, checked };
}

function checkOne(agent: Registered, month: Month, options: CheckOptions): Checked {
  const { ticks, now, link, template, secrets = [] } = options;
  const { id, name, home_dir, config_path } = agent;
  const { found, text } = findTick(ticks, month, id);
  const result = judgeTick(found, { agent: id, month }, now);
  const last = lastTickBefore(ticks, month, id);
  const url = link?.replaceAll("{month}", last ?? "").replaceAll("{agent}", id);
  const lastTick = last === undefined ? undefined : given({ file: `ticks/${last}/${id}.json`, url });
  const file = `ticks/${month}/${id}.json`;
  const known = given({ month, now, file, name, home: home_dir, config: config_path, text, lastTick });
  const subject = tickSubject(result, known);
  return subject === undefined ? { result } : { result, draft: draftOf(subject, { template, secrets }) };
}

/** Files what failed, and what earlier runs could not file. */
export async function fileAll(
  month: Month,
  checked: readonly Checked[],
  filer: Pick<IssueFiler, "file">,
  pending: PendingIssues,
): Promise<{ reported: Reported[]; earlier: { title: string; filing: Filing }[] }> {
  const reported: Reported[] = [];
  for (const { result, draft } of checked) {
    reported.push(draft === undefined ? { result } : { result, filing: await filer.file(draft) });
  }
  const markers = new Set(checked.map(({ draft }) => draft?.marker));
  const earlier: { title: string; filing: Filing }[] = [];
  for (const draft of pending.all()) {
    // Issues of incidents are the daemon's: it has to know of them.
    if (markers.has(draft.marker) || tickInMarker(draft.marker) === undefined) continue;
    // A failure of this month that is none any more was mended before anybody could be told.
    const isAbout = (agent: string) =>
      draft.marker.startsWith(markerOf(`${agent}:${month}:`).replace(/ -->$/, ""));
    if (checked.some(({ result }) => isAbout(result.agent))) pending.drop(draft.marker);
    else earlier.push({ title: draft.title, filing: await filer.file(draft) });
  }
  return { reported, earlier };
}
