import { dirname, resolve } from "node:path";
import type { Agent, Rule } from "../core/agent.ts";
import type { Instant } from "../core/duration.ts";
import type { PackSource } from "../signals/screens/packs.ts";
import { signalShape } from "../signals/settings.ts";
import { ConfigError } from "./config-error.ts";
import { byId, type Declared, declaredIn } from "./declared.ts";
import type { AgentItem, DeclaredAgent } from "./declared-agent.ts";
import { configFileIn, readText } from "./find.ts";
import { type ForeignSection, isShared, splitShared } from "./foreign.ts";
import { oldKeysIn } from "./old-keys.ts";
import type { ReadPacks } from "./packs.ts";
import { sayIssues } from "./problems.ts";
import { type ConfigFile, configSchema } from "./schema.ts";

/** The config in force, and where it came from; no file is needed. */
export interface Config extends Omit<ConfigFile, "agents">, Omit<Declared, "problems"> {
  readonly file: string | undefined;
  /** The user's rule packs, read from the files that `packs` names. */
  readonly rulePacks: readonly PackSource[];
  /** Sections of a file that belongs to another program too. */
  readonly foreign: readonly ForeignSection[];
}

export const LARGEST_CONFIG = 16 * 1024 * 1024;
/** Reads and checks the whole config. Throws a ConfigError that names every problem at once. */
export async function loadConfig(home: string, named?: string): Promise<Config> {
  const file = configFileIn(home, named);
  if (file === undefined) return defaultConfig();
  const { config, foreign, oldKeys } = await readConfig(textOf(file), file);
  const { packs, problems } = await packsOf(config, dirname(resolve(file)));
  const declared = await declaredIn(config, file);
  const all = [...problems, ...declared.problems];
  if (all.length > 0) throw new ConfigError(file, all);
  const { agents, sessions } = declared;
  const overlooked = [...oldKeys, ...declared.overlooked];
  return { ...config, agents, sessions, overlooked, file, rulePacks: packs, foreign };
}

/** Rules are checked with a large library, which most configs do not need. */
async function packsOf({ packs }: ConfigFile, folder: string): Promise<ReadPacks> {
  if (packs.length === 0) return { packs: [], problems: [] };
  return (await import("./packs.ts")).readPacks(packs, folder);
}

/** What is in force where no file says otherwise. */
export function defaultConfig(): Config {
  const nobody = { agents: [], sessions: [], overlooked: [] };
  return { ...configSchema.parse({}), ...nobody, file: undefined, rulePacks: [], foreign: [] };
}

function textOf(file: string): string {
  try {
    return readText(file, LARGEST_CONFIG);
  } catch (error) {
    throw new ConfigError(file, [(error as Error).message], { cause: error });
  }
}

/** A config by its text alone, with the agents that it declares by their ids. */
export async function parseConfig(
  text: string,
  file: string,
): Promise<Omit<ConfigFile, "agents"> & { readonly agents: readonly DeclaredAgent[] }> {
  const { config } = await readConfig(text, file);
  return { ...config, agents: [...byId(config.agents).values()] };
}

/** JSON is YAML too, so one parser reads both, and both errors carry lines. */
async function readConfig(
  text: string,
  file: string,
): Promise<{ config: ConfigFile; foreign: readonly ForeignSection[]; oldKeys: readonly string[] }> {
  const { isMap, isNode, LineCounter, parseDocument } = await import("./yaml.ts");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  if (document.errors.length > 0) {
    const said = document.errors.map(({ message, pos }) => `:${lines.linePos(pos[0]).line}: ${message}`);
    throw new ConfigError(file, said);
  }
  let whole: unknown;
  try {
    whole = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // An alias that names nothing, or a few that unfold to millions.
    throw new ConfigError(file, [error instanceof Error ? error.message : String(error)], { cause: error });
  }
  if (holdsItself(whole)) throw new ConfigError(file, ["an alias makes a value contain itself"]);
  // An editor or a full disk may have emptied it. Taken for a config, it would take the whole fleet off the roll.
  if (whole === null || whole === undefined) {
    const right = "expected keys such as agents: []; to go on with the defaults, remove the file";
    throw new ConfigError(file, [`it is empty; ${right}`]);
  }
  const { value, foreign } = isShared(file) ? splitShared(whole) : { value: whole, foreign: [] };
  const checked = configSchema.safeParse(value);
  if (checked.success) return { config: checked.data, foreign, oldKeys: oldKeysIn(value) };
  const locate = (path: readonly (string | number)[], key?: string): number | undefined => {
    let node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
    if (key !== undefined && isMap(node)) {
      node = node.items.find(({ key: name }) => isNode(name) && String(name) === key)?.key;
    }
    // What is missing has no place of its own: its nearest parent has.
    if (!isNode(node)) return path.length > 0 ? locate(path.slice(0, -1)) : undefined;
    return node.range ? lines.linePos(node.range[0]).line : undefined;
  };
  throw new ConfigError(file, sayIssues(checked.error.issues, value, locate));
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
  const named = Object.keys(signalShape) as (keyof typeof signalShape)[];
  const found = named.flatMap((name) =>
    declared[name] === undefined ? [] : [[name, declared[name]] as const],
  );
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function holdsItself(value: unknown, around: readonly unknown[] = []): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (around.includes(value)) return true;
  return Object.values(value).some((inner) => holdsItself(inner, [...around, value]));
}
