import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { checkAgentId } from "../../agent/beat-record.ts";
import { loadConfig } from "../../config/load.ts";
import { agentsToSubmit } from "../../config/registry-file.ts";
import { storedIn } from "../../config/stored-home.ts";
import type { Reason } from "../../core/liveness/state.ts";
import { MONTH_FORM, parseMonth } from "../../core/tick/period.ts";
import { filingLines, type Reported, reportLines, summaryOf } from "../../core/tick/report.ts";
import type { HeldState } from "../../core/tick/status.ts";
import { ourForge, rcaTemplate } from "../../features/forge/forge.ts";
import { type HandedOver, HandedOverIssues, PendingIssues } from "../../features/issues/marked-files.ts";
import { type Checked, checkTicks, fileAll } from "../../features/ticks/check.ts";
import { IssueFiler } from "../../features/ticks/file-issues.ts";
import { tickLink } from "../../features/ticks/link.ts";
import { pushTicks } from "../../features/ticks/push.ts";
import { type Submitted, submitTick } from "../../features/ticks/submit.ts";
import { homeAt } from "../../home/home.ts";
import { examples } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import { type CommonOptions, callTheRoll } from "../output/roll.ts";
import { plain, say, sayJson } from "../output/terminal.ts";

interface Places extends CommonOptions {
  readonly registry: string;
  readonly ticks: string;
  readonly month?: string;
}

interface SubmitFlags extends Places {
  readonly agent?: string;
  readonly push?: true;
  readonly offline?: true;
}

interface CheckFlags extends Places {
  readonly checkAndReport?: true;
  readonly dryRun?: true;
}

export function tickCommand(): Command {
  const tick = new Command("tick")
    .description("submit and check ticks, the monthly health reports of agents")
    .addHelpText("after", examples("tick submit --agent allegro", "tick check"));
  withPlaces(tick.command("submit"))
    .description("measure an agent of this host and write its tick for the month")
    .option(
      "--agent <id>",
      "the agent (default: $ROLLCALL_AGENT, tick.agents in the config, or the only agent)",
    )
    .option("--offline", "report an agent that cannot be reached as offline, without measuring")
    .option("--push", "commit the tick and push it with git (default: tick.push in the config)")
    .addHelpText(
      "after",
      `
Examples:
  $ rollcall tick submit --agent allegro
  $ rollcall tick submit --agent timmy --offline --push`,
    )
    .action(submit);
  withPlaces(tick.command("check"))
    .description(
      "check the monthly health reports (ticks) of all active agents; exit code 1 if one is missing or reports a failure",
    )
    .option(
      "--check-and-report",
      "file a root-cause issue for each failure, once; without it nothing is filed",
    )
    .option("--dry-run", "contact nothing, and show what would be filed")
    .addHelpText(
      "after",
      `
Agents submit the tick of a month within its first 72 hours. Without --month,
this checks the newest month whose 72 hours are over: on the 1st to 3rd of a
month, that is the month before.

Examples:
  $ rollcall tick check
  $ rollcall tick check --check-and-report --month 2026-04
  $ rollcall tick check --dry-run`,
    )
    .action(check);
  return tick;
}

function withPlaces(command: Command): Command {
  return command
    .option("--month <YYYY-MM>", "the month of the tick, in UTC", monthIn)
    .option(
      "--registry <file>",
      "the JSON file that lists the agents which submit ticks",
      "config/agent-registry.json",
    )
    .option("--ticks <dir>", "the folder with the ticks", "ticks")
    .option("--json", "print JSON");
}

function monthIn(text: string): string {
  const month = parseMonth(text);
  if (month === undefined) throw new InvalidArgumentError(`expected ${MONTH_FORM}.`);
  return month;
}

async function submit(flags: SubmitFlags): Promise<void> {
  const home = homeAt(flags.home);
  const config = await loadConfig(home.path, flags.config);
  const settings = config.tick;
  const named = flags.agent ?? process.env.ROLLCALL_AGENT;
  if (named !== undefined) checkAgentId(named);
  const all = agentsToSubmit(flags.registry, named === undefined ? settings.agents : [named]);
  const agents = all.filter(({ active }) => active);
  const skipped = all.filter(({ active }) => !active).map(({ id }) => id);
  const offline = flags.offline === true;
  if (offline && named === undefined) throw new Failure("--offline needs --agent ID", 2);
  const ticks = resolve(flags.ticks);
  const submitted: Submitted[] = [];
  for (const agent of agents) {
    const held = offline ? undefined : await heldOf(agent.id, flags);
    submitted.push(
      await submitTick({
        agent,
        month: flags.month,
        ticks,
        home: storedIn(home, config),
        settings,
        offline,
        held,
        now: Date.now(),
        env: process.env,
      }),
    );
  }
  const pushed = flags.push === true || settings.push ? await push(ticks, submitted) : undefined;
  if (flags.json === true) sayJson({ submitted, skipped, pushed: pushed ?? null });
  else {
    for (const line of submitLines(submitted, pushed?.outcome === "pushed")) say(plain(line));
    for (const id of skipped) say(plain(`${id}: skipped, because the registry says that it is not active`));
  }
  if (pushed?.outcome === "failed")
    throw new Failure(`the tick is written, but not pushed: ${pushed.problem}`);
}

/** What the roll says of an agent. Without a watcher only beats tell anything of now. */
async function heldOf(id: string, common: CommonOptions): Promise<HeldState | undefined> {
  const { watcher, agents } = await callTheRoll(common, id);
  const [view] = agents;
  if (view === undefined) return undefined;
  if (!watcher.running && view.rule === null) return { state: "unknown", reason: "not-watched" };
  return { state: view.state, reason: view.reason as Reason };
}

function push(ticks: string, submitted: readonly Submitted[]): ReturnType<typeof pushTicks> {
  const files = submitted.flatMap(({ file, earlier }) => (earlier === undefined ? file : [file, earlier]));
  const said = submitted.map(({ tick }) => `${tick.agent} ${tick.month} ${tick.status}`);
  return pushTicks(ticks, files, `tick: ${said.join(", ")}`, process.env);
}

function submitLines(submitted: readonly Submitted[], pushed: boolean): string[] {
  return submitted.flatMap(({ tick, file, earlier }) => [
    `${tick.agent}: ${tick.status.toUpperCase()} for ${tick.month}, ${pushed ? "pushed" : "written"} (${file})`,
    ...Object.entries(tick.problems ?? {}).map(([name, why]) => `  ${name}: ${why}`),
    ...(earlier === undefined ? [] : [`  the earlier one is kept in ${earlier}`]),
  ]);
}

async function check(flags: CheckFlags): Promise<void> {
  const home = homeAt(flags.home);
  const config = await loadConfig(home.path, flags.config);
  const ours = ourForge(config);
  const now = Date.now();
  const { month, checked } = checkTicks({
    registry: flags.registry,
    ticks: resolve(flags.ticks),
    month: flags.month,
    now,
    template: rcaTemplate(config),
    secrets: "secrets" in ours ? ours.secrets : [],
    link: tickLink(config, ours, resolve(flags.ticks)),
  });
  const pending = new PendingIssues(home.path);
  const files = flags.checkAndReport === true && flags.dryRun !== true;
  const forge = "forge" in ours ? ours.forge : ours;
  const filer = new IssueFiler(forge, pending, async ({ marker }, { number, url }) => {
    const issue = { marker, number, url, at: Date.now(), ticks: resolve(flags.ticks) };
    handOver(home.path, { ...issue, forge: "name" in forge ? forge.name : "" });
  });
  const { reported, earlier } = files
    ? await fileAll(month, checked, filer, pending)
    : {
        reported: checked.map(flags.dryRun === true ? wouldFile : ({ result }): Reported => ({ result })),
        earlier: [],
      };
  const summary = summaryOf(reported);
  // Documented in docs/agent-tick-protocol.md, and kept.
  const agents = reported.map(({ result, filing }) => ({ ...result, issue: filing ?? null }));
  if (flags.json === true) sayJson({ month, agents, earlier, summary });
  else {
    for (const line of reportLines({ month, now }, reported)) say(plain(line));
    for (const { title, filing } of earlier)
      for (const line of [`From an earlier run: ${title}`, ...filingLines(filing)]) say(plain(line));
    if (flags.checkAndReport !== true && summary.failed > 0) say(HOW_TO_FILE);
  }
  process.exitCode = summary.failed > 0 ? 1 : 0;
}

/** A home that cannot be written keeps nobody from filing; only the follow-ups are lost. */
function handOver(home: string, issue: HandedOver): void {
  try {
    new HandedOverIssues(home).put(issue);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`rollcall: the daemon will not follow up issue #${issue.number}: ${plain(why)}\n`);
  }
}

const HOW_TO_FILE =
  "\nNothing was filed. To file an issue for each failure, run the same command with --check-and-report.";

function wouldFile({ result, draft }: Checked): Reported {
  if (draft === undefined) return { result };
  const { title, labels, body } = draft;
  return { result, filing: { outcome: "would-file", title, labels, body } };
}
