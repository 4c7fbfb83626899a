import { resolve } from "node:path";
import { InstallError } from "../../home/install-error.ts";
import { type CronOptions, crontabBytes, installBlock, lineFor, uninstallBlock } from "./cron.ts";
import { checkReadable, type InstallOutcome } from "./outcome.ts";

export interface TicksOptions extends CronOptions {
  readonly registry: string;
  readonly ticks: string;
  /** Hosts of agents submit, and one host checks; without a word this one does both. */
  readonly only?: "submit" | "check" | undefined;
}

const NOTE = "# Written by `rollcall install ticks`; `rollcall uninstall ticks` removes it.";

/**
 * Cron knows only the local time, and a tick belongs to a day in UTC. Six in the evening is on the same day or on the
 * next one in UTC everywhere, from UTC-12 to UTC+14, so that the 1st falls into the window and the 4th behind it.
 */
const SUBMIT = "0 18 1 * *";
const CHECK = "0 18 4 * *";

/** The lines that submit on the 1st and check on the 4th. */
export function tickLines(options: TicksOptions): string[] {
  const registry = resolve(options.registry);
  const problem = `cannot read the registry ${registry}; name it with --registry FILE`;
  checkReadable(registry, new InstallError("bad-options", problem));
  const places = ["--registry", registry, "--ticks", resolve(options.ticks)];
  const submit = () => lineFor(options, SUBMIT, (configured) => ["tick", "submit", ...places, ...configured]);
  const report = ["tick", "check", "--check-and-report", ...places];
  const check = () => lineFor(options, CHECK, (configured) => [...report, ...configured]);
  return crontabBytes([
    NOTE,
    ...(options.only === "check" ? [] : [submit()]),
    ...(options.only === "submit" ? [] : [check()]),
  ]);
}

/** Puts the lines into the user's crontab. Done twice, the second time changes nothing. */
export function installTicks(options: TicksOptions): InstallOutcome {
  return installBlock(options, "ticks", tickLines(options));
}

export function uninstallTicks(options: CronOptions): InstallOutcome {
  return uninstallBlock(options, "ticks");
}
