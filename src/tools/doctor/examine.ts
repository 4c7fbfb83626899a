import { resolve } from "node:path";
import { homeDir } from "../../agent/home.ts";
import { defaultConfig, loadConfig } from "../../config/load.ts";
import { storedIn } from "../../config/stored-home.ts";
import { quoted } from "../../core/quoted.ts";
import { homeAt } from "../../home/home.ts";
import { systemClock } from "../../system/clock.ts";
import {
  type Check,
  type CheckContext,
  type CheckFinding,
  type Fix,
  type FreeLimit,
  fail,
  LEVELS,
  type Level,
  sayError,
} from "./check.ts";
import { DEFAULT_FREE } from "./checks/disk.ts";
import { CHECKS } from "./checks.ts";
import { hostOf } from "./host.ts";

/** A finding as it is shown and printed for programs. */
export interface ReportedFinding {
  readonly check: string;
  readonly level: Level;
  readonly says: string;
  readonly todo?: string;
  /** Set where `--fix` can mend it. */
  readonly fixable?: true;
}

/** What `--fix` did, or could not do. */
export interface Mended {
  readonly check: string;
  readonly did?: string;
  readonly failed?: string;
}

export interface Report {
  readonly findings: readonly ReportedFinding[];
  readonly worst: Level;
  /** Only with `--fix`. */
  readonly mended?: readonly Mended[];
}

type Found = CheckFinding & { readonly check: string };

/** One after the other: a check that tries whether a folder can be written must not disturb its neighbour. */
async function lookAt(context: CheckContext): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const check of CHECKS) {
    for (const finding of await run(check, context)) found.push({ check: check.name, ...finding });
  }
  return found;
}

async function run(check: Check, context: CheckContext): Promise<readonly CheckFinding[]> {
  try {
    return await check.run(context);
  } catch (error) {
    return [fail(`the check itself failed: ${sayError(error)}`)];
  }
}

function mend(check: string, { did, apply }: Fix): Mended {
  try {
    apply();
    return { check, did };
  } catch (error) {
    return { check, failed: sayError(error) };
  }
}

function report(found: readonly Found[]): Report {
  const findings = found.map(({ fix, ...rest }) =>
    fix === undefined ? rest : { ...rest, fixable: true as const },
  );
  const worst = Math.max(0, ...found.map(({ level }) => LEVELS.indexOf(level)));
  return { findings, worst: LEVELS[worst] ?? "ok" };
}

export interface DoctorOptions {
  readonly home?: string;
  readonly config?: string;
  readonly fix?: boolean;
  readonly minFree?: FreeLimit;
}

/** Runs the checks. After a repair it looks once more, so that the report says how things are, not how they were. */
export async function doctor(options: DoctorOptions): Promise<Report> {
  const folder = homeAt(options.home);
  const config = await loadConfig(folder.path, options.config).catch(defaultConfig);
  const home = storedIn(folder, config);
  const named = home.path === resolve(homeDir()) ? "" : ` --home ${quoted(home.path)}`;
  const context: CheckContext = {
    home,
    configFile: options.config,
    config,
    host: hostOf(process.env),
    now: systemClock.wall,
    uptime: systemClock.uptime,
    minFree: options.minFree ?? DEFAULT_FREE,
    command: (words) => `rollcall ${words}${named}`,
  };
  const found = await lookAt(context);
  if (options.fix !== true) return report(found);
  const mended = found.flatMap(({ check, fix }) => (fix === undefined ? [] : [mend(check, fix)]));
  return { ...report(mended.length === 0 ? found : await lookAt(context)), mended };
}
