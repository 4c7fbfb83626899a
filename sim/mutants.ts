import type { Agent } from "../src/core/agent.ts";
import type { Beat } from "../src/core/beat.ts";
import type { Delivery } from "../src/core/delivery/delivery.ts";
import { MINUTE } from "../src/core/duration.ts";
import { isOpen } from "../src/core/incident/incident.ts";
import { type BlindSpan, FULL_TRUST, type Trust } from "../src/core/liveness/trust.ts";
import { NO_BASIS } from "../src/core/liveness/verdict.ts";
import type { Changes, Store } from "../src/ports/store.ts";
import type { RecoverersOptions } from "../src/watch/recover.ts";
import type { Watcher } from "../src/watch/watcher.ts";

/** A watcher that is wrong in one way, made from the right one by replacing what it stands on. */
export interface Mutant {
  readonly name: string;
  readonly store?: (store: Store) => Store;
  readonly watcher?: (watcher: Watcher) => void;
  /** What the courier wants stored. */
  readonly persisting?: (deliveries: readonly Delivery[]) => readonly Delivery[];
  /** What the config declares, and what it declared at first. */
  readonly agents?: (agents: readonly Agent[], first: readonly Agent[]) => readonly Agent[];
  readonly accept?: (watcher: Watcher, beats: readonly Beat[]) => Promise<void>;
  /** What the recoverers stand on. */
  readonly recovering?: (options: RecoverersOptions) => RecoverersOptions;
  /** Whether an issue is looked for before it is created. */
  readonly looksFirst?: boolean;
}

/** The product as it is. */
export const NONE: Mutant = { name: "none" };

/** Lets the watcher see its own blind spans otherwise than they were. */
function seeing(
  change: (span: BlindSpan, old: boolean) => readonly BlindSpan[],
): NonNullable<Mutant["watcher"]> {
  return (watcher) => {
    const old = new Set(watcher.trust.blind);
    const proto = Object.getPrototypeOf(watcher) as Watcher;
    const get = Object.getOwnPropertyDescriptor(proto, "trust")?.get ?? (() => FULL_TRUST);
    Object.defineProperty(watcher, "trust", {
      get: (): Trust => ({
        blind: (get.call(watcher) as Trust).blind.flatMap((span) => change(span, old.has(span))),
      }),
    });
  };
}

export const hiding = (...causes: readonly BlindSpan["cause"][]) =>
  seeing((span) => (causes.includes(span.cause) ? [] : [span]));

/** A span as many short lags: deadlines move out by its length, but nobody gets a new chance. */
function asLags({ from, to }: BlindSpan): readonly BlindSpan[] {
  const lags: BlindSpan[] = [];
  for (let at = from; at < to; at += MINUTE)
    lags.push({ from: at, to: Math.min(to, at + MINUTE), cause: "lag" });
  return lags;
}

/** The group's incident never ends: whatever would end it is left out of the commit. */
function sticking(changes: Changes): Changes {
  const ends = new Set<string>();
  for (const { incident } of changes.incidents ?? [])
    if (incident.kind === "group" && !isOpen(incident)) ends.add(incident.id);
  if (ends.size === 0) return changes;
  const deliveries = changes.deliveries?.filter(({ incident = "" }) => !ends.has(incident));
  const incidents = changes.incidents?.map((each) => {
    const { resolved: _, ...incident } = each.incident;
    return ends.has(incident.id) ? { incident, ofInterest: true } : each;
  });
  // The watcher takes what it handed to the store for the truth.
  return Object.assign(changes, { deliveries, incidents });
}

/** A verdict under a changed rule has NaN for its basis, which a database takes for nothing at all. */
function withoutBasis(changes: Changes): Changes {
  const entries = changes.entries?.map((entry) => {
    const { verdict } = entry.standing;
    if (verdict.basis !== NO_BASIS) return entry;
    return { ...entry, standing: { ...entry.standing, verdict: { ...verdict, basis: Number.NaN } } };
  });
  return entries === undefined ? changes : { ...changes, entries };
}

/** Whoever waits for a human looks stuck, and what its screen says is not read. */
function waitingHidden(options: RecoverersOptions): RecoverersOptions {
  return {
    ...options,
    place: (id) => {
      const place = options.place(id);
      if (place === undefined) return undefined;
      const observations = place.entry.observations.filter(({ kind }) => kind !== "reading");
      return { ...place, entry: { ...place.entry, observations } };
    },
    verdict: (stripped) => {
      const verdict = options.verdict(options.place(stripped.agent.id) ?? stripped);
      return verdict.state === "waiting" ? { ...verdict, state: "stalled", reason: "spinning" } : verdict;
    },
  };
}

/** Whatever anybody says of an agent without a token is believed. */
function believing(options: RecoverersOptions): RecoverersOptions {
  return {
    ...options,
    place: (id) => {
      const place = options.place(id);
      if (place === undefined) return undefined;
      const observations = place.entry.observations.map((fact) => {
        if (!("unproven" in fact)) return fact;
        const { unproven: _, ...proven } = fact;
        return proven;
      });
      return { ...place, entry: { ...place.entry, observations } };
    },
  };
}

/** Every mutant must be found. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: "mark before send",
    persisting: (deliveries) =>
      deliveries.map((each) => (each.state === "sending" ? { ...each, state: "sent" } : each)),
  },
  {
    name: "two transactions",
    store: (store) => ({
      ...store,
      async commit({
        incidents = [],
        deliveries = [],
        recoveries = [],
        issues = [],
        records = [],
        ...state
      }) {
        const number = await store.commit(state);
        const rest = { incidents, deliveries, recoveries, issues, records };
        return Object.values(rest).every(({ length }) => length === 0) ? number : store.commit(rest);
      },
    }),
  },
  { name: "downtime counted as silence", watcher: hiding("outage") },
  { name: "no restart grace", watcher: seeing((span) => (span.cause === "outage" ? asLags(span) : [span])) },
  {
    // What it was held up while it ran; what it missed between two lives it still sees.
    name: "no pause check",
    watcher: seeing((span, old) => (old || span.cause === "store" || span.cause === "step" ? [span] : [])),
  },
  { name: "no store check", watcher: hiding("store") },
  { name: "wall clock used for ages", watcher: hiding("step") },
  { name: "no mass rule", agents: (agents) => agents.map((agent) => ({ ...agent, group: agent.id })) },
  {
    name: "mass rule that sticks",
    store: (store) => ({ ...store, commit: (all) => store.commit(sticking(all)) }),
  },
  {
    name: "acknowledge before commit",
    accept: async (watcher, beats) => {
      watcher.accept(beats).catch(() => {});
    },
  },
  { name: "restart while waiting", recovering: waitingHidden },
  { name: "kill on anybody's word", recovering: believing },
  { name: "create without looking", looksFirst: false },
  {
    // A pause gives a whole new chance always.
    name: "a new chance at every restart",
    watcher: seeing((span) => [span.cause === "outage" ? { ...span, cause: "paused" } : span]),
  },
  {
    name: "no number for a changed rule",
    store: (store) => ({ ...store, commit: (all) => store.commit(withoutBasis(all)) }),
  },
  {
    name: "changed rules ignored",
    agents: (agents, first) =>
      agents.map((agent) => {
        const rule = first.find(({ id }) => id === agent.id)?.rule;
        return rule === undefined ? agent : { ...agent, rule };
      }),
  },
];
