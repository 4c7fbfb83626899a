import { Command } from "commander";
import { dropWork, listWork, startWork, updateWork, type Work } from "../../agent/work.ts";
import { sayAgo } from "../../core/duration.ts";
import { grouped } from "../../core/grouped.ts";
import { homeAt } from "../../home/home.ts";
import { operationsOf } from "../../service/connect.ts";
import { completeWork } from "../../tools/check-work.ts";
import { examples } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import { type CommonOptions, mustBeOnRoll } from "../output/roll.ts";
import { type Column, say, sayJson, sayList } from "../output/terminal.ts";

interface Options extends CommonOptions {
  readonly agent?: string;
  readonly note?: string;
  readonly check?: readonly string[];
}

export function workCommand(): Command {
  const work = new Command("work")
    .description("record what an agent is working on")
    .addHelpText("after", examples("work start allegro review pull request 7", "work list"));

  work
    .command("start")
    .description("record that an agent started some work, and print the id of the work")
    .argument("<agent>", "the id of the agent")
    .argument("<what...>", "what the work is, in a few words")
    .option(
      "--check <command>",
      "a command that must succeed before the work counts as done; may be given several times",
      (check: string, before: readonly string[] = []) => [...before, check],
    )
    .option("--json", "print JSON: the whole record")
    .addHelpText(
      "after",
      "\nExamples:\n  $ id=$(rollcall work start allegro review pull request 7)\n" +
        '  $ id=$(rollcall work start allegro fix the login --check "npm test")',
    )
    .action(async (agent: string, what: string[], options: Options) => {
      // Work alone puts nobody on the roll, so the work of a mistyped name would be watched by nobody.
      await mustBeOnRoll(options, agent);
      const started = startWork(agent, what.join(" "), homeAt(options.home).path, options.check);
      if (options.json === true) sayJson(started);
      else say(started.id);
    });

  work
    .command("update")
    .description("record that the work continues")
    .argument("<id>", "the id of the work, as work start prints it")
    .option("--note <text>", "how far the work is")
    .addHelpText("after", examples("work update 3f2a9c01d4e5 --note 'half way'"))
    .action((id: string, options: Options) => {
      updateWork(id, options.note, homeAt(options.home).path);
      say(`updated ${id}`);
    });

  work
    .command("done")
    .description("run the checks of the work, if it has any, and record that it is finished unless one fails")
    .argument("<id>", "the id of the work, as work start prints it")
    .option("--json", "print JSON: the whole record; its key failed names the check that failed")
    .addHelpText(
      "after",
      "\nThe checks run here, in this folder and with this environment. If one of them\n" +
        "fails, the work stays under way, and the agent is failing (done-not-proven)\n" +
        "until the work is done, updated or dropped. Exit code: 1 if a check failed.",
    )
    .addHelpText("after", examples("work done 3f2a9c01d4e5"))
    .action(async (id: string, options: Options) => {
      const done = await completeWork(id, homeAt(options.home).path, (chunk) => process.stderr.write(chunk));
      if (options.json === true) sayJson(done);
      const { failed } = done;
      if (failed === undefined) {
        if (options.json !== true) say(`done ${done.id}`);
        return;
      }
      const says = `${done.id} is not done: its check ${failed.problem}: ${failed.check}`;
      throw new Failure(`${says}\nSolve that and run again: rollcall work done ${done.id}`);
    });

  work
    .command("drop")
    .description("record that the work is given up; its checks do not run")
    .argument("<id>", "the id of the work, as work start prints it")
    .addHelpText("after", examples("work drop 3f2a9c01d4e5"))
    .action((id: string, options: Options) => {
      dropWork(id, homeAt(options.home).path);
      say(`dropped ${id}`);
    });

  work
    .command("list")
    .description("list all work that is recorded as under way")
    .option("--agent <id>", "list only the work of this agent")
    .option("--json", "print JSON: {work}")
    .addHelpText("after", examples("work list --agent allegro"))
    .action(async (options: Options) => {
      const list = listWork(homeAt(options.home).path, options.agent);
      if (options.agent !== undefined && list.length === 0) await mustBeOnRoll(options, options.agent);
      const released = await releasesOf(list, options);
      const ago = (time: string) => sayAgo(Date.now() - Date.parse(time));
      const says = (work: Work) => {
        const at = released.get(work.id);
        return at === undefined ? sayWork(work) : `${sayWork(work)} (released ${ago(at)})`;
      };
      const facts = list.map((work) => ({ ...work, releasedAt: released.get(work.id) ?? null }));
      sayList(options.json, { work: facts }, list, "No work is recorded as under way.", [
        { title: "ID", text: ({ id }) => id },
        { title: "AGENT", text: ({ agent }) => agent },
        { title: "STARTED", text: ({ startedAt }) => ago(startedAt) },
        { title: "UPDATED", text: ({ updatedAt }) => ago(updatedAt) },
        { title: "WHAT", text: says },
        ...(list.some(({ checks }) => checks !== undefined) ? [CHECKS] : []),
      ]);
    });

  return work;
}

/** What must pass before it is done. */
const CHECKS: Column<Work> = {
  title: "CHECKS",
  text: ({ checks = [] }) => checks.join("; "),
};

/** When a recovery step released work to others after it had last gone on, by the work's id. */
async function releasesOf(list: readonly Work[], where: CommonOptions): Promise<ReadonlyMap<string, string>> {
  const released = new Map<string, string>();
  const operations = operationsOf(where);
  for (const [agent, works] of grouped(list, (work) => work.agent)) {
    const page = await operations.history("recoveries", agent, { limit: 100 }).catch(() => undefined);
    const release = page?.items.find(({ step, state }) => step === "release" && state === "done");
    const at = release?.endedAt ?? undefined;
    if (at !== undefined) for (const { id, updatedAt } of works) if (at > updatedAt) released.set(id, at);
  }
  return released;
}

function sayWork({ what, note, failed }: Work): string {
  const more = failed === undefined ? note : `not proven: ${failed.check} ${failed.problem}`;
  return more === undefined ? what : `${what} (${more})`;
}
