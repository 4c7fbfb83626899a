import { lstatSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expandTilde } from "../../agent/home.ts";
import { configFileIn } from "../../config/find.ts";
import { parseConfig } from "../../config/load.ts";
import { homeAt } from "../../home/home.ts";
import { InstallError } from "../../home/install-error.ts";
import { thisProgram } from "../../home/program.ts";
import { makeFolder } from "../../system/files.ts";
import type { CronWake, Imported } from "../../tools/import/imported.ts";
import { configText, newCrontab, remarks } from "../../tools/import/render.ts";
import { lineFor } from "../../tools/install/cron.ts";
import { cronLine } from "../../tools/install/cron-line.ts";
import { keptLine, withBlock } from "../../tools/install/crontab.ts";
import { namedHome } from "../../tools/install/outcome.ts";
import { Failure } from "../output/failure.ts";
import type { CommonOptions } from "../output/roll.ts";
import { plain, say, sayJson } from "../output/terminal.ts";

export interface ImportFlags extends CommonOptions {
  readonly write?: true;
  readonly force?: true;
  /** What is called for `crontab`. */
  readonly crontab?: string;
}

interface Task {
  /** As it was typed, for the head of the file. */
  readonly what: string;
  readonly imported: Imported;
  /** The crontab that the wakes go into. */
  readonly crontab: string;
  /** How the new crontab is put into force. */
  readonly install: (file: string) => string;
}

/** Prints what was imported, or writes it. The config is checked before anybody sees it. */
export async function tellImported(
  { what, imported: found, crontab, install }: Task,
  flags: ImportFlags,
): Promise<void> {
  const { imported, lines } = cronPlan(found, crontab, flags);
  const title = `Made by: rollcall import ${what.replaceAll(/\p{Cc}/gu, " ")}`;
  const shown = flags.write === true ? [] : imported.wakes.map((wake) => lineOf(wake, flags));
  const text = configText(imported, title, shown);
  await parseConfig(text, "the imported config");
  const written = flags.write === true ? writeAll(text, lines, flags) : undefined;
  if (flags.json === true) {
    const { config, canGo, notCarried, todo } = imported;
    return sayJson({ config, crontab: lines ?? null, canGo, notCarried, todo, written: written ?? null });
  }
  if (written === undefined) process.stdout.write(text);
  else {
    say(
      `wrote ${plain(written.config)}; check it: rollcall config check${flags.config === undefined ? "" : ` --config ${written.config}`}`,
    );
    if (written.crontab !== null) say(`wrote ${plain(written.crontab)}; ${install(plain(written.crontab))}`);
  }
  for (const line of remarks(imported)) process.stderr.write(`${plain(line).trimEnd()}\n`);
}

/** What of it can be carried over, and the crontab after that; undefined if nothing changes there. */
export function cronPlan(
  found: Imported,
  crontab: string,
  flags: ImportFlags,
  by: "import" | "init" = "import",
): { readonly imported: Imported; readonly lines: string | undefined } {
  const imported = withoutUnwritable(found, flags);
  const block = (wake: CronWake, before?: string) => blockOf(wake, before, flags, by);
  return { imported, lines: newCrontab(crontab, imported, block) };
}

/** A job that does not fit into a crontab line stays as it was, and its agent is left out. */
function withoutUnwritable(imported: Imported, flags: ImportFlags): Imported {
  const problems = new Map<CronWake, string>();
  for (const wake of imported.wakes) {
    try {
      lineOf(wake, flags);
    } catch (error) {
      // Without its line nothing would submit or check ticks.
      const isNeeded = wake.block === "ticks";
      if (!(error instanceof InstallError) || error.code === "bad-program" || isNeeded) throw error;
      problems.set(wake, error.message);
    }
  }
  if (problems.size === 0) return imported;
  const wakes = imported.wakes.filter((wake) => !problems.has(wake));
  const bad = [...problems.keys()];
  const lost = new Set(
    bad.map(({ block }) => block).filter((block) => !wakes.some((wake) => wake.block === block)),
  );
  const { agents = [] } = imported.config as { agents?: readonly { id: string }[] };
  return {
    ...imported,
    config: { ...imported.config, agents: agents.filter(({ id }) => !lost.has(`agent ${id}`)) },
    wakes,
    canGo: imported.canGo.filter(
      ({ line, agent }) =>
        !lost.has(`agent ${agent}`) &&
        !bad.some(({ replaces }) => replaces !== undefined && replaces === line),
    ),
    notCarried: [
      ...imported.notCarried,
      ...[...problems].map(([{ block }, problem]) => `${block}: ${problem}`),
    ],
  };
}

function blockOf(wake: CronWake, before: string | undefined, flags: ImportFlags, by: string): string {
  const undo = wake.block === "ticks" ? "ticks" : `cron --${wake.block}`;
  const effect = before === undefined ? "removes it" : "puts the line before it back";
  const note = `# Written by \`rollcall ${by}\`; \`rollcall uninstall ${undo}\` ${effect}.`;
  const kept = before === undefined ? [] : [keptLine(before)];
  return withBlock("", wake.block, [note, lineOf(wake, flags), ...kept]);
}

function lineOf({ schedule, user, args, environment }: CronWake, flags: ImportFlags): string {
  const named = flags.config === undefined ? [] : ["--config", resolve(expandTilde(flags.config))];
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const all = [...args.slice(0, end), ...named, ...args.slice(end)];
  const where = flags.home === undefined ? {} : { home: flags.home };
  if (environment === "of this shell") return lineFor(where, schedule, () => all);
  const { node, script } = thisProgram();
  const home = namedHome(where);
  return cronLine({
    schedule: user === undefined ? schedule : `${schedule} ${user}`,
    variables: home === undefined ? {} : { ROLLCALL_HOME: home },
    command: [node, script, ...all],
  });
}

function writeAll(
  text: string,
  crontab: string | undefined,
  flags: ImportFlags,
): { config: string; crontab: string | null } {
  const home = homeAt(flags.home).path;
  const there = flags.config === undefined ? configFileIn(home, undefined) : undefined;
  const config =
    flags.config === undefined ? (there ?? join(home, "rollcall.yaml")) : resolve(expandTilde(flags.config));
  const cronFile = crontab === undefined ? null : join(dirname(config), "crontab.imported");
  if (flags.force !== true)
    for (const file of cronFile === null ? [config] : [config, cronFile]) refuseToOverwrite(file);
  try {
    makeFolder(dirname(config));
    writeFileSync(config, text, { mode: 0o600 });
    if (cronFile !== null) writeFileSync(cronFile, crontab ?? "", { mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`${config} cannot be written (${code}); name another place with --config FILE`);
  }
  return { config, crontab: cronFile };
}

function refuseToOverwrite(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
  throw new Failure(
    `${file} exists, so nothing was written; write beside it with --config OTHER.yaml, ` +
      "leave out --write and take over what you need, or replace it with --force",
  );
}
