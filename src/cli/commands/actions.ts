import { Command } from "commander";
import { SECOND, sayDuration } from "../../core/duration.ts";
import { operationsOf } from "../../service/connect.ts";
import { firstOf } from "../../service/page.ts";
import type { ActionView, RunView } from "../../views/show.ts";
import { countOf, examples } from "../input/arguments.ts";
import type { CommonOptions } from "../output/roll.ts";
import { dim, plain, say, sayDone, sayJson, sayList, timeColumn, when } from "../output/terminal.ts";

export function actionsCommand(): Command {
  const actions = new Command("actions")
    .description("list and run the watcher's scheduled actions")
    .addHelpText("after", examples("actions list", "actions run task-scan"));

  actions
    .command("list")
    .description("list every action with its schedule and its last result")
    .option("--json", "print JSON: {actions}")
    .addHelpText("after", examples("actions list"))
    .action(async ({ json, ...where }: CommonOptions) => {
      const found = await operationsOf(where).actions();
      const none = "No action is scheduled: heartbeat.enabled is false in the config.";
      sayList(json, { actions: found }, found, none, [
        { title: "ACTION", text: ({ name }) => name, most: 30 },
        { title: "WHEN", text: ({ words }) => words, most: 60 },
        { title: "NEXT", text: sayNext },
        { title: "LAST", text: sayLast, most: 40 },
        { title: "DOES", text: ({ description }) => description },
      ]);
    });

  actions
    .command("next")
    .description("show when each action runs next")
    .option("--count <n>", "how many runs of each action", countOf, 3)
    .option("--json", "print JSON: {next: {action: [times]}}")
    .addHelpText("after", examples("actions next --count 5"))
    .action(async ({ count, json, ...where }: CommonOptions & { count: number }) => {
      const operations = operationsOf(where);
      const found = await operations.actions();
      const next: Record<string, readonly string[]> = {};
      for (const { name } of found) next[name] = await operations.nextRuns(name, count);
      if (json === true) return sayJson({ next });
      for (const { name, words, enabled } of found) {
        say(`${name}  ${dim(plain(words))}${enabled ? "" : "  disabled; it would run"}`);
        for (const at of next[name] ?? []) say(`  ${when(at)}`);
      }
    });

  actions
    .command("run")
    .description("run an action now, whatever its schedule says")
    .argument("<name>", "the name of the action")
    .option("--json", "print JSON: {run}")
    .addHelpText("after", examples("actions run task-scan"))
    .action(async (name: string, { json, ...where }: CommonOptions) => {
      const done = sayRunning(name);
      const run = await operationsOf(where).runAction(name).finally(done);
      if (json === true) sayJson({ run });
      else say(sayRun(run));
      if (run.outcome !== "done" && run.outcome !== "skipped") process.exitCode = 1;
    });

  actions
    .command("history")
    .description("list the runs of an action, newest first, with the reasons for skipped runs")
    .argument("<name>", "the name of the action")
    .option("--limit <n>", "how many to list", countOf, 20)
    .option("--json", "print JSON: {runs}")
    .addHelpText("after", examples("actions history task-scan --limit 5"))
    .action(async (name: string, { limit, json, ...where }: CommonOptions & { limit: number }) => {
      const operations = operationsOf(where);
      const runs = await firstOf(limit, (wanted) => operations.runs(name, wanted));
      const said = ({ outcome, reason }: RunView) => (reason === null ? outcome : `${outcome}: ${reason}`);
      sayList(json, { runs }, runs, `No run of ${name} is on record.`, [
        timeColumn("DUE", ({ dueAt }) => dueAt),
        { title: "OUTCOME", text: said },
        { title: "TIMES", text: ({ count }) => String(count ?? 1) },
        { title: "TOOK", text: sayTook },
        { title: "SAID", text: ({ message, problem }) => message ?? problem ?? "" },
      ]);
    });

  for (const wish of ["enable", "disable"] as const) {
    actions
      .command(wish)
      .description(
        wish === "enable"
          ? "let an action run again"
          : "stop an action from running until it is enabled again",
      )
      .argument("<name>", "the name of the action")
      .option("--json", "print JSON: {action, enabled}")
      .addHelpText("after", examples(`actions ${wish} task-scan`))
      .action(async (name: string, { json, ...where }: CommonOptions) => {
        await operationsOf(where).enableAction(name, wish === "enable");
        sayDone(json, { action: name, enabled: wish === "enable" }, `${wish}d ${name}`);
      });
  }
  return actions;
}

/** Says that it is still under way, from the first second on; returns how to end that. */
function sayRunning(name: string): () => void {
  const began = Date.now();
  let timer = setTimeout(tell, SECOND);
  function tell(): void {
    const waited = sayDuration(Date.now() - began);
    process.stderr.write(
      `rollcall: ${name} has been running for ${waited}; after Ctrl-C the daemon goes on with it …\n`,
    );
    timer = setTimeout(tell, 10 * SECOND);
  }
  return () => clearTimeout(timer);
}

function sayNext({ enabled, running, nextAt }: ActionView): string {
  if (running) return "running";
  if (!enabled) return "disabled";
  return nextAt === null ? "–" : `in ${sayDuration(Date.parse(nextAt) - Date.now())}`;
}

function sayLast({ lastRun, failures }: ActionView): string {
  if (lastRun === null) return "never";
  const ago = sayDuration(Date.now() - Date.parse(lastRun.endedAt ?? lastRun.dueAt));
  return failures > 1
    ? `${lastRun.outcome} ${ago} ago, ${failures} times in a row`
    : `${lastRun.outcome} ${ago} ago`;
}

function sayTook({ startedAt, endedAt }: RunView): string {
  return startedAt === null || endedAt === null
    ? "–"
    : sayDuration(Date.parse(endedAt) - Date.parse(startedAt));
}

function sayRun({ action, outcome, reason, message, problem }: RunView): string {
  const more = [reason, message, problem].filter((part) => part !== null).map(plain);
  return [`${action}: ${outcome}`, ...more].join(": ");
}
