import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expandTilde } from "../../agent/home.ts";
import { HOUR } from "../../core/duration.ts";
import type { HeartbeatAction } from "../../heartbeat/action.ts";
import { commandAction } from "../../heartbeat/actions/command.ts";
import { dailySummary, portfolioMonitor, taskScan } from "../../heartbeat/actions/tasks.ts";
import { webhookAction } from "../../heartbeat/actions/webhook.ts";
import { ActionError, type ActionOptions } from "../../heartbeat/options.ts";
import type { Clock } from "../../ports/clock.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/load.ts";
import type { ConfigFile } from "../config/schema.ts";
import { hasUse, type Own, type OwnName, ownAction } from "./own.ts";
import { BUILT_IN, BUILT_IN_OPTIONS, BUILT_IN_SCHEDULES, type BuiltIn, isBuiltIn } from "./settings.ts";

type Declared = ConfigFile["heartbeat"]["actions"][number];

/** An action of the config with when and how it runs. */
export interface Opened {
  readonly action: HeartbeatAction;
  readonly when: { readonly every: number } | { readonly cron: string };
  readonly options: ActionOptions;
  /** Where its messages go, if not everywhere. */
  readonly channels: readonly string[] | undefined;
}

/** The actions that the config declares, and those that are built in and not declared. */
export async function openActions(
  config: Config,
  folder: string,
  clock: Clock = systemClock,
  own?: Own,
): Promise<readonly Opened[]> {
  const { enabled, actions } = config.heartbeat;
  if (!enabled) return [];
  const declared = new Set(actions.map(({ name }) => name));
  const rest = (Object.keys(BUILT_IN) as BuiltIn[]).filter(
    (name) => !declared.has(name) && (!isOwn(name) || hasUse(name, config)),
  );
  const all: readonly Declared[] = [...actions, ...rest.map((name) => ({ name }))];
  return Promise.all(
    all.map(async (each) => {
      const action = isOwn(each.name)
        ? ownAction(each.name, config, own)
        : await openAction(each, folder, clock);
      const cron = each.schedule ?? (isBuiltIn(each.name) ? BUILT_IN_SCHEDULES[each.name] : "* * * * *");
      const when = each.every === undefined ? { cron } : { every: each.every };
      return { action, when, options: optionsOf(each), channels: each.channels };
    }),
  );
}

/** Those that work with the daemon itself. */
function isOwn(name: string): name is OwnName {
  return name === "tick-submit" || name === "tick-check" || name === "issues";
}

function optionsOf(declared: Declared): ActionOptions {
  const { jitter, activeHours, maxPerHour, missed, enabled, timeout, tellAfter } = declared;
  const given = isBuiltIn(declared.name) ? BUILT_IN_OPTIONS[declared.name] : undefined;
  const timezone = declared.timezone ?? given?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const named = { timezone, jitter, activeHours, maxPerHour, missed, enabled, timeout, tellAfter };
  const said = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return { ...given, ...said };
}

async function openAction(declared: Declared, folder: string, clock: Clock): Promise<HeartbeatAction> {
  const { name, config = {}, command, webhook, module } = declared;
  if (name === "task-scan") return taskScan(BUILT_IN[name].parse(config), clock);
  if (name === "daily-summary") return dailySummary(clock);
  if (name === "portfolio-monitor") {
    const { thresholdHours } = BUILT_IN[name].parse(config);
    return portfolioMonitor(thresholdHours === undefined ? undefined : thresholdHours * HOUR, clock);
  }
  if (command !== undefined) return commandAction(name, command);
  if (webhook !== undefined) return webhookAction(name, webhook);
  return fromModule(name, resolve(folder, expandTilde(module ?? "")), config);
}

/** A person's own action: a bad one is an error that names it, not a crash. */
async function fromModule(name: string, file: string, config: unknown): Promise<HeartbeatAction> {
  let found: unknown;
  try {
    const loaded = (await import(pathToFileURL(file).href)) as { default?: unknown };
    found = typeof loaded.default === "function" ? await loaded.default(config) : loaded.default;
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new ActionError("bad-action", `action ${name}: ${file} cannot be loaded: ${why}`);
  }
  const action = found as Partial<HeartbeatAction> | undefined;
  if (typeof action !== "object" || action === null || typeof action.execute !== "function") {
    throw new ActionError(
      "bad-action",
      `action ${name}: the default export of ${file} is ${typeof found}; expected an action with a function execute, or a function that makes one`,
    );
  }
  const { description = `the module ${file}` } = action;
  return { name, description, execute: (context) => (found as HeartbeatAction).execute(context) };
}
