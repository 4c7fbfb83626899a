import type { AgentView, State } from "../api/shapes.ts";
import { isTrouble, STATES } from "../words/states.ts";

/** Which agents are shown. It lives in the address, so that a view can be sent to somebody. */
export interface Filter {
  readonly states: ReadonlySet<State>;
  readonly group: string;
  readonly host: string;
  readonly text: string;
}

export function filterOf(query: URLSearchParams): Filter {
  const asked = (query.get("state") ?? "").split(",");
  return {
    states: new Set(STATES.filter((state) => asked.includes(state))),
    group: query.get("group") ?? "",
    host: query.get("host") ?? "",
    text: query.get("q") ?? "",
  };
}

export function addressOf({ states, group, host, text }: Filter): string {
  const query = new URLSearchParams();
  if (states.size > 0) query.set("state", STATES.filter((state) => states.has(state)).join(","));
  for (const [key, value] of Object.entries({ group, host, q: text }))
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
  return addressOf(filter) === "/";
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
