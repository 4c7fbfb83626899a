import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { beatAt } from "../../core/beat.ts";
import { SECOND } from "../../core/duration.ts";
import { isOpen } from "../../core/incident/incident.ts";
import { sortFacts } from "../../core/liveness/facts.ts";
import { STATES } from "../../core/liveness/state.ts";
import type { Changes, Store } from "../../ports/store.ts";
import { firstAfter, slices } from "../../service/slices.ts";
import type { HostView } from "../../views/host.ts";
import type { RollPlace } from "../../watch/roll-place.ts";
import type { Watcher } from "../../watch/watcher.ts";

/** So many agents have series of their own, by id; beyond that only the sums tell. */
const OWN_SERIES = 1000;
/** After so many agents others get their turn. */
const AT_ONCE = 1000;

/** What ended a delivery. */
const OUTCOMES: ReadonlySet<string> = new Set(["sent", "refused", "expired", "superseded"]);

export interface MetricsSource {
  readonly watcher: Watcher;
  readonly store: Store;
  readonly streams: () => number;
  readonly now: () => number;
  /** None on a watcher that is no hub. */
  readonly hosts: () => Promise<readonly HostView[]>;
}

/** The figures for Prometheus. What is counted is counted at each commit, the rest is read when somebody asks. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #commits = new Histogram({
    name: "rollcall_store_commit_duration_seconds",
    help: "How long a commit took until it was on disk.",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [this.#registry],
  });
  readonly #failures = this.#counter("rollcall_store_commit_failures_total", "Commits that failed.");
  readonly #beats = this.#counter("rollcall_beats_total", "Beats that were accepted.");
  readonly #flips = this.#counter("rollcall_flips_total", "Changes of state, by the state that began.", "to");
  readonly #deliveries = this.#counter(
    "rollcall_deliveries_total",
    "Deliveries that ended, by how.",
    "outcome",
  );
  readonly #agents = this.#gauge(
    "rollcall_agents",
    "Agents by state; those of other hosts by host.",
    "state",
    "host",
  );
  readonly #state = this.#gauge(
    "rollcall_agent_state",
    "1 for the state that an agent is in.",
    "agent",
    "state",
    "host",
  );
  readonly #age = this.#gauge(
    "rollcall_agent_last_beat_age_seconds",
    "Time since its last beat.",
    "agent",
    "host",
  );
  readonly #disagree = this.#gauge(
    "rollcall_sensors_disagree",
    "Agents that say something else than their screen shows, for over a minute.",
  );
  readonly #contact = this.#gauge(
    "rollcall_host_in_contact",
    "1 while a host reports to this hub.",
    "host",
    "kind",
  );
  readonly #contactAge = this.#gauge(
    "rollcall_host_last_contact_age_seconds",
    "Time since a host was last heard.",
    "host",
  );
  readonly #backlog = this.#gauge("rollcall_host_backlog", "Facts that wait on a host.", "host");
  readonly #dropped = this.#gauge("rollcall_host_dropped", "Facts that a host had to drop.", "host");
  readonly #offset = this.#gauge(
    "rollcall_host_clock_offset_seconds",
    "How far a host's clock is behind the hub's.",
    "host",
  );
  readonly #incidents = this.#gauge("rollcall_incidents_open", "Open incidents by severity.", "severity");
  readonly #pending = this.#gauge("rollcall_deliveries_pending", "Deliveries that wait to be sent.");
  readonly #blind = this.#gauge(
    "rollcall_watcher_blind",
    "1 while nothing can be stored and no agent is judged.",
  );
  readonly #streams = this.#gauge("rollcall_event_streams", "Open streams of events.");
  readonly #lag = this.#gauge(
    "rollcall_loop_lag_seconds",
    "How late the loop was since the last scrape.",
    "quantile",
  );
  readonly #memory = this.#gauge("process_resident_memory_bytes", "Resident memory.");
  readonly #cpu = this.#gauge("process_cpu_seconds_total", "CPU time of the process.");
  #loop: IntervalHistogram | undefined;

  /** The same store, with its commits measured. */
  measured(store: Store): Store {
    return {
      ...store,
      commit: async (changes) => {
        const began = performance.now();
        try {
          const number = await store.commit(changes);
          this.#commits.observe((performance.now() - began) / SECOND);
          return number;
        } catch (error) {
          this.#failures.inc();
          throw error;
        }
      },
    };
  }

  note({ beats = [], flips = [], deliveries = [] }: Changes): void {
    if (beats.length > 0) this.#beats.inc(beats.length);
    for (const { to } of flips) this.#flips.inc({ to });
    for (const { state } of deliveries) if (OUTCOMES.has(state)) this.#deliveries.inc({ outcome: state });
  }

  async text(source: MetricsSource): Promise<string> {
    await this.#read(source);
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async #read({ watcher, store, streams, now, hosts }: MetricsSource): Promise<void> {
    await this.#readAgents(watcher, now());
    this.#readHosts(await hosts(), now());
    for (const severity of ["warning", "critical"]) {
      const open = [...watcher.desk.incidents].filter((each) => isOpen(each) && each.severity === severity);
      this.#incidents.set({ severity }, open.length);
    }
    this.#pending.set(await store.deliveries.underWay());
    this.#blind.set(watcher.blindSince === undefined ? 0 : 1);
    this.#streams.set(streams());
    this.#readProcess();
  }

  async #readAgents({ reader }: Watcher, now: number): Promise<void> {
    const counts = new Map<
      string,
      { readonly state: string; readonly host: string | undefined; count: number }
    >();
    let disagree = 0;
    for await (const some of slices(reader.places(), AT_ONCE)) {
      for (const { agent, entry } of some) {
        const { state } = entry.standing.verdict;
        const key = `${state} ${agent.host ?? ""}`;
        const known = counts.get(key);
        if (known === undefined) counts.set(key, { state, host: agent.host, count: 1 });
        else known.count += 1;
        if (sortFacts(entry.observations, now).dissent !== undefined) disagree += 1;
      }
    }
    const own = await firstAfter(reader.places(), "", OWN_SERIES);
    // From here on nothing waits: whoever else scrapes meanwhile gets all of it too.
    for (const gauge of [this.#agents, this.#state, this.#age]) gauge.reset();
    for (const state of Object.keys(STATES)) this.#agents.set({ state }, 0);
    for (const { state, host, count } of counts.values())
      this.#agents.set({ state, ...(host === undefined ? {} : { host }) }, count);
    for (const { agent, entry } of own) {
      const { state } = entry.standing.verdict;
      const host = agent.host === undefined ? {} : { host: agent.host };
      this.#state.set({ agent: agent.id, state, ...host }, 1);
      const beat = lastBeatOf(entry);
      if (beat !== undefined) this.#age.set({ agent: agent.id, ...host }, Math.max(0, now - beat) / SECOND);
    }
    this.#disagree.set(disagree);
  }

  #readHosts(hosts: readonly HostView[], now: number): void {
    for (const gauge of [this.#contact, this.#contactAge, this.#backlog, this.#dropped, this.#offset])
      gauge.reset();
    for (const { name: host, kind, state, lastContactAt, backlog, dropped, clockOffset } of hosts) {
      this.#contact.set({ host, kind }, state === null || state === "unknown" ? 0 : 1);
      this.#backlog.set({ host }, backlog);
      this.#dropped.set({ host }, dropped);
      if (lastContactAt !== null)
        this.#contactAge.set({ host }, Math.max(0, now - Date.parse(lastContactAt)) / SECOND);
      if (clockOffset !== null) this.#offset.set({ host }, clockOffset / SECOND);
    }
  }

  #readProcess(): void {
    this.#memory.set(process.memoryUsage.rss());
    const { user, system } = process.cpuUsage();
    this.#cpu.set((user + system) / 1e6);
    // Watching the loop costs a little: it begins when somebody first asks.
    if (this.#loop === undefined) {
      this.#loop = monitorEventLoopDelay({ resolution: 50 });
      this.#loop.enable();
    }
    for (const quantile of [0.5, 0.99, 1]) {
      const found = this.#loop.percentile(Math.max(1, quantile * 100)) / 1e9;
      this.#lag.set({ quantile: String(quantile) }, Number.isFinite(found) ? found : 0);
    }
    this.#loop.reset();
  }

  #gauge(name: string, help: string, ...labelNames: string[]): Gauge {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  #counter(name: string, help: string, ...labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }
}

/** When an agent last beat; of one of another host, as that host told. */
function lastBeatOf({ lastBeat, observations }: RollPlace["entry"]): number | undefined {
  if (lastBeat !== undefined) return beatAt(lastBeat);
  const told = observations.find((fact) => fact.kind === "verdict");
  return told?.kind === "verdict" ? told.lastBeatAt : undefined;
}
