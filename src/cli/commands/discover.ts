import { Command } from "commander";
import { homeAt } from "../../home/home.ts";
import { operationsOf } from "../../service/connect.ts";
import type { Discovered } from "../../tools/discover/discover.ts";
import type { CommonOptions } from "../output/roll.ts";
import { dim, paintState, plain, say, sayJson, table } from "../output/terminal.ts";

interface DiscoverOptions extends CommonOptions {
  readonly add?: true;
  readonly tmuxSocket?: string;
}

/** What became of one that was found. */
interface Row extends Omit<Discovered, "isKnown"> {
  readonly status: "known" | "new" | "added" | "failed";
  readonly problem?: string;
}

const STATUS: Readonly<Record<Row["status"], { says: string; like: Parameters<typeof paintState>[0] }>> = {
  known: { says: "on the roll", like: "paused" },
  new: { says: "new", like: "new" },
  added: { says: "added", like: "alive" },
  failed: { says: "not added", like: "dead" },
};

export function discoverCommand(): Command {
  return new Command("discover")
    .description(
      "find coding agents on this host, by their tmux panes, their transcripts of the last day and their processes",
    )
    .option("--add", "add the agents that are not on the roll yet")
    .option("--tmux-socket <name>", "search only this tmux server, named as for tmux -L")
    .option("--json", "print JSON: {found, problems}")
    .addHelpText(
      "after",
      `
It recognises claude, codex, gemini, qwen, opencode, copilot and aider.
Without --add it changes nothing.

Examples:
  $ rollcall agents discover          list the agents that it finds
  $ rollcall agents discover --add    add those that are not on the roll yet`,
    )
    .action(async ({ add, json, tmuxSocket, ...common }: DiscoverOptions) => {
      const { discover, saySignals } = await import("../../tools/discover/discover.ts");
      const { loadConfig } = await import("../../config/load.ts");
      const { knownAgents } = await import("../../service/offline-roll.ts");
      const home = homeAt(common.home);
      const agents = await knownAgents(home, await loadConfig(home.path, common.config));
      const server = tmuxSocket === undefined ? {} : { server: { socket: tmuxSocket } };
      const { found, problems } = await discover({ agents, env: process.env, now: Date.now(), ...server });
      const rows: Row[] = [];
      for (const one of found) rows.push(add === true ? await addOne(common, one) : rowOf(one));
      if (rows.some(({ status }) => status === "failed")) process.exitCode = 1;
      if (json === true) return sayJson({ found: rows, problems });
      for (const problem of problems) say(dim(plain(problem)));
      show(rows, saySignals);
    });
}

function rowOf({ isKnown, ...one }: Discovered): Row {
  return { ...one, status: isKnown ? "known" : "new" };
}

/** One that cannot be added does not keep out the others. */
async function addOne(common: CommonOptions, found: Discovered): Promise<Row> {
  const row = rowOf(found);
  if (row.status === "known") return row;
  try {
    await operationsOf(common).addAgent({ id: row.id, ...row.signals }, true);
    return { ...row, status: "added" };
  } catch (error) {
    return { ...row, status: "failed", problem: error instanceof Error ? error.message : String(error) };
  }
}

function show(rows: readonly Row[], saySignals: (row: Row) => string): void {
  if (rows.length === 0)
    return say("No coding agent was found: no tmux pane, no transcript of the last day, no process.");
  say(
    table(rows, [
      { title: "AGENT", text: ({ id }) => id, most: 40 },
      { title: "CLIENT", text: ({ client }) => client },
      {
        title: "STATUS",
        text: ({ status }) => STATUS[status].says,
        paint: ({ status }, text) => paintState(STATUS[status].like, text),
      },
      { title: "WATCHED BY", text: saySignals },
    ]),
  );
  for (const { id, problem } of rows)
    if (problem !== undefined) say(`${id} could not be added: ${plain(problem)}`);
  const count = rows.filter(({ status }) => status === "new").length;
  if (count > 0) say(`\n${count === 1 ? "1 is new; add it" : `${count} are new; add them`} with --add.`);
}
