import type { AgentView, State } from "../api/shapes.ts";
import { isTrouble, STATES } from "../words/states.ts";

/** Which agents are shown. It lives in the address, so that a view can be sent to somebody. */
export interface Filter {
  readonly states: ReadonlySet<State>;
  readonly group: string;
  readonly host: string;
  readonly text: string;
  /** What the rows are put under: nothing, or a heading for each group or host. */
  readonly by: "" | "group" | "host";
}

export function filterOf(query: URLSearchParams): Filter {
  const by = query.get("by");
  const asked = (query.get("state") ?? "").split(",");
  return {
    states: new Set(STATES.filter((state) => asked.includes(state))),
    group: query.get("group") ?? "",
    host: query.get("host") ?? "",
    text: query.get("q") ?? "",
    by: by === "group" || by === "host" ? by : "",
  };
}

export function addressOf({ states, group, host, text, by }: Filter): string {
  const query = new URLSearchParams();
  if (states.size > 0) query.set("state", STATES.filter((state) => states.has(state)).join(","));
  for (const [key, value] of Object.entries({ group, host, q: text, by }))
    if (value !== "") query.set(key, value);
  const said = query.toString().replaceAll("%2C", ",");
  return said === "" ? "/" : `/?${said}`;
}

/** All but the state: the counts of states are of what the rest of the filter leaves. */
export function passesRest(agent: AgentView, { group, host, text }: Filter): boolean {
  if (group !== "" && agent.group !== group) return false;
  if (host !== "" && agent.host !== host) return false;
  if (text === "") return true;
  const { id, name, why, action, reason } = agent;
  const haystack = `${id} ${name ?? ""} ${agent.group} ${reason} ${why} ${action ?? ""}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}

export function isEmpty(filter: Filter): boolean {
  return addressOf({ ...filter, by: "" }) === "/";
}

/** Alive and resting are one place: ordinary life must not make rows jump. */
function rank(state: State): number {
  return STATES.indexOf(state === "resting" ? "alive" : state);
}

/** Trouble first, the newest trouble on top; the rest by name, so that everybody has a place to be found at. */
export function byTrouble(a: AgentView, b: AgentView): number {
  const ranks = rank(a.state) - rank(b.state);
  if (ranks !== 0) return ranks;
  if (isTrouble(a.state) && a.since !== b.since) return a.since < b.since ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

/** A line of the roll: an agent, or the heading of those that follow. */
export type RollLine =
  | { readonly agent: AgentView; readonly index: number }
  | { readonly heading: string; readonly agents: readonly AgentView[] };

/** The lines of a roll that is in order: each heading, by name, before its agents. Agents without one come last. */
export function linesOf(agents: readonly AgentView[], by: Filter["by"]): readonly RollLine[] {
  if (by === "") return agents.map((agent, index) => ({ agent, index }));
  const under = new Map<string, AgentView[]>();
  for (const agent of agents) {
    const heading = agent[by] ?? "";
    const list = under.get(heading);
    if (list === undefined) under.set(heading, [agent]);
    else list.push(agent);
  }
  const headings = [...under.keys()].sort((a, b) => (a === "" ? 1 : b === "" ? -1 : a < b ? -1 : 1));
  let index = 0;
  return headings.flatMap((heading): readonly RollLine[] => {
    const list = under.get(heading) ?? [];
    return [{ heading, agents: list }, ...list.map((agent) => ({ agent, index: index++ }))];
  });
}
