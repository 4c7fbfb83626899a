import { Command } from "commander";
import { freshCrash } from "../../app/fresh-crash.ts";
import { DaemonControl, type DaemonState, type OnStarting } from "../../app/manager.ts";
import { ConfigError } from "../../config/config-error.ts";
import { loadConfig } from "../../config/load.ts";
import { MINUTE, type Millis, SECOND, sayDuration } from "../../core/duration.ts";
import { Crashes } from "../../home/crashes.ts";
import { homeAt } from "../../home/home.ts";
import { ask } from "../../service/client.ts";
import { examples, lengthOf } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import { ProgressLine } from "../output/progress.ts";
import type { CommonOptions } from "../output/roll.ts";
import { bold, plain, say, sayJson, when } from "../output/terminal.ts";

interface StartOptions extends CommonOptions {
  readonly listen?: string;
  readonly hub?: true;
}
interface StopOptions extends CommonOptions {
  readonly timeout?: Millis;
}

const LISTEN = [
  "--listen <address>",
  "the IP address and port to listen on, such as 127.0.0.1:7766",
] as const;
const TIMEOUT = ["--timeout <duration>", "how long to wait before the watcher is killed", lengthOf] as const;

const GOES_ON = "the watcher goes on with the config that it read before";

export function daemonCommand(): Command {
  const daemon = new Command("daemon")
    .description("run the watcher in the background")
    .addHelpText("after", examples("daemon start", "daemon status"));

  daemon
    .command("start")
    .description("start the watcher in the background, and return when it is ready")
    .option(...LISTEN)
    .option("--hub", "run as a hub: other hosts report to it, and it sends the alerts for all of them")
    .option("--json", "print JSON: as daemon status does")
    .addHelpText(
      "after",
      `
If systemd runs this command as a service, the watcher stays in the foreground,
so that systemd can supervise it.

Example:
  $ rollcall daemon start`,
    )
    .action(async (options: StartOptions) => {
      if (isMainProcessOfUnit(process.env)) return (await import("./up.ts")).watchInForeground(options);
      const manager = new DaemonControl(options);
      const already = manager.status().running;
      const status = await shownStarting((...how) => manager.start(undefined, ...how));
      if (options.json === true) sayJson(status);
      else say(`${already ? "already running" : "running"}: ${sayRunning(status)}`);
      if (already) await warnOfMistakes(options);
    });

  daemon
    .command("stop")
    .description("stop the watcher; kill it if it does not stop in time")
    .option(...TIMEOUT)
    .option("--json", "print JSON: {stopped}")
    .addHelpText("after", examples("daemon stop --timeout 10s"))
    .action(async (options: StopOptions) => {
      const stopped = await new DaemonControl(options).stop(options.timeout, sayWaiting);
      if (options.json === true) sayJson({ stopped });
      else say(stopped ? "stopped" : "no daemon was running");
    });

  daemon
    .command("restart")
    .description("check the config, then restart the watcher with the same options; agents keep running")
    .option(...LISTEN)
    .option(...TIMEOUT)
    .option("--json", "print JSON: as daemon status does")
    .addHelpText("after", examples("daemon restart"))
    .action(async (options: StartOptions & StopOptions) => {
      const control = new DaemonControl(options);
      const status = await shownStarting((...how) => control.restart(options.timeout, sayWaiting, ...how));
      if (options.json === true) sayJson(status);
      else say(`running: ${sayRunning(status)}`);
    });

  daemon
    .command("reload")
    .description("read the config again; if it has a mistake, the old config stays in force")
    .option("--yes", "reload even if this removes more than half, and at least three, of the declared agents")
    .option("--json", "print JSON: {reloaded, needsRestart}")
    .addHelpText("after", examples("daemon reload"))
    .action(reload);

  daemon
    .command("status")
    .description("show whether the watcher runs, since when, and its last crash")
    .option("--json", "print JSON")
    .addHelpText("after", examples("daemon status --json"))
    .action(async (options: CommonOptions) => {
      const control = new DaemonControl(options);
      const lastCrash = await freshCrash(options);
      const status = { ...control.status(), ...(lastCrash === undefined ? {} : { lastCrash }) };
      const answers = await control.answers(ANSWERS_WITHIN);
      const config = await loadConfig(homeAt(options.home).path, options.config).catch((error: unknown) => ({
        file: undefined,
        configError: error instanceof Error ? error.message : String(error),
      }));
      const configError = "configError" in config ? config.configError : undefined;
      const goesOn = status.running ? `\n${GOES_ON}` : "";
      const shown =
        configError === undefined ? (config.file ?? "none (not needed)") : `${configError}${goesOn}`;
      if (options.json === true)
        sayJson({
          ...status,
          answers: status.running && answers,
          configFile: config.file ?? null,
          configError,
        });
      else {
        say(sayStatus(status, shown));
        if (!answers) say(`It has not answered for ${sayDuration(ANSWERS_WITHIN)}; see: rollcall doctor`);
      }
      if (!status.running) process.exitCode = 3;
    });

  daemon
    .command("ensure")
    .description(
      "for cron: start the watcher if it is dead, or replace it if it hangs; otherwise print nothing",
    )
    .option(...LISTEN)
    .option(
      "--timeout <duration>",
      "replace the watcher if it does not answer within this time (default: 30s)",
      lengthOf,
    )
    .option("--json", "print JSON: {started, status}")
    .addHelpText("after", "\nExample:\n  * * * * * rollcall daemon ensure")
    .action(ensure);

  return daemon;
}

/**
 * Whether systemd started this very process: with `Type=simple` a daemon in the background would leave the unit looking
 * ended. `INVOCATION_ID` does not tell, because every shell below a unit inherits it.
 */
function isMainProcessOfUnit({ SYSTEMD_EXEC_PID, NOTIFY_SOCKET }: NodeJS.ProcessEnv): boolean {
  return SYSTEMD_EXEC_PID === String(process.pid) || (NOTIFY_SOCKET ?? "") !== "";
}

/** Somebody who starts a watcher that runs already may have changed the config: a mistake in it is not in force. */
async function warnOfMistakes(options: CommonOptions): Promise<void> {
  await loadConfig(homeAt(options.home).path, options.config).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of [...error.message.split("\n"), GOES_ON])
      process.stderr.write(`rollcall: ${plain(line)}\n`);
  });
}

async function reload(options: CommonOptions & { yes?: true }): Promise<void> {
  const home = homeAt(options.home);
  const manager = new DaemonControl(options);
  const { running, url } = manager.status();
  if (running && url === undefined)
    throw new Failure("the daemon is still starting; try again when it is ready");
  // A mistake is best told here, to the person who made it; the daemon would keep the old config as well.
  await loadConfig(home.path, options.config).catch((error: unknown) => {
    if (!running || !(error instanceof ConfigError)) throw error;
    throw new Failure(`${error.message}\nnot reloaded; ${GOES_ON}`);
  });
  if (url === undefined) return manager.reload();
  const body = { yes: options.yes ?? false };
  const { needsRestart } = (await ask(home, url, "POST", "/api/v1/watcher/reload", body, MINUTE)) as {
    needsRestart: readonly string[];
  };
  if (options.json === true) return sayJson({ reloaded: true, needsRestart });
  say("reloaded; the new config is in force");
  for (const each of needsRestart) say(`  ${plain(each)}`);
}

async function ensure(options: StartOptions & StopOptions): Promise<void> {
  const manager = new DaemonControl(options);
  const hung = await manager.endHung(options.timeout);
  if (hung !== undefined) process.stderr.write(`rollcall: killed a daemon that hung: ${plain(hung)}\n`);
  const found = manager.status();
  if (found.running) {
    if (options.json === true) sayJson({ started: false, status: found });
    return;
  }
  const crashes = new Crashes(homeAt(options.home).path);
  const wait = crashes.waitBeforeStart(Date.now());
  if (wait > 0) {
    const count = crashes.recent(Date.now());
    throw new Failure(
      `the daemon crashed ${count} times within 10 minutes; it is not started again for ${sayDuration(wait)}`,
    );
  }
  const before = crashes.last()?.noticedAt;
  const status = await shownStarting((...how) => manager.asBefore().start(undefined, ...how));
  if (options.json === true) return sayJson({ started: true, status });
  const crash = crashes.last();
  const crashed =
    crash !== undefined && crash.noticedAt !== before ? `; it had crashed, last seen ${when(crash.at)}` : "";
  say(`started: ${sayRunning(status)}${crashed}`);
}

/** How long `daemon status` waits for the watcher. */
const ANSWERS_WITHIN: Millis = 3 * SECOND;

/** Says how long a start takes, and why if the daemon knows it: it may wait for its database. Ctrl-C ends what it has started. */
async function shownStarting(
  start: (onStarting: OnStarting, abort: AbortSignal) => Promise<DaemonState>,
): Promise<DaemonState> {
  const line = new ProgressLine();
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once("SIGINT", interrupt);
  let told: string | undefined;
  try {
    return await start((waited, complaint) => {
      // One that ends at once says why it did not start; only one that goes on waits.
      if (waited > SECOND && complaint !== told && complaint !== undefined) {
        line.end();
        process.stderr.write(`rollcall: ${plain(complaint)}\n`);
        told = complaint;
      }
      line.show(() => `starting for ${sayDuration(waited)} …`);
    }, interrupted.signal);
  } finally {
    process.off("SIGINT", interrupt);
    line.end();
  }
}

function sayWaiting(waited: Millis, isKilled: boolean): void {
  const says = isKilled
    ? `it did not stop within ${sayDuration(waited)}; killing it`
    : `still stopping after ${sayDuration(waited)} …`;
  process.stderr.write(`rollcall: ${says}\n`);
}

function sayRunning({ pid, url }: DaemonState): string {
  return `process ${pid} at ${url}`;
}

function sayStatus({ running, pid, uptime, url, version, lastCrash }: DaemonState, config: string): string {
  const lines = running
    ? [
        `${bold("running")}: process ${pid}, up ${sayDuration(uptime ?? 0)}, version ${version}`,
        `at ${url ?? "(starting)"}`,
      ]
    : [bold("not running")];
  lines.push(`config: ${config}`);
  if (lastCrash !== undefined) {
    lines.push(
      `last crash: ${when(lastCrash.at)}${lastCrash.cause === undefined ? "" : `: ${lastCrash.cause}`}`,
    );
  }
  return lines.join("\n");
}
