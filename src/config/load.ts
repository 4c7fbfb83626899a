import { dirname, resolve } from "node:path";
import type { Agent, Rule } from "../core/agent.ts";
import type { Instant } from "../core/duration.ts";
import { SIGNAL_KINDS } from "../signals/kinds.ts";
import type { PackSource } from "../signals/screens/packs.ts";
import { ConfigError } from "./config-error.ts";
import { byId, type Declared, declaredIn } from "./declared.ts";
import type { AgentItem, DeclaredAgent } from "./declared-agent.ts";
import { DEFAULTS } from "./defaults.ts";
import { configFileIn, configText } from "./find.ts";
import type { ForeignSection } from "./foreign.ts";
import { keepConfig, keptConfig } from "./kept-config.ts";
import type { ReadPacks } from "./packs.ts";
import type { ConfigRead } from "./read.ts";
import type { ConfigFile } from "./schema.ts";

/** The config in force, and where it came from; no file is needed. */
export interface Config extends Omit<ConfigFile, "agents">, Omit<Declared, "problems"> {
  readonly file: string | undefined;
  /** The user's rule packs, read from the files that `packs` names. */
  readonly rulePacks: readonly PackSource[];
  /** Sections of a file that belongs to another program too. */
  readonly foreign: readonly ForeignSection[];
}

/**
 * Reads and checks the whole config. Throws a ConfigError that names every problem at once. `only`: of the agents that
 * are declared by their ids, no other one is needed. `keep`: the next command finds it in the home as it was read. The
 * watcher and commands about agents keep it; `doctor` and other examinations change nothing.
 */
export async function loadConfig(home: string, named?: string, only?: string, keep = false): Promise<Config> {
  const file = configFileIn(home, named);
  if (file === undefined) return defaultConfig();
  const { config, foreign, oldKeys } = await readOnce(home, configText(file), file, only, keep);
  const { packs, problems } = await packsOf(config, dirname(resolve(file)));
  const declared = await declaredIn(config, file);
  const all = [...problems, ...declared.problems];
  if (all.length > 0) throw new ConfigError(file, all);
  const { agents, sessions } = declared;
  const overlooked = [...oldKeys, ...declared.overlooked];
  return { ...config, agents, sessions, overlooked, file, rulePacks: packs, foreign };
}

/** A text is parsed and checked once: it takes long, and so does loading the libraries for it. */
async function readOnce(
  home: string,
  text: string,
  file: string,
  only: string | undefined,
  keep: boolean,
): Promise<ConfigRead> {
  const kept = keptConfig(home, text, file, only);
  if (kept !== undefined) return kept;
  const read = await readConfig(text, file);
  if (keep) keepConfig(home, text, file, read);
  return read;
}

async function readConfig(text: string, file: string): Promise<ConfigRead> {
  return (await import("./read.ts")).readConfig(text, file);
}

/** Rules are checked with a large library, which most configs do not need. */
async function packsOf({ packs }: ConfigFile, folder: string): Promise<ReadPacks> {
  if (packs.length === 0) return { packs: [], problems: [] };
  return (await import("./packs.ts")).readPacks(packs, folder);
}

/** What is in force where no file says otherwise. */
export function defaultConfig(): Config {
  const nobody = { agents: [], sessions: [], overlooked: [] };
  return { ...structuredClone(DEFAULTS), ...nobody, file: undefined, rulePacks: [], foreign: [] };
}

/** A config by its text alone, with the agents that it declares by their ids. */
export async function parseConfig(
  text: string,
  file: string,
): Promise<Omit<ConfigFile, "agents"> & { readonly agents: readonly DeclaredAgent[] }> {
  const { config } = await readConfig(text, file);
  return { ...config, agents: [...byId(config.agents).values()] };
}

export function defaultRule({ defaults }: Pick<ConfigFile, "defaults">): Rule {
  return { every: defaults.every, grace: defaults.grace };
}

/** What agents are declared with: the list as it is written, or as it is in force. */
type Declaring = Pick<ConfigFile, "defaults"> & { readonly agents: readonly (AgentItem | DeclaredAgent)[] };

/** The agents that the config declares by their ids, as the roll knows them. */
export function agentsOf(config: Declaring, now: Instant): Agent[] {
  return config.agents.flatMap((declared) => {
    const { id, name, group, stall } = declared;
    if (id === undefined) return [];
    const signals = signalsOf(declared);
    const rule = "promisesNothing" in declared ? undefined : ruleOf(declared, config, signals !== undefined);
    return {
      id,
      ...(name === undefined ? {} : { name }),
      ...(group === undefined ? {} : { group }),
      ...(rule === undefined ? {} : { rule }),
      ...(signals === undefined ? {} : { signals }),
      ...(typeof stall === "number" ? { stall } : {}),
      origin: "config",
      addedAt: now,
    };
  });
}

/** Who leaves traces promises beats only if it says so. */
function ruleOf(declared: AgentItem, { defaults }: Declaring, leavesTraces: boolean): Rule | undefined {
  const { every, schedule, timezone, grace = defaults.grace } = declared;
  if (schedule !== undefined) return { schedule, timezone: timezone ?? "UTC", grace };
  if (every === undefined && leavesTraces) return undefined;
  return { every: every ?? defaults.every, grace };
}

function signalsOf(declared: AgentItem): Record<string, unknown> | undefined {
  const found = SIGNAL_KINDS.flatMap((name) =>
    declared[name] === undefined ? [] : [[name, declared[name]] as const],
  );
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
