import { existsSync } from "node:fs";
import { commandsIn } from "../config/commands.ts";
import { ConfigError } from "../config/config-error.ts";
import { configText } from "../config/find.ts";
import { listenAddress } from "../config/listen.ts";
import type { Config } from "../config/load.ts";
import { lostVariables } from "../config/lost-variables.ts";
import { besideConfig, environmentOfDaemon, missingSecrets, secretVariables } from "../config/secrets.ts";
import { storedIn } from "../config/stored-home.ts";
import { NoTokenError, reachableAt } from "../core/access/exposure.ts";
import { formatDuration, type Millis } from "../core/duration.ts";
import { environmentFor } from "../core/environment.ts";
import { matches } from "../core/incident/policy.ts";
import { nearest } from "../core/nearest.ts";
import type { Step } from "../core/recovery/ladder.ts";
import { TickError } from "../core/tick/error.ts";
import { rcaTemplate } from "../features/forge/forge.ts";
import type { Home } from "../home/home.ts";
import { withStore } from "../home/store.ts";
import { knownAgents } from "../service/offline-roll.ts";
import { fillTemplate } from "../session-log/template.ts";
import { needsOfShell, needsOfWords } from "./doctor/wakes/needs.ts";
import { lackOf } from "./doctor/wakes/on-disk.ts";

/** Refuses what `up` would refuse although the file is well-formed. */
export async function refuseUnstartable(config: Config, home: Home, listen?: string): Promise<void> {
  const { host } = listenAddress(listen, config);
  const tokens = await withStore(storedIn(home, config), (store) =>
    store.records.page("token", { limit: 1, current: true }),
  ).catch(
    // A database that cannot be read is for doctor to tell.
    () => undefined,
  );
  try {
    reachableAt(host, (tokens ?? []).length > 0);
  } catch (error) {
    if (!(error instanceof NoTokenError)) throw error;
    throw new ConfigError(config.file ?? "the default", [error.message], { cause: error });
  }
}

/**
 * One sentence for each thing that the config names and that is not there, also for a command. The watcher starts all
 * the same.
 */
export async function warningsOf(config: Config, home: Home): Promise<readonly string[]> {
  const env = { ...process.env, ...environmentOfDaemon(home) };
  return [
    ...config.foreign.flatMap(({ name, why }) =>
      why === undefined ? [] : `${name}: Rollcall ignores this section: ${why}`,
    ),
    ...config.overlooked,
    ...(await unknownNames(config, home)),
    ...(await missingSecrets(config, home)),
    ...missingFiles(config),
    ...shortInterval(config),
    ...unknownKeys(config),
    ...stepsWithoutPane(config),
    ...missingPrograms(config, env),
    ...lostVariables(config, env, secretVariables(config)),
  ];
}

/** The same, each with the file and line of its key. */
export async function warningsWithLines(config: Config, home: Home): Promise<readonly string[]> {
  const warnings = await warningsOf(config, home);
  if (config.file === undefined || warnings.length === 0) return warnings;
  const { withLines } = await import("../config/read.ts");
  return withLines(configText(config.file), config.file, warnings);
}

/** A program or folder may be made before it is needed, so this is no mistake either. */
function missingPrograms(config: Config, env: NodeJS.ProcessEnv): readonly string[] {
  return commandsIn(config).flatMap(({ key, line, folder, extra }) => {
    const variables = new Map(Object.entries(environmentFor(env, extra)));
    const around = { folder, variables };
    const needs = typeof line === "string" ? needsOfShell(line, around).needs : needsOfWords(line, around);
    const path = variables.get("PATH") ?? "";
    const place = folder === undefined ? [] : [{ kind: "folder", name: folder, path } as const];
    const lacks = [...place, ...needs].flatMap((need) => lackOf(need) ?? []);
    // All of them have the same long PATH.
    const says = lacks.filter(({ hidden }) => !hidden).map((lack) => lack.says.replace(` (${path})`, ""));
    return [...new Set(says)].map((each) => `${key}: ${each}`);
  });
}

/** A look takes up to some tens of milliseconds. */
const SHORTEST: Millis = 100;

function shortInterval({ livenessInterval }: Config): readonly string[] {
  if (livenessInterval >= SHORTEST) return [];
  return [
    `livenessInterval: ${formatDuration(livenessInterval)} is too short; expected at least ${formatDuration(SHORTEST)}`,
  ];
}

/** Paths of logs that ask for a key which the agent does not have, so that no log is ever found. */
function unknownKeys({ agents }: Config): readonly string[] {
  return agents.flatMap(({ id, log }) => {
    if (log?.path === undefined) return [];
    const filled = fillTemplate(log.path, { agent: id, ...log.keys });
    return "problem" in filled ? [`agent ${id}: log.path: ${filled.problem}`] : [];
  });
}

/** Steps of an agent's own ladder that need a tmux pane, where the config names none. */
function stepsWithoutPane({ agents }: Config): readonly string[] {
  return agents.flatMap(({ id, tmux, recover = [] }) =>
    tmux !== undefined
      ? []
      : recover.flatMap((step, index) => {
          const what = paneStep(step);
          if (what === undefined) return [];
          return `agent ${id}: recover[${index}]: ${what} needs a tmux pane, and the agent names none; add tmux: { session: … }`;
        }),
  );
}

function paneStep(step: Step): string | undefined {
  if (step.do === "restart") return step.with.by === "respawn" ? "a restart with respawn" : undefined;
  return step.do === "nudge" || step.do === "interrupt" ? `the step ${step.do}` : undefined;
}

/** Names in `after` and in the policy that nobody has. An agent that registers itself may come later, so this is no mistake. */
async function unknownNames(config: Config, home: Home): Promise<readonly string[]> {
  const { agents, policy } = config;
  const named = agents.flatMap(({ id, after = [] }) =>
    after.map((name) => ({ place: `agent ${id}: after`, name })),
  );
  const lists = { "policy.tell": policy.tell ?? [], "policy.windows": policy.windows };
  const patterns = Object.entries(lists).flatMap(([list, items]) =>
    items.map(({ agents: name }, i) => ({ place: `${list}[${i}].agents`, name })),
  );
  const wanted = [...named, ...patterns].filter(({ name }) => name !== "*");
  if (wanted.length === 0) return [];
  // A database that cannot be read is for doctor to tell.
  const known = await knownAgents(home, config).catch(() => agents);
  const ids = known.map(({ id }) => id);
  return wanted.flatMap(({ place, name }) => {
    if (ids.some((id) => matches(name, id))) return [];
    const near = nearest(name, ids);
    const meant = near === undefined ? "" : `; did you mean "${near}"?`;
    return `${place}: there is no agent "${name}" on the roll yet${meant}`;
  });
}

function missingFiles(config: Config): readonly string[] {
  const found: string[] = [];
  try {
    rcaTemplate(config);
  } catch (error) {
    if (!(error instanceof TickError)) throw error;
    found.push(`forge.template: ${error.message}`);
  }
  const registry = config.tick.registry && besideConfig(config.tick.registry, config);
  if (registry !== undefined && !existsSync(registry))
    found.push(`tick.registry: ${registry}: there is no such file`);
  return found;
}
