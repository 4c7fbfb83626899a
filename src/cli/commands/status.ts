import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { SECOND, sayAgo, sayDuration } from "../../core/duration.ts";
import type { State } from "../../core/liveness/state.ts";
import type { StoreEvent } from "../../home/store-events.ts";
import type { AgentWithPing } from "../../service/operations.ts";
import type { FailingView, ReportsToView } from "../../views/show.ts";
import { examples } from "../input/arguments.ts";
import { NoSuchAgentError } from "../output/failure.ts";
import { type CalledRoll, type CommonOptions, callTheRoll, tellConfigError } from "../output/roll.ts";
import { onScreen } from "../output/screen.ts";
import {
  bold,
  type Column,
  dim,
  onThisClock,
  paintState,
  plain,
  say,
  sayJson,
  table,
  when,
} from "../output/terminal.ts";
import { sayAttempts } from "../output/told.ts";

export function statusCommand(): Command {
  return new Command("status")
    .description("list every agent with its state and the reason")
    .argument("[agent]", "show only this agent, with the evidence for its state")
    .option("--json", "for programs: {watcher, agents}")
    .option("--host <name>", "show only the agents of this host")
    .option("--watch", "update the list on the screen until you press q or Ctrl-C")
    .addHelpText("after", examples("status --watch", "status allegro --json"))
    .action(async (agent: string | undefined, options: CommonOptions & { watch?: true; host?: string }) => {
      const call = async () => {
        const roll = await callTheRoll(options, agent, { host: options.host });
        if (agent !== undefined && roll.agents.length === 0) throw new NoSuchAgentError(agent);
        return roll;
      };
      let roll = await call();
      if (options.watch === true && options.json !== true && process.stdout.isTTY === true) {
        const none = noneOf(options.host);
        const draw = (rows: number) => showScreen(roll, agent !== undefined, rows, none);
        return onScreen(draw, async () => {
          roll = await call();
        });
      }
      for (;;) {
        tellConfigError(roll);
        if (options.json === true) sayJson(roll);
        else say(showRoll(roll, agent !== undefined, noneOf(options.host)));
        if (options.watch !== true) return;
        await sleep(SECOND);
        roll = await call();
      }
    });
}

/** Trouble first: that is what a person opens it for. */
const ORDER: readonly State[] = [
  ...(["dead", "failing", "stalled", "waiting", "limited", "late", "unknown", "new"] as const),
  ...(["alive", "resting", "paused"] as const),
];

function inOrder(agents: readonly AgentWithPing[]): AgentWithPing[] {
  return [...agents].sort(
    (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || (a.id < b.id ? -1 : 1),
  );
}

function showRoll(roll: CalledRoll, detailed: boolean, none: string): string {
  const agents = inOrder(roll.agents);
  const lines = [showWatcher(roll.watcher), ""];
  if (agents.length === 0) lines.push(none);
  else lines.push(table(agents, columns(Date.now())), "", summary(agents));
  if (detailed) for (const agent of agents) lines.push("", showEvidence(agent));
  return lines.join("\n");
}

/** What is said where nobody is on the roll, or nobody of a host. */
function noneOf(host: string | undefined): string {
  if (host !== undefined) return `No agent of host ${plain(host)} is on the roll.`;
  return "No agent yet. A first beat registers one:\n  rollcall beat allegro";
}

/** The roll in the room that a terminal has: the summary first, then as many agents as fit, trouble on top. */
function showScreen(roll: CalledRoll, detailed: boolean, rows: number, none: string): string {
  const agents = inOrder(roll.agents);
  const wrong = roll.configError === undefined ? [] : [bold(plain(roll.configError))];
  const above = [showWatcher(roll.watcher), ...wrong, agents.length === 0 ? none : summary(agents), ""];
  if (agents.length === 0) return above.join("\n");
  // The title of the table takes a row, and so does the line that tells of agents that do not fit.
  const room = rows - above.join("\n").split("\n").length - 1;
  const shown = agents.length <= room ? agents : agents.slice(0, Math.max(1, room - 1));
  const rest = agents.slice(shown.length);
  const lines = [...above, table(shown, columns(Date.now()))];
  if (rest.length > 0) lines.push(dim(`… and ${rest.length} more: ${counted(rest)}`));
  if (detailed) for (const agent of agents) lines.push("", showEvidence(agent));
  return lines.join("\n");
}

function showWatcher(watcher: CalledRoll["watcher"]): string {
  if (!watcher.running) {
    const problem = typeof watcher.problem === "string" ? ` (${plain(watcher.problem)})` : "";
    const offline = `${bold("No watcher is running")}${problem}: judged from the files in ${String(watcher.home)}`;
    return [offline, ...storeEventsOf(watcher)].join("\n");
  }
  const ran = sayDuration(Date.now() - Date.parse(String(watcher.startedAt)));
  const lines = [dim(`watcher ${watcher.pid} at ${watcher.url}, up ${ran}`)];
  if (watcher.blindSince !== null)
    lines.push(bold(`It has been unable to store anything since ${when(String(watcher.blindSince))}.`));
  lines.push(...storeEventsOf(watcher), ...hubLinesOf(watcher));
  const bad = Number(watcher.badSpoolFiles);
  const files = bad === 1 ? "1 spooled file is not a beat" : `${bad} spooled files are not beats`;
  if (bad > 0) lines.push(bold(`${files}; see ${watcher.home}/spool/bad`));
  for (const { place, since, undelivered, attempts, problem } of (watcher.failingChannels ??
    []) as readonly FailingView[]) {
    const what = undelivered === 1 ? "1 message" : `${undelivered} messages`;
    const wait = sayDuration(Date.now() - Date.parse(since));
    const failed = sayAttempts(attempts, problem);
    lines.push(bold(`Channel ${plain(place)} fails: ${what} not delivered, the oldest for ${wait}${failed}`));
  }
  return lines.join("\n");
}

/** Of a host: the hub that it reports to, and what is wrong with that. */
function hubLinesOf({ reportsTo }: CalledRoll["watcher"]): readonly string[] {
  if (reportsTo === undefined || reportsTo === null) return [];
  const { url, host, state, since, problem } = reportsTo as ReportsToView;
  const to = `the hub ${plain(url)} as ${plain(host)}`;
  if (state === "in contact" || state === "not tried yet") return [dim(`reports to ${to}`)];
  const why = problem === null ? "" : `: ${plain(problem)}`;
  if (state === "refused") return [bold(`Refused by ${to} since ${when(since)}${why}`)];
  return [bold(`Out of contact with ${to} since ${when(since)}${why}`)];
}

function storeEventsOf({ storeEvents = [] }: CalledRoll["watcher"]): readonly string[] {
  return (storeEvents as readonly StoreEvent[]).map(({ code, at, what, lost }) =>
    bold(
      `${code}: ${plain(what)}, ${when(at)}. Lost: ${plain(lost)}. Acknowledge it with: rollcall doctor --ack`,
    ),
  );
}

function columns(now: number): readonly Column<AgentWithPing>[] {
  const ago = (time: string | null) => (time === null ? "–" : `${sayAgo(now - Date.parse(time))}`);
  return [
    {
      title: "AGENT",
      text: ({ id, name }) => (name === null || name === id ? id : `${id} (${name})`),
      most: 40,
      least: 12,
      cut: "middle",
    },
    { title: "STATE", text: ({ state }) => state, paint: ({ state }, text) => paintState(state, text) },
    { title: "FOR", text: ({ since }) => sayDuration(now - Date.parse(since)), drop: 2 },
    { title: "LAST BEAT", text: ({ lastBeatAt }) => ago(lastBeatAt), drop: 3 },
    { title: "CYCLE", text: ({ cycle }) => (cycle === null ? "–" : String(cycle)), drop: 5 },
    { title: "LAST ACTION", text: ({ action }) => action ?? "–", most: 30, least: 12, drop: 4 },
    {
      title: "WHY",
      text: ({ why }) => onThisClock(why, now),
      paint: (_, text) => dim(text),
      least: 36,
      drop: 1,
    },
  ];
}

function summary(agents: readonly AgentWithPing[]): string {
  return `${agents.length === 1 ? "1 agent" : `${agents.length} agents`}: ${counted(agents, paintState)}`;
}

function counted(
  agents: readonly AgentWithPing[],
  paint: (state: State, text: string) => string = (_, text) => text,
): string {
  return ORDER.map((state) => [state, agents.filter((agent) => agent.state === state).length] as const)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => paint(state, `${count} ${state}`))
    .join(", ");
}

function showEvidence({ id, evidence = [] }: AgentWithPing): string {
  if (evidence.length === 0) return `Nothing is known about ${id} yet.`;
  return `What is known about ${id}:\n${table(evidence, [
    { title: "SIGNAL", text: ({ signal }) => signal },
    { title: "AT", text: ({ at }) => when(at) },
    { title: "SAYS", text: ({ says }) => says },
  ])}`;
}
