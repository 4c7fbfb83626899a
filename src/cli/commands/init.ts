import { closeSync, lstatSync, openSync, writeSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Command, Option } from "commander";
import { expandTilde } from "../../agent/home.ts";
import { configFileIn } from "../../config/find.ts";
import { loadConfig, parseConfig } from "../../config/load.ts";
import type { Agent } from "../../core/agent.ts";
import { quoted } from "../../core/quoted.ts";
import { redact } from "../../core/redact.ts";
import { homeAt } from "../../home/home.ts";
import { operationsOf } from "../../service/connect.ts";
import { knownAgents } from "../../service/offline-roll.ts";
import { makeFolder } from "../../system/files.ts";
import { type Discovered, discover, saySignals } from "../../tools/discover/discover.ts";
import { importCrontab } from "../../tools/import/crontab.ts";
import { readCrontabText } from "../../tools/import/crontab-lines.ts";
import type { FirstChannel } from "../../tools/init/first-channel.ts";
import { type FirstAgent, type FirstConfig, firstConfigText } from "../../tools/init/first-config.ts";
import { type FoundUnit, ownUnits } from "../../tools/init/units.ts";
import { editCrontab } from "../../tools/install/crontab.ts";
import { tryChannel } from "../../tools/try-channel.ts";
import { ownCrontab, zone } from "../import/read.ts";
import { cronPlan } from "../import/write.ts";
import { examples } from "../input/arguments.ts";
import { canAsk } from "../input/ask.ts";
import { callName } from "../output/call-name.ts";
import { Failure } from "../output/failure.ts";
import { inOrder, rollColumns, summary } from "../output/roll-table.ts";
import { bold, dim, plain, say, sayJson, table } from "../output/terminal.ts";
import { tell as tellConnected } from "./connect.ts";
import {
  agrees,
  chooseChannel,
  firstLook,
  type InitOptions,
  startWatcher,
  unconnected,
  wayToRun,
} from "./init-offers.ts";

export function initCommand(): Command {
  return new Command("init")
    .description("find the agents on this host, write a first config, and start watching")
    .option(
      "--yes",
      "ask nothing: write the config, start the watcher and connect coding agents; change the crontab only with --cron",
    )
    .option("--print", "only show what was found and what would be written")
    .option(
      "--channel <kind>",
      "where alerts go: desktop, ntfy[:TOPIC], telegram:CHAT, slack, discord, webhook:URL or none",
    )
    .option(
      "--cron",
      "change your crontab: cron then starts each job through `rollcall run`, and Rollcall watches it",
    )
    .option("--no-connect", "do not add hooks to your coding agents (see `rollcall connect`)")
    .option("--no-start", "do not start the watcher")
    .option("--listen <address>", "where the watcher listens, such as 127.0.0.1:7766")
    .option(
      "--json",
      "print JSON: {config, file, written, agents, crontab, connected, watcher, channel}; needs --yes or --print",
    )
    .addOption(new Option("--crontab <program>", "what is called for crontab").hideHelp())
    .addHelpText(
      "after",
      `
init looks at tmux panes, transcripts, processes, your crontab and your systemd
services. If a config file already exists, init leaves it as it is, and offers
to add the agents that it found to the roll, as \`rollcall agents add\` does. It
changes your crontab only with --cron, or after you agree to it when asked.
${examples("init", "init --print", "init --yes --channel ntfy")}`,
    )
    .action(init);
}

interface Around {
  readonly agents: readonly Discovered[];
  readonly units: readonly FoundUnit[];
  readonly problems: readonly string[];
  /** Jobs of the crontab that could be watched, and the crontab after that. */
  readonly jobs: readonly FirstAgent[];
  readonly newCrontab: string | undefined;
}

async function init(options: InitOptions): Promise<void> {
  const json = options.json === true;
  if (options.yes !== true && options.print !== true && (json || !canAsk()))
    throw new Failure(
      "init asks before it writes; without a terminal, use --yes, or --print to only look",
      2,
    );
  const tell = (text: string) => (json ? undefined : say(text));
  const home = homeAt(options.home);
  const place =
    options.config === undefined ? join(home.path, "rollcall.yaml") : resolve(expandTilde(options.config));
  const there = options.config === undefined ? configFileIn(home.path, undefined) : existing(place);
  const around = await lookAround(options, there);
  if (!json) showFound(around);

  const hasConfig = there !== undefined;
  const withJobs = !hasConfig && around.jobs.length > 0 && (await wantsJobs(options, around));
  const channel = hasConfig || options.print === true ? undefined : await chooseChannel(options);
  const found: FirstConfig = {
    ...around,
    jobs: withJobs ? around.jobs : [],
    channel,
    listen: options.listen,
  };
  const text = firstConfigText(found);
  await parseConfig(text, place);
  if (hasConfig) tell(`${there} already exists; it stays as it is.`);
  else tell(`\n${dim(`${place}:`)}\n${text}`);
  if (options.print === true) {
    const nothing = { crontab: false, connected: [], watcher: null, channel: null };
    const file = there ?? place;
    if (json)
      sayJson({ config: hasConfig ? null : text, file, written: false, agents: around.agents, ...nothing });
    return;
  }

  const written = !hasConfig && (await agrees(options, `Write ${place}?`));
  if (!written && !hasConfig) return tell("Nothing was written.");
  if (written) {
    if (channel?.secret !== undefined) write(channel.secret.file, `${channel.secret.text}\n`);
    write(place, text);
  }
  if (written) tell(`wrote ${place}`);
  if (hasConfig) await addToRoll(options, around.agents, tell);
  if (withJobs) tell(putIntoCrontab(options, around));
  await goOn(options, { file: there ?? place, text: written ? text : null, around, withJobs, channel }, tell);
}

/** What follows the config: the watcher, the hooks, a test message, the roll. */
async function goOn(
  options: InitOptions,
  {
    file,
    text,
    around,
    withJobs,
    channel,
  }: {
    file: string;
    text: string | null;
    around: Around;
    withJobs: boolean;
    channel: FirstChannel | undefined;
  },
  tell: (text: string) => void,
): Promise<void> {
  const way = wayToRun();
  const question =
    way === "systemd"
      ? "Start the watcher now and at each start (a systemd service)?"
      : "Start the watcher in the background?";
  const starts = options.start && (await agrees(options, question));
  const watcher = starts ? await startWatcher(options, way) : undefined;
  for (const line of watcher?.said ?? []) tell(plain(line));

  const { clients, connect } = unconnected(options);
  const connects =
    options.connect &&
    clients.length > 0 &&
    (await agrees(
      options,
      `Let ${clients.join(", ")} tell Rollcall what ${clients.length === 1 ? "it does" : "they do"} (\`rollcall disconnect\` undoes it)?`,
    ));
  const connected = connects ? await connect() : [];
  if (options.json !== true && connected.length > 0) tellConnected({}, connected);

  if (channel?.note !== undefined) tell(plain(channel.note));
  const receipt = channel === undefined ? undefined : await tryChannel(options, channel.name);
  if (receipt !== undefined && channel !== undefined)
    tell(
      plain(
        receipt.outcome === "sent"
          ? `sent a test message through ${channel.name}`
          : `${channel.name}: ${receipt.problem}`,
      ),
    );

  const roll =
    watcher === undefined
      ? undefined
      : await firstLook(
          options,
          around.agents.map(({ id }) => id),
        );
  if (options.json === true)
    return sayJson({
      ...{ config: text, file, written: text !== null, agents: around.agents, crontab: withJobs },
      ...{ connected, watcher: watcher?.url ?? null },
      channel: channel === undefined ? null : { name: channel.name, outcome: receipt?.outcome ?? null },
    });
  if (roll !== undefined) {
    tell(`\n${table(inOrder(roll.agents), rollColumns(Date.now()))}\n\n${summary(roll.counts)}`);
    if (way === "background")
      tell(
        `The watcher does not start again when this machine restarts; ${callName()} install cron changes that.`,
      );
  }
  next(tell, watcher?.url, options);
}

function next(tell: (text: string) => void, url: string | undefined, { home, config }: InitOptions): void {
  const name = callName();
  // Only the watcher needs to be told its config: the other commands ask it.
  const at = home === undefined ? "" : ` --home ${quoted(home)}`;
  const named = `${at}${config === undefined ? "" : ` --config ${quoted(config)}`}`;
  tell(`\n${bold("Next:")}`);
  const lines = [
    ...(url === undefined ? [[`${name} up${named}`, "run the watcher"] as const] : []),
    [`${name} open${at}`, `the dashboard${url === undefined ? "" : `, at ${url}`}`],
    [`${name} status${at}`, "the roll"],
    [`${name} answer AGENT${at}`, "shows an agent's question, and answers it"],
  ] as const;
  const widest = Math.max(...lines.map(([command]) => command.length));
  for (const [command, what] of lines) tell(`  ${command.padEnd(widest)}  ${dim(what)}`);
}

function existing(file: string): string | undefined {
  return lstatSync(file, { throwIfNoEntry: false }) === undefined ? undefined : file;
}

async function lookAround(options: InitOptions, config: string | undefined): Promise<Around> {
  const home = homeAt(options.home);
  const known = await knownAgents(home, await loadConfig(home.path, config));
  const crontab = ownCrontab(options.crontab);
  const jobs = readCrontabText(crontab).jobs.length === 0 ? undefined : importCrontab(crontab, cronOf());
  const plan = jobs === undefined ? undefined : cronPlan(jobs, crontab, options, "init");
  const { agents: found = [] } = (plan?.imported.config ?? {}) as { agents?: readonly FirstAgent[] };
  const leftOut = plan?.imported.notCarried ?? [];
  // Ids of jobs are taken as well.
  const taken = found.map(({ id }) => ({ id, origin: "config", addedAt: 0 }) satisfies Agent);
  const { found: agents, problems } = await discover({
    agents: [...known, ...taken],
    env: process.env,
    now: Date.now(),
  });
  const ids = new Set(known.map(({ id }) => id));
  const isNew = ({ id }: FirstAgent) => !ids.has(id);
  return {
    agents: agents.filter(({ isKnown }) => !isKnown),
    units: await ownUnits(process.env),
    problems: [...problems, ...leftOut.map((line) => `not watched: crontab ${redact(line)}`)],
    jobs: found.filter(isNew),
    newCrontab: plan?.lines,
  };
}

function cronOf() {
  return { file: "your crontab", zone: zone(), hasUser: false, user: userInfo().username };
}

function showFound({ agents, units, jobs, problems }: Around): void {
  const rows = [
    ...agents.map((one) => ({ id: one.id, what: one.client, by: saySignals(one) })),
    ...jobs.map((job) => ({
      id: job.id,
      what: "job of cron",
      by: "each run, if cron may start it through Rollcall (--cron)",
    })),
    ...units.map(({ unit }) => ({
      id: unit.replace(/\.service$/, ""),
      what: "service",
      by: `systemd ${unit}`,
    })),
  ];
  for (const problem of problems) say(dim(plain(problem)));
  if (rows.length === 0)
    return say(
      "No agent was found that is not on the roll yet. Start one in tmux and run this again, or let yours beat.",
    );
  say(
    table(rows, [
      { title: "FOUND", text: ({ id }) => id, most: 40 },
      { title: "WHAT", text: ({ what }) => what },
      { title: "WATCHED BY", text: ({ by }) => by },
    ]),
  );
}

/** A crontab is the person's own: nothing but a yes, or --cron, lets us change it. */
async function wantsJobs(options: InitOptions, { jobs }: Around): Promise<boolean> {
  if (options.cron === true || options.yes === true || options.print === true) return options.cron === true;
  const many = jobs.length === 1 ? "the job" : `the ${jobs.length} jobs`;
  return agrees(
    options,
    `Watch ${many} of your crontab? Its lines then run through \`rollcall run\`.`,
    false,
  );
}

function putIntoCrontab(options: InitOptions, { newCrontab }: Around): string {
  if (newCrontab === undefined) return "the crontab stays as it is";
  const { path: folder } = homeAt(options.home);
  const before = ownCrontab(options.crontab);
  const kept = join(folder, "crontab.before-init");
  writeNew(kept, before, "w");
  const text = Buffer.from(newCrontab, "utf8").toString("latin1");
  editCrontab({ crontab: options.crontab ?? "crontab", folder, edit: () => text });
  return `changed your crontab; the one before is ${kept}`;
}

async function addToRoll(
  options: InitOptions,
  agents: readonly Discovered[],
  tell: (text: string) => void,
): Promise<void> {
  if (
    agents.length === 0 ||
    !(await agrees(options, `Add ${agents.map(({ id }) => id).join(", ")} to the roll?`))
  )
    return;
  for (const { id, signals } of agents) {
    await operationsOf(options).addAgent({ id, ...signals }, true);
    tell(`added ${id}`);
  }
}

function write(file: string, text: string): void {
  try {
    makeFolder(dirname(file));
    writeNew(file, text, "wx");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw new Failure(`${file} exists, so nothing was written`);
    throw new Failure(`${file} cannot be written (${code}); name another place with --config FILE`);
  }
}

function writeNew(file: string, text: string, how: "w" | "wx"): void {
  const opened = openSync(file, how, 0o600);
  writeSync(opened, text);
  closeSync(opened);
}
