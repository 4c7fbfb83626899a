import { dirname, resolve } from "node:path";
import { expandTilde } from "../../agent/home.ts";
import type { Config } from "../../config/load.ts";
import { agentsToSubmit } from "../../config/registry-file.ts";
import type { Instant } from "../../core/duration.ts";
import { environmentFor } from "../../core/environment.ts";
import type { Recovered } from "../../core/rca/follow-up.ts";
import { failureOf, judgeTick } from "../../core/tick/check.ts";
import { summaryOf } from "../../core/tick/report.ts";
import type { HeldState } from "../../core/tick/status.ts";
import { homeAt } from "../../home/home.ts";
import type { HeartbeatResult } from "../../schedule/engine/action.ts";
import { ourForge, rcaTemplate } from "../forge/forge.ts";
import type { IssueDesk } from "../issues/issue-desk.ts";
import { PendingIssues } from "../issues/marked-files.ts";
import { checkTicks, fileAll } from "./check.ts";
import { IssueFiler } from "./file-issues.ts";
import { tickLink } from "./link.ts";
import { pushTicks } from "./push.ts";
import { submitTick } from "./submit.ts";
import { findTick } from "./tick-file.ts";

/** Where the registry and the ticks are. */
export interface TickPlaces {
  readonly registry: string;
  readonly ticks: string;
}

/** As the config names them, beside itself, or in the home where there is no file. */
export function placesBeside({ tick, file }: Config, home: string): TickPlaces | undefined {
  const { registry, ticks } = tick;
  if (registry === undefined || ticks === undefined) return undefined;
  const beside = (path: string) => resolve(file === undefined ? home : dirname(file), expandTilde(path));
  return { registry: beside(registry), ticks: beside(ticks) };
}

interface Scene extends TickPlaces {
  readonly home: string;
  readonly now: () => Instant;
}

/** Since when the tick of a month is healthy, if it is. */
export function healthyTick(
  { ticks }: Pick<TickPlaces, "ticks">,
  agent: string,
  month: string,
  now: number,
): Recovered | undefined {
  try {
    const judged = judgeTick(findTick(ticks, month, agent).found, { agent, month }, now);
    if (judged.result !== "healthy") return undefined;
    return { at: judged.tick.submittedAt ?? now, saw: `its tick for ${month} is healthy` };
  } catch {
    // A folder that cannot be read says nothing of anybody.
    return undefined;
  }
}

/** With these git finds its settings, its keys and the names of its commits. `tick.passEnv` adds others. */
const GIT_NEEDS = [
  ...["SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"],
  ...["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"],
];

/** What is wrong with one agent of this host never keeps the others from submitting. */
export async function submitAll(
  { tick: settings }: Config,
  { registry, ticks, ...own }: Scene,
  heldOf: (agent: string) => HeldState | undefined,
): Promise<HeartbeatResult> {
  const home = homeAt(own.home);
  const now = own.now();
  const env = environmentFor(process.env, settings);
  const submitted: string[] = [];
  const files: string[] = [];
  const problems: string[] = [];
  for (const agent of agentsToSubmit(registry, settings.agents)) {
    if (!agent.active) continue;
    try {
      const done = await submitTick({
        ...{ agent, ticks, home, settings, now, env },
        held: heldOf(agent.id),
        offline: false,
        month: undefined,
      });
      submitted.push(`${done.tick.agent} ${done.tick.month} ${done.tick.status}`);
      files.push(done.file, ...(done.earlier === undefined ? [] : [done.earlier]));
    } catch (error) {
      problems.push(`${agent.id}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (settings.push && files.length > 0) {
    const passEnv = [...GIT_NEEDS, ...(settings.passEnv ?? [])];
    const forGit = environmentFor(process.env, { ...settings, passEnv });
    const pushed = await pushTicks(ticks, files, `tick: ${submitted.join(", ")}`, forGit);
    if (pushed.outcome === "failed") problems.push(`written, but not pushed: ${pushed.problem}`);
  }
  if (problems.length > 0) throw new Error(problems.join("; "));
  return { shouldNotify: false, metadata: { submitted } };
}

/** Checks everybody, files what failed, and tells one line if anything did. */
export async function checkAndReport(
  config: Config,
  { home, now: clock, ...places }: Scene,
  desk: Pick<IssueDesk, "note">,
): Promise<HeartbeatResult> {
  const ours = ourForge(config);
  const now = clock();
  const { month, checked } = checkTicks({
    ...{ ...places, now, template: rcaTemplate(config), link: tickLink(config, ours, places.ticks) },
    secrets: "secrets" in ours ? ours.secrets : [],
  });
  const pending = new PendingIssues(home);
  const forge = "forge" in ours ? ours.forge : ours;
  const filer = new IssueFiler(forge, pending, (draft, filed) =>
    desk.note(draft, filed, "name" in forge ? forge.name : "", clock()),
  );
  const { reported, earlier } = await fileAll(month, checked, filer, pending);
  const summary = summaryOf(reported);
  const filings = [...reported.map(({ filing }) => filing), ...earlier.map(({ filing }) => filing)];
  const unfiled = filings.filter((filing) => filing?.outcome === "failed").length;
  const metadata = { month, ...summary, unfiled };
  if (summary.failed === 0 && unfiled === 0) return { shouldNotify: false, metadata };
  const failed = reported.filter(({ result }) => failureOf(result) !== undefined);
  const names = failed.slice(0, 10).map(({ result }) => `${result.agent} ${result.result}`);
  const more = failed.length > names.length ? `, and ${failed.length - names.length} more` : "";
  const who = names.length === 0 ? "" : ` (${names.join(", ")}${more})`;
  const filed = `issues created: ${summary.issuesCreated}${unfiled === 0 ? "" : `, not filed yet: ${unfiled}`}`;
  const message = `Ticks of ${month}: ${summary.failed} of ${summary.total} failed${who}; ${filed}`;
  return { shouldNotify: true, message, metadata };
}
