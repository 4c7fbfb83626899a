import type { AgentView, State } from "../api/shapes.ts";
import { STATES } from "../words/states.ts";

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
  if (group !== "") query.set("group", group);
  if (host !== "") query.set("host", host);
  if (text !== "") query.set("q", text);
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
