import { exitCodeOf, isTrouble } from "../../src/core/liveness/state.ts";
import type { AgentView, State } from "../api/shapes.ts";
import { STATES } from "../words/states.ts";
import { sayUptime } from "../words/uptime.ts";

/** Which agents are shown. It lives in the address, so that a view can be sent to somebody. */
export interface Filter {
  readonly states: ReadonlySet<State>;
  readonly group: string;
  readonly host: string;
  readonly text: string;
  /** What the rows are put under: nothing, or a heading for each group or host. */
  readonly by: "" | "group" | "host";
  /** The column that the rows are sorted by; trouble first without one. */
  readonly sort: "" | SortKey;
  /** The other way round. */
  readonly down: boolean;
}

export const SORTS = ["agent", "now", "since", "host", "24h", "7d", "30d", "90d"] as const;
export type SortKey = (typeof SORTS)[number];
/** Uptimes in parts of 10,000, in the order of their columns. */
export type UptimesOf = (agent: AgentView) => readonly (number | null)[];

export function filterOf(query: URLSearchParams): Filter {
  const by = query.get("by");
  const sort = (query.get("sort") ?? "").replace(/^-/, "");
  const asked = (query.get("state") ?? "").split(",");
  return {
    states: new Set(STATES.filter((state) => asked.includes(state))),
    group: query.get("group") ?? "",
    host: query.get("host") ?? "",
    text: query.get("q") ?? "",
    by: by === "group" || by === "host" ? by : "",
    sort: SORTS.find((each) => each === sort) ?? "",
    down: query.get("sort")?.startsWith("-") === true,
  };
}

export function addressOf({ states, group, host, text, by, sort, down }: Filter): string {
  const query = new URLSearchParams();
  if (states.size > 0) query.set("state", STATES.filter((state) => states.has(state)).join(","));
  for (const [key, value] of Object.entries({
    group,
    host,
    q: text,
    by,
    sort: sort && `${down ? "-" : ""}${sort}`,
  }))
    if (value !== "") query.set(key, value);
  const said = query.toString().replaceAll("%2C", ",");
  return said === "" ? "/" : `/?${said}`;
}

/** The same as a query to the API, which shows so much of a large fleet. */
export function queryOf({ states, group, host, text }: Filter): string {
  const query = new URLSearchParams();
  if (states.size > 0) query.set("state", [...states].join(","));
  for (const [key, value] of Object.entries({ group, host, text })) if (value !== "") query.set(key, value);
  return query.toString();
}

/** What a row shows, which is what a search looks in. */
function shownOf(agent: AgentView, uptimes: UptimesOf): string {
  const { id, name, why, action, reason, state, cycle } = agent;
  const words = [id, name, agent.group, agent.host, state, reason, why, action, cycle];
  return [...words, ...uptimes(agent).map(sayUptime)].join(" ").toLowerCase();
}

const NONE: UptimesOf = () => [];

/** All but the state: the counts of states are of what the rest of the filter leaves. */
export function passesRest(
  agent: AgentView,
  { group, host, text }: Filter,
  uptimes: UptimesOf = NONE,
): boolean {
  if (group !== "" && agent.group !== group) return false;
  if (host !== "" && agent.host !== host) return false;
  if (text === "") return true;
  const haystack = shownOf(agent, uptimes);
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}

export function isEmpty(filter: Filter): boolean {
  return addressOf({ ...filter, by: "", sort: "" }) === "/";
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

/** What is done now: of an agent that is not well or not watched the reason; of the others what they say or show. */
export function activityOf({ state, why, action }: AgentView): string {
  return exitCodeOf(state) !== 0 || state === "paused" || action === null ? why : action;
}

const FIRST: Readonly<Record<SortKey, (a: AgentView, b: AgentView, uptimes: UptimesOf) => number>> = {
  agent: () => 0,
  now: (a, b) => compare(activityOf(a), activityOf(b)),
  since: (a, b) => compare(b.since, a.since),
  host: (a, b) => compare(a.host ?? "", b.host ?? ""),
  "24h": worst(0),
  "7d": worst(1),
  "30d": worst(2),
  "90d": worst(3),
};

/** The lowest uptime first; those without one last. */
function worst(column: number) {
  return (a: AgentView, b: AgentView, uptimes: UptimesOf) =>
    (uptimes(a)[column] ?? 10_001) - (uptimes(b)[column] ?? 10_001);
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The order of the rows: by the column that was chosen, and at equal values by name. */
export function orderOf({ sort, down }: Filter, uptimes: UptimesOf): (a: AgentView, b: AgentView) => number {
  if (sort === "") return byTrouble;
  const first = FIRST[sort];
  return (a, b) => (down ? -1 : 1) * (first(a, b, uptimes) || compare(a.id, b.id));
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
