import { VirtualClock } from "../../test/virtual-clock.ts";
import type { Beat } from "../core/beat.ts";
import { MINUTE, SECOND } from "../core/duration.ts";
import { type HostBatch, readBatch } from "../core/host/batch.ts";
import type { HostKind } from "../core/host-kind.ts";
import { defaultPolicy } from "../core/incident/policy.ts";
import { CommandDesk, type Deeds } from "../link/command-desk.ts";
import { HubLink, type Reply } from "../link/link.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import { memoryStore } from "../store/memory/memory.ts";
import { recordOf } from "../watch/mirror.ts";
import { Outbox } from "../watch/outbox.ts";
import { Watcher } from "../watch/watcher.ts";
import { Hub } from "./hub.ts";

const START = Date.parse("2026-03-02T08:00:00Z");
const RULE = { every: 15 * MINUTE, grace: 5 * MINUTE };
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
export const VERSION = "0.1.0";

let count = 0;
let lives = 0;

/** A process on the virtual clock that can be killed: nothing of it happens any more. */
export class Life {
  gone = false;
  readonly clock: Clock;

  constructor(clock: VirtualClock, skew: () => number = () => 0) {
    this.clock = {
      wall: () => clock.wall() + skew(),
      monotonic: clock.monotonic,
      uptime: clock.uptime,
      soon: (call) => clock.soon(() => (this.gone ? undefined : call())),
      after: (delay, call) => clock.after(delay, () => (this.gone ? undefined : call())),
    };
  }
}

export class HubWorld {
  readonly clock = new VirtualClock(START);
  readonly store = memoryStore();
  /** How far its wall clock is set off. */
  skew = 0;
  /** What its disk waits for. */
  disk: Promise<void> = Promise.resolve();
  readonly links = new Map<string, HostWorld>();
  life = new Life(this.clock);
  watcher!: Watcher;
  hub!: Hub;

  async up(): Promise<void> {
    this.life = new Life(this.clock, () => this.skew);
    const store: Store = {
      ...this.store,
      commit: async (changes) => {
        await this.disk;
        return this.store.commit(changes);
      },
    };
    const telling = { ...defaultPolicy(["ops"]), hold: 10 * SECOND };
    const policy = { autoRegister: true, defaultRule: RULE, agents: [], telling };
    const snapshot = await this.store.load();
    const options = { store, clock: this.life.clock, log: SILENT, bootId: "hub" };
    this.watcher = await Watcher.load(options, policy, snapshot);
    this.hub = new Hub({ watcher: this.watcher, clock: this.life.clock, version: VERSION }, snapshot.records);
    await this.opened();
    this.watcher.watch();
    await this.clock.run(0);
  }

  /** Before anybody is judged. */
  protected async opened(): Promise<void> {}

  kill(): void {
    this.life.gone = true;
  }

  async join(name: string, kind: HostKind = "server", ttl?: number): Promise<void> {
    const joinedAt = this.clock.wall();
    const host = {
      ...{ name, kind, joinedAt, token: `t-${name}`, machine: name, version: VERSION, acked: 0 },
      ...(ttl === undefined ? {} : { ttl }),
    };
    await this.watcher.persist({ records: [recordOf(host)] });
    this.hub.joined(host);
  }

  async take(batch: HostBatch): Promise<Reply> {
    if (this.life.gone) return { failed: "ECONNREFUSED" };
    const read = readBatch(JSON.parse(JSON.stringify(batch)));
    if (typeof read === "string") throw new Error(read);
    const answer = await this.hub.receive(read);
    if (!("code" in answer)) return { answer };
    if (answer.code === "gap" || answer.code === "other-spool")
      return { resend: answer.acked ?? 0, renew: answer.code === "other-spool" };
    return { refused: answer.says };
  }

  state(agent: string): string | undefined {
    const place = this.watcher.reader.place(agent);
    return place && `${place.entry.standing.verdict.state} ${place.entry.standing.verdict.reason}`;
  }

  /** What people were told, in order. */
  async told(): Promise<readonly string[]> {
    const all = await this.store.deliveries.page({ limit: 1000 });
    return all.map(({ message }) => message.title).reverse();
  }

  async flips(agent: string): Promise<readonly string[]> {
    return (await this.store.flips(agent, { limit: 1000 })).map(({ from, to }) => `${from}>${to}`).reverse();
  }
}

export class HostWorld {
  readonly store: Store = memoryStore();
  cut = false;
  skew = 0;
  boot = "first";
  /** What the wire does to a batch. */
  send: (batch: HostBatch) => Promise<Reply> = (batch) => this.hub.take(batch);
  allow: ("pause" | "step")[] = ["pause"];
  readonly done: string[] = [];
  life: Life;
  watcher!: Watcher;
  link!: HubLink;

  readonly hub: HubWorld;
  readonly name: string;

  constructor(hub: HubWorld, name: string) {
    this.hub = hub;
    this.name = name;
    this.life = new Life(hub.clock);
  }

  async up(): Promise<void> {
    this.life = new Life(this.hub.clock, () => this.skew);
    const outbox = new Outbox(`rollcall@${this.name}`, () => this.allow.includes("step"));
    const policy = { autoRegister: true, defaultRule: RULE, agents: [], telling: defaultPolicy([]) };
    const snapshot = await this.store.load();
    const { clock } = this.life;
    this.watcher = await Watcher.load(
      { store: this.store, clock, log: SILENT, bootId: this.name },
      policy,
      snapshot,
    );
    this.watcher.outbox = outbox;
    const deed = (name: string) => async (target: string) => {
      this.done.push(`${name} ${target}`);
      return { says: "done" };
    };
    const names = ["pause", "resume", "resolve", "look", "peek", "step", "run", "answer"] as const;
    const deeds = Object.fromEntries(names.map((name) => [name, deed(name)])) as unknown as Deeds;
    const persist: Watcher["persist"] = (parts) => this.watcher.persist(parts);
    const { records } = snapshot;
    const desk = new CommandDesk({
      host: this.name,
      clock,
      deeds,
      allow: () => this.allow,
      persist,
      records,
    });
    const life = this.life;
    lives += 1;
    this.link = new HubLink({
      ...{
        life: `life-${lives}`,
        host: this.name,
        version: VERSION,
        boot: this.boot,
        outgoing: this.store.outgoing,
        clock,
        log: SILENT,
        desk,
      },
      client: {
        send: async (batch) =>
          this.cut ? { failed: "ETIMEDOUT" } : life.gone ? new Promise(() => {}) : this.send(batch),
        commands: async () => undefined,
      },
      chance: () => 0.5,
      newId: () => {
        count += 1;
        return `spool-${count}`;
      },
      onRenewed: () => outbox.restart(),
    });
    this.watcher.onCommitted(({ outgoing = [] }) => {
      if (outgoing.some(({ k }) => k !== "entry")) this.link.nudge();
    });
    await this.link.start();
    this.watcher.watch();
    await this.hub.clock.run(0);
  }

  kill(): void {
    this.life.gone = true;
  }

  async beat(agent: string, more: Partial<Beat> = {}): Promise<void> {
    const at = this.life.clock.wall();
    count += 1;
    await this.watcher.accept([
      { id: `b${count}`, agent, source: "agent", status: "ok", sentAt: at, receivedAt: at, ...more },
    ]);
  }
}

export async function fleet(kind: HostKind = "server"): Promise<{ hub: HubWorld; host: HostWorld }> {
  const hub = new HubWorld();
  await hub.up();
  await hub.join("web1", kind);
  const host = new HostWorld(hub, "web1");
  await host.up();
  return { hub, host };
}
