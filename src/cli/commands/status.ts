import { setTimeout as sleep } from "node:timers/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { SECOND, sayDuration } from "../../core/duration.ts";
import { matches } from "../../core/incident/policy.ts";
import { countStates, isTrouble, STATES, type State, sumOf } from "../../core/liveness/state.ts";
import { nearest } from "../../core/nearest.ts";
import type { StoreEvent } from "../../home/store-events.ts";
import type { HubInCharge } from "../../ports/hubs.ts";
import type { AgentWithPing } from "../../service/operations.ts";
import type { FailingView, ReportsToView } from "../../views/show.ts";
import { examples } from "../input/arguments.ts";
import { NOT_THERE, NoSuchAgentError } from "../output/failure.ts";
import {
  type CalledRoll,
  type CommonOptions,
  callTheRoll,
  lookAtTheRoll,
  tellConfigError,
} from "../output/roll.ts";
import {
  counted,
  countsWithout,
  inOrder,
  rollColumns,
  SORTS,
  type Sort,
  shortLine,
  summary,
  worstCode,
} from "../output/roll-table.ts";
import { onScreen } from "../output/screen.ts";
import {
  bold,
  cutLine,
  dim,
  onThisClock,
  outputWidth,
  plain,
  say,
  sayJson,
  table,
  when,
  wrap,
} from "../output/terminal.ts";
import { sayAttempts } from "../output/told.ts";

interface StatusOptions extends CommonOptions {
  readonly watch?: true;
  readonly host?: string;
  readonly group?: string;
  readonly state?: readonly State[];
  readonly sort: Sort;
  readonly short?: true;
  readonly format?: "plain" | "tmux";
  readonly check?: true;
  readonly all?: true;
}

export function statusCommand(): Command {
  return new Command("status")
    .description("list every agent with its state and the reason")
    .argument(
      "[agent]",
      'show only this agent, with the evidence for its state; or a pattern such as "web-*"',
    )
    .option("--json", "print JSON: {watcher, agents}")
    .option("--state <names>", "show only agents in these states, such as dead,waiting", statesOf)
    .option("--group <name>", "show only the agents of this group")
    .option("--host <name>", "show only the agents of this host")
    .addOption(
      new Option("--sort <by>", "the order of the list").choices(Object.keys(SORTS)).default("state"),
    )
    .option(
      "--all",
      "list all agents; without it, a list longer than the terminal shows those in trouble and counts the others",
    )
    .option("--short", "print one line, for a shell prompt or a status bar")
    .addOption(
      new Option(
        "--format <kind>",
        "how --short marks colours: plain (for a terminal) or tmux (for tmux's status line)",
      ).choices(["plain", "tmux"]),
    )
    .option(
      "--check",
      "end with the exit code of the worst state, as `rollcall check` does; 3 if no agent has this name, group or host",
    )
    .option("--watch", "update the list on the screen until you press q or Ctrl-C")
    .addHelpText(
      "after",
      examples(
        "status --watch",
        "status allegro --json",
        "status --state dead,waiting 'web-*'",
        "status --short --format tmux     # for status-right in tmux",
      ),
    )
    .action(async (agent: string | undefined, options: StatusOptions) => {
      const pattern = agent?.includes("*") === true ? agent : undefined;
      const only = pattern === undefined ? agent : undefined;
      const { host, group, state } = options;
      const isFiltered = [agent, host, group, state].some((filter) => filter !== undefined);
      const isForEyes = options.short === true || process.stdout.isTTY === true;
      const isWhole = isFiltered || options.json === true || options.all === true;
      const call = async (): Promise<CalledRoll> => {
        if (isForEyes && !isWhole) return lookAtTheRoll(options);
        const roll = await callTheRoll(options, only, { host, group, states: state });
        if (only !== undefined && roll.agents.length === 0) throw new NoSuchAgentError(only);
        if (pattern === undefined) return roll;
        const agents = roll.agents.filter(({ id }) => matches(pattern, id));
        return { ...roll, counts: countStates(agents), agents };
      };
      let roll = await call();
      const none = noneOf(options, pattern);
      const detailed = only !== undefined;
      if (options.watch === true && options.json !== true && process.stdout.isTTY === true) {
        const draw = (rows: number) => showScreen(roll, options.sort, detailed, rows, none);
        return onScreen(draw, async () => {
          roll = await call();
        });
      }
      for (;;) {
        tellConfigError(roll);
        const isForScript = options.check === true || options.short === true;
        const isNobody = isForScript && sumOf(roll.counts) === 0 && (await namesNobody(options, pattern));
        if (options.json === true) sayJson(roll);
        else if (options.short === true) say(shortLine(roll, options.format ?? "plain"));
        else if (!isNobody) say(showRoll(roll, options, detailed, none));
        if (isNobody) process.stderr.write(`rollcall: ${none}\n`);
        if (options.check === true) process.exitCode = isNobody ? NOT_THERE : worstCode(roll);
        if (options.watch !== true) return;
        await sleep(SECOND);
        roll = await call();
      }
    });
}

/** Whether no agent at all has this name, group or host, whatever its state: that is a typing error. */
async function namesNobody(options: StatusOptions, pattern: string | undefined): Promise<boolean> {
  const { host, group, state } = options;
  if (host === undefined && group === undefined && pattern === undefined) return false;
  if (state === undefined) return true;
  const { agents } = await callTheRoll(options, undefined, { host, group });
  return !agents.some(({ id }) => pattern === undefined || matches(pattern, id));
}

function statesOf(text: string): readonly State[] {
  const names = text.split(",").map((name) => name.trim());
  const known = Object.keys(STATES);
  const wrong = names.find((name) => !known.includes(name));
  if (wrong === undefined) return names as State[];
  const near = nearest(wrong, known);
  const meant = near === undefined ? "" : `; did you mean ${near}?`;
  throw new InvalidArgumentError(`expected ${known.join(", ")}, not "${wrong}"${meant}`);
}

function showRoll(roll: CalledRoll, options: StatusOptions, detailed: boolean, none: string): string {
  const agents = inOrder(roll.agents, options.sort);
  const lines = [showWatcher(roll.watcher), ""];
  const below = wrap(summary(roll.counts), outputWidth(), ", ");
  const taken = [...lines, below].join("\n").split("\n").length;
  const shown = options.all === true ? agents : whileTheyFit(agents, taken);
  const rest = countsWithout(roll.counts, shown);
  if (sumOf(roll.counts) === 0) lines.push(none);
  else {
    lines.push(table(shown, rollColumns(Date.now())));
    if (sumOf(rest) > 0) lines.push(dim(`… and ${sumOf(rest)} more: ${counted(rest)}; --all lists them`));
    lines.push("", below);
  }
  if (detailed) for (const agent of agents) lines.push("", showEvidence(agent));
  return lines.join("\n");
}

/** On a terminal, trouble must not scroll away above a long list of other agents. */
function whileTheyFit(agents: AgentWithPing[], taken: number): AgentWithPing[] {
  const rows = process.stdout.isTTY === true ? process.stdout.rows || 24 : Number.POSITIVE_INFINITY;
  // The title of the table, the line about the rest, an empty line and the next prompt take a row each.
  const room = rows - taken - 4;
  const wrong = agents.filter(({ state }) => isTrouble(state)).length;
  if (agents.length <= room + 1) return agents;
  let left = Math.max(0, room - wrong);
  return agents.filter(({ state }) => isTrouble(state) || left-- > 0);
}

/** What is said where nobody is on the roll, or nobody passes the filters. */
function noneOf({ host, group, state }: StatusOptions, pattern: string | undefined): string {
  if (group !== undefined || state !== undefined || pattern !== undefined)
    return "No agent on the roll matches these filters.";
  if (host !== undefined) return `No agent of host ${plain(host)} is on the roll.`;
  return "No agent yet. Find the agents of this host, or send a first beat:\n  rollcall init\n  rollcall beat allegro";
}

/** The roll in the room that a terminal has: the summary first, then as many agents as fit, trouble on top. */
function showScreen(roll: CalledRoll, sort: Sort, detailed: boolean, rows: number, none: string): string {
  const agents = inOrder(roll.agents, sort);
  const wrong = roll.configError === undefined ? [] : [bold(plain(roll.configError))];
  const above = [
    showWatcher(roll.watcher),
    ...wrong,
    sumOf(roll.counts) === 0 ? none : wrap(summary(roll.counts), outputWidth(), ", "),
    "",
  ];
  if (sumOf(roll.counts) === 0) return above.join("\n");
  // The title of the table takes a row, and so does the line that tells of agents that do not fit.
  const room = rows - above.join("\n").split("\n").length - 1;
  const shown = sumOf(roll.counts) <= room ? agents : agents.slice(0, Math.max(1, room - 1));
  const rest = countsWithout(roll.counts, shown);
  const lines = [...above, table(shown, rollColumns(Date.now()))];
  if (sumOf(rest) > 0) lines.push(dim(`… and ${sumOf(rest)} more: ${counted(rest)}`));
  if (detailed) for (const agent of agents) lines.push("", showEvidence(agent));
  return lines.join("\n");
}

function showWatcher(watcher: CalledRoll["watcher"]): string {
  if (!watcher.running) {
    const { problem, database, hubInCharge } = watcher;
    const from = typeof database === "string" ? `database ${plain(database)}` : `files in ${watcher.home}`;
    const offline =
      typeof problem === "string"
        ? `${bold(plain(problem.replace(/^t/, "T")))}; judged from the ${from}; see: rollcall doctor`
        : `${bold(`No watcher is running${typeof database === "string" ? " in this home" : ""}`)}: judged from the ${from}. Start it: rollcall daemon start`;
    return [offline, ...sayInCharge(hubInCharge), ...storeEventsOf(watcher)]
      .map((line) => wrap(line))
      .join("\n");
  }
  const ran = sayDuration(Date.now() - Date.parse(String(watcher.startedAt)));
  const lines = [cutLine(dim(`watcher ${watcher.pid} at ${watcher.url}, up ${ran}`), outputWidth())];
  if (watcher.blindSince !== null)
    lines.push(bold(`It has been unable to store anything since ${when(String(watcher.blindSince))}.`));
  lines.push(...storeEventsOf(watcher), ...hubLinesOf(watcher));
  const bad = Number(watcher.badSpoolFiles);
  const files = bad === 1 ? "1 spooled file is not a beat" : `${bad} spooled files are not beats`;
  if (bad > 0) lines.push(bold(`${files}; see ${watcher.home}/spool/bad`));
  const { refusedBeat } = watcher;
  if (typeof refusedBeat === "object" && refusedBeat !== null) {
    const { at, why } = refusedBeat as { at: string; why: string };
    lines.push(`A beat was refused ${when(at)}: ${plain(why)}`);
  }
  for (const { place, since, undelivered, attempts, problem } of (watcher.failingChannels ??
    []) as readonly FailingView[]) {
    const what = undelivered === 1 ? "1 message" : `${undelivered} messages`;
    const wait = sayDuration(Date.now() - Date.parse(since));
    const failed = sayAttempts(attempts, problem);
    lines.push(bold(`Channel ${plain(place)} fails: ${what} not delivered, the oldest for ${wait}${failed}`));
  }
  return lines.map((line) => wrap(line)).join("\n");
}

/** Several hubs may share a database: then another one watches while ours does not run. */
function sayInCharge(hub: unknown): readonly string[] {
  if (typeof hub !== "object" || hub === null) return [];
  const { id, url } = hub as HubInCharge;
  return [`Hub ${plain(id)} (${plain(url)}) uses this database and watches its agents.`];
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

function showEvidence({ id, evidence = [] }: AgentWithPing): string {
  if (evidence.length === 0) return `Nothing is known about ${id} yet.`;
  return `What is known about ${id}:\n${table(evidence, [
    { title: "SIGNAL", text: ({ signal }) => signal },
    { title: "AT", text: ({ at }) => when(at) },
    { title: "SAYS", text: ({ says }) => onThisClock(says, Date.now()), wraps: true },
  ])}`;
}
