import { MINUTE, type Millis, SECOND } from "../../src/core/duration.ts";
import { type HostBatch, readBatch } from "../../src/core/host/batch.ts";
import type { KnownHost } from "../../src/core/host/host.ts";
import { defaultPolicy } from "../../src/core/incident/policy.ts";
import { Hub } from "../../src/hub/hub.ts";
import type { Reply } from "../../src/link/link.ts";
import type { Store } from "../../src/ports/store.ts";
import { recordOf } from "../../src/watch/mirror.ts";
import { Watcher } from "../../src/watch/watcher.ts";
import type { Chance } from "../chance.ts";
import type { Life } from "../life.ts";
import type { Time } from "../time.ts";
import { RULE } from "./agents.ts";
import type { Clocks } from "./clocks.ts";
import { Machine, type MachineParts } from "./machine.ts";
import type { HubMutant } from "./mutants.ts";
import { SILENT, VERSION } from "./sim-host.ts";

/** It saves what it heard of hosts as often as it must, so that it knows after a crash who was there. */
export const HUB_PACE = { sleep: MINUTE, mark: 20 * SECOND };
/** Where people are told. */
export const PLACE = "ops";

/** What the world wants to know of the hub. */
export interface HubWatch extends Pick<MachineParts, "applied" | "refused" | "note"> {
  /** A batch reached it, as it was sent and as it was read. */
  reached(sent: HostBatch, read: HostBatch): void;
  /** It took a batch that reached it then, and answers with this number. */
  acked(host: string, number: number, reachedAt: Millis): void;
  /** It is done with that batch. */
  answered(read: HostBatch): void;
  started(): void;
  /** No host sends what cannot be read. */
  unreadable(why: string): void;
}

export interface HubParts {
  readonly time: Time;
  readonly chance: Chance;
  readonly clocks: Clocks;
  readonly store: Store;
  readonly mutant: HubMutant;
  readonly watch: HubWatch;
}

/** The hub: the real watcher and hub on a machine of its own. */
export class SimHub {
  readonly machine: Machine;
  readonly #parts: HubParts;
  #hub: Hub | undefined;
  #watcher: Watcher | undefined;

  constructor(parts: HubParts) {
    this.#parts = parts;
    this.machine = new Machine({
      ...{ name: "hub", ...parts, ...parts.watch },
      begin: (life) => this.#begin(life),
      ended: () => {
        this.#hub = undefined;
        this.#watcher = undefined;
      },
    });
  }

  get hub(): Hub | undefined {
    return this.#hub;
  }

  /** Whether the host is on record from now on. */
  async join(host: Omit<KnownHost, "joinedAt">): Promise<boolean> {
    const [hub, watcher] = [this.#hub, this.#watcher];
    if (hub === undefined || watcher === undefined) return false;
    const joining = { ...host, joinedAt: this.#parts.clocks.wall() };
    try {
      await watcher.persist({ records: [recordOf(joining)] });
      hub.joined(joining);
      return true;
    } catch {
      return false;
    }
  }

  take(batch: HostBatch): Promise<Reply> {
    const { watch, mutant, time } = this.#parts;
    const reachedAt = time.now;
    const hub = this.#hub;
    const { life } = this.machine;
    if (hub === undefined) return Promise.resolve({ failed: "ECONNREFUSED" });
    const read = batchAsRead(batch);
    if (typeof read === "string") {
      watch.unreadable(read);
      return Promise.resolve({ refused: read });
    }
    watch.reached(batch, read);
    return new Promise((done) => {
      (mutant.receive?.(hub, read) ?? hub.receive(read)).then(
        (answer) => {
          if (life.isOver) return;
          watch.answered(read);
          if (!("code" in answer)) {
            watch.acked(batch.host, answer.acked, reachedAt);
            if (this.machine.dies("batch", "after")) return;
            done({ answer });
          } else if (answer.code === "gap" || answer.code === "other-spool")
            done({ resend: answer.acked ?? 0, renew: answer.code === "other-spool" });
          else done({ refused: answer.says });
        },
        (error: Error) => {
          if (life.isOver) return;
          watch.answered(read);
          done({ failed: error.message });
        },
      );
    });
  }

  async wait(host: string, time: Millis): Promise<readonly unknown[]> {
    const hub = this.#hub;
    if (hub === undefined) return [];
    const { life } = this.machine;
    const commands = await hub.commands.wait(host, time, new AbortController().signal);
    return life.isOver ? new Promise(() => {}) : commands;
  }

  async #begin(life: Life): Promise<void> {
    const { mutant } = this.#parts;
    const disk = this.machine.disk.storeFor(life);
    const store = mutant.hubStore?.(disk) ?? disk;
    const { clock } = life;
    const snapshot = await store.load();
    const watcher = await Watcher.load(
      { store, clock, log: SILENT, bootId: `hub-${this.machine.boots}`, host: "hub", pace: HUB_PACE },
      { autoRegister: true, defaultRule: RULE, agents: [], telling: defaultPolicy([PLACE]) },
      snapshot,
    );
    if (life.isOver) return;
    mutant.hubWatcher?.(watcher);
    const hub = new Hub({ watcher, clock, version: VERSION }, snapshot.records);
    this.#parts.watch.started();
    this.#watcher = watcher;
    this.#hub = hub;
    watcher.watch();
    const sweep = () => {
      hub.sweep().catch(() => {});
      life.after(MINUTE, sweep);
    };
    sweep();
  }
}

/** What the hub reads of a batch; a sign of life has nothing that could be read otherwise. */
function batchAsRead(batch: HostBatch): HostBatch | string {
  if (batch.facts.length === 0 && batch.results === undefined) return { ...batch, upTo: batch.from };
  return readBatch(JSON.parse(JSON.stringify(batch)));
}
