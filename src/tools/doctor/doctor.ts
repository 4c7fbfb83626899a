import { resolve } from "node:path";
import { homeDir } from "../../agent/home.ts";
import { type Config, defaultConfig, loadConfig } from "../../config/load.ts";
import { quoted } from "../../core/quoted.ts";
import { type Home, homeAt } from "../../home/home.ts";
import { systemClock } from "../../system/clock.ts";
import type { CheckContext } from "./check.ts";
import { CHECKS } from "./checks.ts";
import { examine, type Report } from "./examine.ts";
import { DEFAULT_FREE, type FreeLimit } from "./free-space.ts";
import { hostOf } from "./host.ts";

export interface DoctorOptions {
  readonly home?: string;
  readonly config?: string;
  readonly fix?: boolean;
  readonly minFree?: FreeLimit;
}

/** Looks at everything that is installed, and says whether it is true. */
export async function doctor(options: DoctorOptions): Promise<Report> {
  const home = homeAt(options.home);
  const context: CheckContext = {
    home,
    configFile: options.config,
    config: await configOrDefaults(home, options.config),
    host: hostOf(process.env),
    now: systemClock.wall,
    uptime: systemClock.uptime,
    minFree: options.minFree ?? DEFAULT_FREE,
    command: (words) => commandFor(home, words),
  };
  return examine(CHECKS, context, { fix: options.fix === true });
}

async function configOrDefaults(home: Home, named: string | undefined): Promise<Config> {
  try {
    return await loadConfig(home.path, named);
  } catch {
    return defaultConfig();
  }
}

function commandFor(home: Home, words: string): string {
  const isDefault = home.path === resolve(homeDir());
  return `rollcall ${words}${isDefault ? "" : ` --home ${quoted(home.path)}`}`;
}
