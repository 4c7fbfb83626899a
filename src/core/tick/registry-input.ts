import { isAgentId } from "../agent.ts";
import { AGENT_ID_FORM, type InputProblem, isRecord } from "../beat-input.ts";

/** An agent of the registry, as the file has it. */
export interface Registered {
  readonly id: string;
  readonly active: boolean;
  readonly name?: string;
  readonly home_dir?: string;
  readonly config_path?: string;
}

/** One entry of the registry: an agent, or what is wrong with it and what to call it in the meantime. */
export type RegistryEntry =
  | { readonly agent: Registered }
  | { readonly called: string; readonly problem: InputProblem };

const TEXTS = ["name", "home_dir", "config_path"] as const;

/** Reads the registry out of parsed JSON. A bad entry does not spoil the others; a bad registry is a problem. */
export function readRegistry(
  value: unknown,
): { readonly entries: readonly RegistryEntry[] } | { readonly problem: InputProblem } {
  const agents = isRecord(value) ? value.agents : undefined;
  if (!Array.isArray(agents)) {
    return { problem: { path: "agents", value: agents, expected: "a list of agents" } };
  }
  const seen = new Set<string>();
  return { entries: agents.map((entry: unknown, index) => entryFrom(entry, index, seen)) };
}

function entryFrom(entry: unknown, index: number, seen: Set<string>): RegistryEntry {
  const path = `agents[${index}]`;
  const wrong = (called: string, key: string, value: unknown, expected: string): RegistryEntry => ({
    called,
    problem: { path: `${path}${key}`, value, expected },
  });
  if (!isRecord(entry)) return wrong(path, "", entry, 'an object such as {"id": "allegro", "active": true}');
  const { id, active } = entry;
  // An id is a file name too: what is none is not even repeated as one.
  if (typeof id !== "string" || !isAgentId(id)) return wrong(path, ".id", id, AGENT_ID_FORM);
  if (seen.has(id)) return wrong(path, ".id", id, "an id that is used once");
  seen.add(id);
  if (typeof active !== "boolean") return wrong(id, ".active", active, "true or false");
  const bad = TEXTS.find((key) => !["string", "undefined"].includes(typeof entry[key]));
  if (bad !== undefined) return wrong(id, `.${bad}`, entry[bad], "text");
  const texts = TEXTS.flatMap((key) => (entry[key] === undefined ? [] : [[key, entry[key]]]));
  return { agent: { id, active, ...Object.fromEntries(texts) } };
}
