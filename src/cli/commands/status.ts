import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { SECOND, sayAgo, sayDuration } from "../../core/duration.ts";
import type { State } from "../../core/liveness/state.ts";
import type { AgentView } from "../../daemon/offline.ts";
import { NoSuchAgentError } from "../failure.ts";
import { type Common, callTheRoll, type Roll } from "../roll.ts";
import { bold, type Column, dim, paintState, plain, say, sayJson, table, when } from "../terminal.ts";

export function statusCommand(): Command {
  return new Command("status")
    .description("the roll: every agent, its state, and why")
    .argument("[agent]", "only this one, with its evidence")
    .option("--json", "for programs: {watcher, agents}")
    .option("--watch", "keep it on screen")
    .addHelpText("after", "\nExamples:\n  $ rollcall status --watch\n  $ rollcall status allegro --json")
    .action(async (agent: string | undefined, options: Common & { json?: true; watch?: true }) => {
      do {
        const roll = await callTheRoll(options, agent);
        if (agent !== undefined && roll.agents.length === 0) throw new NoSuchAgentError(agent);
        const shown = options.json === true ? undefined : showRoll(roll, agent !== undefined);
        if (options.watch === true && process.stdout.isTTY === true && shown !== undefined) {
          process.stdout.write("\x1b[H\x1b[2J");
        }
        if (shown === undefined) sayJson(roll);
        else say(shown);
        if (options.watch === true) await sleep(SECOND);
      } while (options.watch === true);
    });
}

/** Trouble first: that is what a person opens it for. */
const ORDER: readonly State[] = [
  ...(["dead", "failing", "stalled", "waiting", "limited", "late", "unknown", "new"] as const),
  ...(["alive", "resting", "paused"] as const),
];

function showRoll(roll: Roll, detailed: boolean): string {
  const agents = [...roll.agents].sort(
    (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || (a.id < b.id ? -1 : 1),
  );
  const lines = [showWatcher(roll.watcher), ""];
  if (agents.length === 0) lines.push("No agent yet. A first beat registers one:", "  rollcall beat allegro");
  else lines.push(table(agents, columns(Date.now())), "", summary(agents));
  if (detailed) for (const agent of agents) lines.push("", showEvidence(agent));
  return lines.join("\n");
}

function showWatcher(watcher: Roll["watcher"]): string {
  if (!watcher.running) {
    const problem = typeof watcher.problem === "string" ? ` (${plain(watcher.problem)})` : "";
    return `${bold("No watcher is running")}${problem}: judged from the files in ${String(watcher.home)}`;
  }
  const ran = sayDuration(Date.now() - Date.parse(String(watcher.startedAt)));
  const lines = [dim(`watcher ${watcher.pid} at ${watcher.url}, up ${ran}`)];
  if (watcher.blindSince !== null)
    lines.push(bold(`It cannot store anything since ${when(String(watcher.blindSince))}.`));
  if (Number(watcher.badSpoolFiles) > 0) {
    lines.push(bold(`${watcher.badSpoolFiles} spooled files are not beats; see ${watcher.home}/spool/bad`));
  }
  return lines.join("\n");
}

function columns(now: number): readonly Column<AgentView>[] {
  const ago = (time: string | null) => (time === null ? "–" : `${sayAgo(now - Date.parse(time))}`);
  return [
    {
      title: "AGENT",
      text: ({ id, name }) => (name === null || name === id ? id : `${id} (${name})`),
      most: 40,
    },
    { title: "STATE", text: ({ state }) => state, paint: ({ state }, text) => paintState(state, text) },
    { title: "FOR", text: ({ since }) => sayDuration(now - Date.parse(since)) },
    { title: "LAST BEAT", text: ({ lastBeatAt }) => ago(lastBeatAt) },
    { title: "CYCLE", text: ({ cycle }) => (cycle === null ? "–" : String(cycle)) },
    { title: "LAST ACTION", text: ({ action }) => action ?? "–", most: 30 },
    { title: "WHY", text: ({ why }) => why, paint: (_, text) => dim(text) },
  ];
}

function summary(agents: readonly AgentView[]): string {
  const counts = ORDER.map(
    (state) => [state, agents.filter((agent) => agent.state === state).length] as const,
  );
  const said = counts
    .filter(([, count]) => count > 0)
    .map(([state, count]) => paintState(state, `${count} ${state}`));
  return `${agents.length === 1 ? "1 agent" : `${agents.length} agents`}: ${said.join(", ")}`;
}

function showEvidence({ id, evidence = [] }: AgentView): string {
  if (evidence.length === 0) return `Nothing is known of ${id} yet.`;
  return `What we know of ${id}:\n${table(evidence, [
    { title: "SIGNAL", text: ({ signal }) => signal },
    { title: "AT", text: ({ at }) => when(at) },
    { title: "SAYS", text: ({ says }) => says },
  ])}`;
}
