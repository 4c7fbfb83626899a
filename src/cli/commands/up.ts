import { Command } from "commander";
import { up } from "../../app/lifecycle.ts";
import { DaemonControl } from "../../app/manager.ts";
import type { Up } from "../../app/start.ts";
import { quoted } from "../../core/quoted.ts";
import { crashNow } from "../../home/crashes.ts";
import { collectSoon } from "../../system/collect-soon.ts";
import { examples } from "../input/arguments.ts";
import { callName } from "../output/call-name.ts";
import { flipPrinter } from "../output/flips.ts";
import type { CommonOptions } from "../output/roll.ts";
import { bold, dim, plain, say } from "../output/terminal.ts";

export function upCommand(): Command {
  return new Command("up")
    .description("run the watcher in the foreground until Ctrl-C")
    .option(
      "--listen <address>",
      "the IP address and port to listen on, such as 127.0.0.1:7766 (port 0: any free port)",
    )
    .option(
      "--pid-file <path>",
      "also write a PID file here, for other programs (in the config: daemon.pidFile)",
    )
    .option("--hub", "run as a hub: other hosts report to it, and it sends the alerts for all of them")
    .option(
      "--strict",
      "exit if the database is damaged or the disk is full, instead of continuing as well as it can",
    )
    .addHelpText("after", examples("up", "up --listen 127.0.0.1:8080"))
    .action(watchInForeground);
}

/** Watches until a signal ends it. */
export async function watchInForeground(
  options: CommonOptions & { listen?: string; pidFile?: string; strict?: true; hub?: true },
): Promise<void> {
  outliveReaders();
  const stopping = new AbortController();
  const { signal: abort } = stopping;
  // Nothing, if we were stopped while we waited for the database or for room on the disk.
  const begun = up({ ...options, abort, onFlip: flipPrinter() }).catch((error: unknown) => {
    if (abort.aborted && error instanceof Error && error.name === "AbortError") return undefined;
    throw error;
  });
  // From the very first: a signal that comes while we start is obeyed when we have started.
  const stopped = new DaemonControl(options).setupSignalHandlers({
    reload: async () => {
      const watcher = await begun;
      if (watcher !== undefined) await reload(watcher);
    },
    stop: async (cause) => {
      say("stopping …");
      stopping.abort();
      await (await begun)?.stop(cause);
      say("stopped; everything is saved");
    },
  });
  const watcher = await begun;
  if (watcher === undefined) {
    await stopped;
    process.exit(0);
  }
  collectSoon();
  dieOfTheUncaught(watcher);
  welcome(watcher, options);
  // After listening, and awaited by nothing: a slow tmux delays neither the start nor the end.
  if (watcher.agents === 0 && watcher.standsByFor === undefined) void lookAround(watcher, options);
  await stopped;
  // What still hangs on (a connection, a timer) must not keep a stopped daemon alive.
  process.exit(0);
}

/** Groups of users may read the journal, so that no code is printed there. */
const toJournal = process.env.JOURNAL_STREAM !== undefined;

function welcome(
  { agents, url, signInUrl, home, configFile, standsByFor }: Up,
  { home: named }: CommonOptions,
): void {
  const name = callName();
  const at = named === undefined ? "" : ` --home ${quoted(home.path)}`;
  if (standsByFor !== undefined) {
    say(`${bold("Rollcall stands by")} for ${bold(standsByFor)} and listens at ${bold(url)}`);
    say(dim("It takes over when that hub ends. Until then it passes requests on to it."));
    return;
  }
  say(
    `${bold("Rollcall is watching")} ${agents === 1 ? "1 agent" : `${agents} agents`} and listens at ${bold(url)}`,
  );
  say(dim(`home ${home.path}, config ${configFile ?? "none (not needed)"}`));
  say("");
  say("Next, in another terminal:");
  const next = [
    [`${name} open${at}`, "the dashboard, in a browser"],
    [`curl -fsS ${url}/beat/allegro`, "a first beat, by HTTP"],
    [`${name} beat allegro${at}`, "another one, by command"],
    [`${name} status${at}`, "the roll"],
  ] as const;
  const longest = Math.max(...next.map(([command]) => command.length));
  for (const [command, what] of next) say(`  ${command.padEnd(longest)}  ${dim(what)}`);
  if (!toJournal) {
    say("Or open this address. It signs one browser in, once, within 60 s:");
    say(`  ${signInUrl()}`);
  }
  say("Ctrl-C stops the watcher. Your agents keep running.");
  say("");
}

/** With an empty roll: names the coding agents on this host, and the command that adds them. */
async function lookAround({ log }: Up, { home, config }: CommonOptions): Promise<void> {
  try {
    const { discover, saySignals } = await import("../../tools/discover/discover.ts");
    const { found } = await discover({ agents: [], env: process.env, now: Date.now() });
    if (found.length === 0) return;
    say(
      found.length === 1
        ? "A coding agent on this host is not on the roll yet:"
        : `${found.length} coding agents on this host are not on the roll yet:`,
    );
    for (const one of found) say(`  ${bold(one.id)}  ${one.client}, ${plain(saySignals(one))}`);
    const where = [
      ...(home === undefined ? [] : ["--home", home]),
      ...(config === undefined ? [] : ["--config", config]),
    ];
    say(
      `Add ${found.length === 1 ? "it" : "them"} with:\n  ${[callName(), "agents discover --add", ...where].join(" ")}`,
    );
    say("");
  } catch (error) {
    log.warn(
      { problem: error instanceof Error ? error.message : String(error) },
      "could not look for coding agents",
    );
  }
}

async function reload(watcher: Up): Promise<void> {
  try {
    const later = await watcher.reload();
    say("config read again; it is in force");
    for (const each of later) say(`  ${plain(each)}`);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    watcher.log.error({ problem }, "config not read: the old one stays in force");
    process.stderr.write(
      `rollcall: the config has a mistake, and the old one stays in force:\n${plain(problem)}\n`,
    );
  }
}

/** Whoever read our output may go away (a closed terminal, `| head`): that ends other commands, but never the watcher. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners("error");
    stream.on("error", () => {});
  }
}

/** No limping on: an error that nobody caught is logged with its cause, recorded as a crash, and ends us. */
function dieOfTheUncaught(watcher: Up): void {
  process.on("uncaughtException", (error) => {
    const cause = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    watcher.log.error({ cause, stack: error instanceof Error ? error.stack : undefined }, "crashed");
    watcher.crashes.record(crashNow(watcher.incarnation, Date.now(), cause));
    process.stderr.write(`rollcall: crashed: ${cause}\n`);
    process.exit(70);
  });
}
