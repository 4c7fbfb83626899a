import type { Instant, Millis } from "./duration.ts";
import { MINUTE } from "./duration.ts";
import type { HostKind } from "./host-kind.ts";

/** What an agent may be called. It is also a file name and a part of addresses, hence the narrow set. */
export const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9_@-]{0,127}$/;

export function isAgentId(text: string): boolean {
  return AGENT_ID.test(text);
}

/** When an agent promises to show itself: at a pace, or by the calendar. Silence beyond `grace` is death. */
export type Rule =
  | { readonly every: Millis; readonly grace: Millis }
  | { readonly schedule: string; readonly timezone: string; readonly grace: Millis };

export const DEFAULT_EVERY: Millis = 15 * MINUTE;
export const DEFAULT_GRACE: Millis = 5 * MINUTE;
export const DEFAULT_RULE: Rule = { every: DEFAULT_EVERY, grace: DEFAULT_GRACE };

/** A named worker that should be alive. */
export interface Agent {
  readonly id: string;
  readonly name?: string;
  /** Who it is like: the agents of a group share what is normal, and a common cause. */
  readonly group?: string;
  /** Its promise to beat. Without one it is judged by the traces that it leaves. */
  readonly rule?: Rule;
  /** Where its traces are: the settings of each signal, as plain data. */
  readonly signals?: Readonly<Record<string, unknown>>;
  /** How long it may be without progress, if that is fixed rather than learnt. */
  readonly stall?: Millis;
  /** Where it is declared: in the config file, by `agents add`, by its own first beat, or by its host; or the watcher itself. */
  readonly origin: "config" | "added" | "beat" | "host" | "watcher";
  /** The host that judges it, if that is another one: this roll shows what it says. */
  readonly host?: string;
  /** It stands for a host that reports to this hub. */
  readonly hostKind?: HostKind;
  /** It registered itself by a beat that nobody proved, or by a ping key: there may be only so many of these. */
  readonly unproven?: true;
  readonly addedAt: Instant;
  /** When an operator last paused it, and when the last pause ended. */
  readonly pausedAt?: Instant;
  readonly resumedAt?: Instant;
  /** While it is paused: when an earlier pause began, if nothing was heard between that one and this. */
  readonly unheardSince?: Instant;
}

/** Agents that name no group are one of their own. */
export function groupOf({ group }: Agent): string {
  return group ?? "default";
}

/** Whether it is on the roll as long as the config in force declares it. The watcher declares its own agent. */
export function isDeclared({ origin }: Agent): boolean {
  return origin === "config" || origin === "watcher";
}

export function isPaused(agent: Agent): boolean {
  if (agent.pausedAt === undefined) return false;
  return agent.resumedAt === undefined || agent.resumedAt < agent.pausedAt;
}

/** An agent's new declaration, with what no declaration tells: since when it is known, and its pauses. */
export function redeclared(known: Agent, agent: Agent): Agent {
  const { addedAt, pausedAt, resumedAt, unheardSince } = known;
  return {
    ...agent,
    addedAt,
    ...(pausedAt === undefined ? {} : { pausedAt }),
    ...(resumedAt === undefined ? {} : { resumedAt }),
    ...(unheardSince === undefined ? {} : { unheardSince }),
  };
}

/** Whether two declarations say the same; a field that is undefined says nothing. */
export function sameDeclaration(one: Agent, other: Agent): boolean {
  return isSame(one, other);
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>];
  for (const key in left) if (!isSame(left[key], right[key])) return false;
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false;
  return true;
}
