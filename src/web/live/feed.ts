import type { Millis } from "../../core/duration.ts";
import type { Changes } from "../../ports/store.ts";
import {
  showDelivery,
  showFlip,
  showIncident,
  showRecovery,
  showRun,
  showSilence,
} from "../../views/show.ts";

/** At most so often is anything sent: an agent that beats a thousand times a second is shown seven times. */
const PACE: Millis = 150;
/** So many of each at once; what is left waits for the next time, the longest waiting first. */
const AT_ONCE = 250;

/** What is sent at once. With it, everything up to the commit of this number has been sent, unless more waits. */
export type Send = (events: readonly LiveEvent[], upTo: number | undefined) => void;

export interface LiveEvent {
  readonly name: string;
  readonly items: readonly unknown[];
}

/**
 * Gathers what commits changed and sends it at a pace, each agent once with its newest state, however often it
 * changed meanwhile. While nobody listens it costs nothing: `note` is then not called.
 */
export class ChangeFeed {
  readonly #send: Send;
  readonly #show: (agent: string) => unknown;
  readonly #agents = new Set<string>();
  readonly #removed = new Set<string>();
  readonly #flips: unknown[] = [];
  readonly #things = new Map<string, Map<string, unknown>>();
  #noted = 0;
  #timer: NodeJS.Timeout | undefined;
  #rest: Millis = PACE;

  constructor(show: (agent: string) => unknown, send: Send) {
    this.#show = show;
    this.#send = send;
  }

  /** What the commit of this number changed, and whose entries that changed. */
  note(changes: Changes, changed: readonly string[], number: number): void {
    this.#noted = number;
    const { beats = [], agents = [], removed = [], flips = [], records = [] } = changes;
    const { incidents = [], deliveries = [], recoveries = [], runs = [] } = changes;
    for (const { agent } of beats) this.#agents.add(agent);
    for (const id of changed) this.#agents.add(id);
    for (const { id } of agents) this.#agents.add(id);
    for (const id of removed) {
      this.#agents.delete(id);
      this.#removed.add(id);
    }
    for (const flip of flips) this.#flips.push(showFlip(flip));
    for (const { incident } of incidents) this.#note("incidents", incident.id, showIncident(incident));
    for (const delivery of deliveries) this.#note("deliveries", delivery.key, showDelivery(delivery));
    for (const { recovery } of recoveries) this.#note("recoveries", recovery.id, showRecovery(recovery));
    for (const run of runs) this.#note("runs", `${run.action} ${run.id}`, showRun(run));
    for (const { kind, id, body } of records)
      if (kind === "silence") this.#note("silences", id, showSilence(body));
    if (this.#isWaiting) this.#timer ??= setTimeout(() => this.#flush(), this.#rest);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const list of [this.#agents, this.#removed, this.#things]) list.clear();
    this.#flips.length = 0;
  }

  get #isWaiting(): boolean {
    return this.#agents.size + this.#removed.size + this.#flips.length + this.#things.size > 0;
  }

  #note(event: string, id: string, shown: unknown): void {
    const list = this.#things.get(event) ?? new Map<string, unknown>();
    this.#things.set(event, list.set(id, shown));
  }

  #flush(): void {
    this.#timer = undefined;
    const began = performance.now();
    const events: LiveEvent[] = [];
    const add = (name: string, items: readonly unknown[]) => {
      if (items.length > 0) events.push({ name, items });
    };
    add("removed", [...this.#removed]);
    this.#removed.clear();
    const shown: unknown[] = [];
    for (const id of this.#agents) {
      if (shown.length >= AT_ONCE) break;
      this.#agents.delete(id);
      const view = this.#show(id);
      if (view !== undefined) shown.push(view);
    }
    add("agents", shown);
    add("flips", this.#flips.splice(0, AT_ONCE));
    for (const [name, list] of this.#things) {
      const some = [...list].slice(0, AT_ONCE);
      add(
        name,
        some.map(([, shown]) => shown),
      );
      for (const [id] of some) list.delete(id);
      if (list.size === 0) this.#things.delete(name);
    }
    if (events.length > 0) this.#send(events, this.#isWaiting ? undefined : this.#noted);
    // Showing takes at most a tenth of our time, however much changes.
    this.#rest = Math.max(PACE, 9 * (performance.now() - began));
    if (this.#isWaiting) this.#timer = setTimeout(() => this.#flush(), this.#rest);
  }
}
