import { dirname, resolve } from "node:path";
import { expandTilde } from "../../agent/home.ts";
import type { Config } from "../../config/load.ts";
import {
  BUILT_IN,
  BUILT_IN_OPTIONS,
  BUILT_IN_SCHEDULES,
  type BuiltIn,
  isBuiltIn,
} from "../../config/sections/actions.ts";
import { given } from "../../core/given.ts";
import type { Clock } from "../../ports/clock.ts";
import { commandAction } from "../../schedule/actions/command.ts";
import { DailySummaryAction, PortfolioMonitorAction, TaskScanAction } from "../../schedule/actions/tasks.ts";
import { webhookAction } from "../../schedule/actions/webhook.ts";
import type { HeartbeatAction } from "../../schedule/engine/action.ts";
import { ActionError, type ActionOptions, settleOptions } from "../../schedule/engine/options.ts";
import { systemClock } from "../../system/clock.ts";
import { agentHeartbeats } from "./agent-heartbeat.ts";
import { loadModule } from "./module.ts";
import { hasUse, type Own, type OwnName, ownAction } from "./own.ts";

type Declared = Config["heartbeat"]["actions"][number];

/** An action of the config with when and how it runs. */
export interface Opened {
  readonly action: HeartbeatAction;
  readonly when: { readonly every: number } | { readonly cron: string };
  readonly options: ActionOptions;
  /** Where its messages go, if not everywhere. */
  readonly channels: readonly string[] | undefined;
}

export interface ActionDeps {
  /** Paths are relative to the folder of the config file, or to this one if there is none. */
  readonly home: string;
  readonly clock?: Clock;
  readonly load?: typeof loadModule;
  /** What those of the daemon's own work with. */
  readonly own?: Own;
}

/**
 * The actions that the config declares, and those that are built in and not declared. Throws an error that names
 * everyone that cannot be opened.
 */
export async function openActions(
  config: Config,
  { home, clock = systemClock, load = loadModule, own }: ActionDeps,
): Promise<readonly Opened[]> {
  const { enabled, actions } = config.heartbeat;
  const declared = new Set(actions.map(({ name }) => name));
  const rest = (Object.keys(BUILT_IN) as BuiltIn[]).filter(
    (name) => !declared.has(name) && (!isOwn(name) || hasUse(name, config)),
  );
  const every: readonly Declared[] = [...actions, ...rest.map((name) => ({ name }))];
  // Ticks and issues belong to other parts of the config: only their own `enabled` stops them.
  const all = enabled ? every : every.filter(({ name }) => isOwn(name));
  const folder = config.file === undefined ? home : dirname(resolve(config.file));
  const opened: Opened[] = [];
  const problems: string[] = [];
  for (const each of all) {
    try {
      const cron = each.schedule ?? (isBuiltIn(each.name) ? BUILT_IN_SCHEDULES[each.name] : "* * * * *");
      const when = each.every === undefined ? { cron } : { every: each.every };
      const options = optionsOf(each);
      settleOptions(each.name, when, options);
      const action = isOwn(each.name)
        ? ownAction(each.name, config, own)
        : await openAction(each, declared.has(each.name), folder, clock, load);
      opened.push({ action, when, options, channels: each.channels });
    } catch (error) {
      if (!(error instanceof ActionError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new ActionError("bad-action", problems.join("\n"));
  return [...opened, ...agentHeartbeats(config, own)];
}

/** Those that work with the daemon itself. */
function isOwn(name: string): name is OwnName {
  return name === "tick-submit" || name === "tick-check" || name === "issues" || name === "digest";
}

function optionsOf(declared: Declared): ActionOptions {
  const { jitter, activeHours, maxPerHour, missed, enabled, timeout, tellAfter } = declared;
  const usual = isBuiltIn(declared.name) ? BUILT_IN_OPTIONS[declared.name] : undefined;
  const timezone = declared.timezone ?? usual?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const said = { timezone, jitter, activeHours, maxPerHour, missed, enabled, timeout, tellAfter };
  return { ...usual, ...given(said) };
}

async function openAction(
  declared: Declared,
  named: boolean,
  folder: string,
  clock: Clock,
  load: typeof loadModule,
): Promise<HeartbeatAction> {
  const { name, config = {}, command, webhook, module } = declared;
  if (name === "task-scan") return new TaskScanAction({ ...BUILT_IN[name].parse(config), clock });
  if (name === "daily-summary") return new DailySummaryAction({ clock, always: named });
  if (name === "portfolio-monitor")
    return new PortfolioMonitorAction({ ...BUILT_IN[name].parse(config), clock });
  if (command !== undefined) {
    const { cwd = folder } = command;
    return commandAction(name, { ...command, cwd: resolve(folder, expandTilde(cwd)) });
  }
  if (webhook !== undefined) return webhookAction(name, webhook);
  return load(name, resolve(folder, expandTilde(module ?? "")), config);
}
