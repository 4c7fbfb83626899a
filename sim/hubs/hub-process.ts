import { Membership } from "../../src/app/membership.ts";
import type { Beat } from "../../src/core/beat.ts";
import { MINUTE, type Millis, SECOND } from "../../src/core/duration.ts";
import { defaultPolicy } from "../../src/core/incident/policy.ts";
import { Hub } from "../../src/hub/hub.ts";
import { InboxReader } from "../../src/hub/inbox-reader.ts";
import { Intake } from "../../src/hub/intake.ts";
import { pause } from "../../src/ports/clock.ts";
import type { HubCircle } from "../../src/ports/hubs.ts";
import type { Inbox } from "../../src/ports/inbox.ts";
import { type Changes, type Snapshot, type Store, StoreError } from "../../src/ports/store.ts";
import { PostgresDatabase } from "../../src/store/postgres/database.ts";
import { Watcher } from "../../src/watch/watcher.ts";
import type { Chance } from "../chance.ts";
import { Life } from "../life.ts";
import type { Time } from "../time.ts";
import { HubClocks } from "./clocks.ts";
import type { Engine } from "./engine.ts";
import type { HubsMutant } from "./mutants.ts";
import { Session } from "./session.ts";

export const RULE = { every: 3 * MINUTE, grace: MINUTE };
const LOG = { info: () => {}, warn: () => {}, error: () => {} };
const PACE = { greet: MINUTE, look: 2 * SECOND };
const URL = "postgres://sim/sim";

export interface ProcessParts {
  readonly id: string;
  readonly time: Time;
  readonly chance: Chance;
  readonly engine: Engine;
  readonly mutant: HubsMutant;
  readonly loss: () => number;
  /** Its wall clock is right. */
  readonly isOnTime?: true;
  readonly note: (what: string, about: string) => void;
  /** It would tell people that it is blind, though another hub has taken over. */
  readonly blind: (hub: string) => void;
}

interface Harm {
  readonly moment: "sent" | "arrived";
  /** It is frozen for so long; else it is killed. */
  readonly freeze?: Millis;
  readonly die: () => void;
}

/** One of several hubs: the real store, membership, watcher and inbox, on a machine and a server that are not. */
export class HubProcess {
  readonly parts: ProcessParts;
  readonly clocks: HubClocks;
  watcher: Watcher | undefined;
  /** What happens to it around its next commit. */
  harm: Harm | undefined;
  #life: Life;
  #lives = 0;
  #reader: InboxReader | undefined;
  #intake: Intake | undefined;
  #stopping = new AbortController();
  #ended: Promise<void> = Promise.resolve();
  #changes: Changes = {};
  #sessions = new Set<{ destroy(): void }>();

  constructor(parts: ProcessParts) {
    this.parts = parts;
    const wrong =
      parts.isOnTime !== true && parts.chance.hit(0.5) ? parts.chance.between(-25 * SECOND, 25 * SECOND) : 0;
    this.clocks = new HubClocks(parts.time, wrong);
    this.#life = new Life(0, this.clocks);
    this.#life.end();
  }

  get isAlive(): boolean {
    return !this.#life.isOver;
  }

  get isOwner(): boolean {
    return this.isAlive && this.watcher !== undefined;
  }

  start(): void {
    if (this.isAlive) return;
    this.#life = new Life(++this.#lives, this.clocks);
    this.#stopping = new AbortController();
    const life = this.#life;
    this.#intake = new Intake(this.#inbox(life), life.clock);
    this.#ended = this.#live(life).catch(() => {
      if (!life.isOver && !this.#stopping.signal.aborted) life.after(5 * SECOND, () => this.#restart());
    });
  }

  #restart(): void {
    this.kill();
    this.start();
  }

  /** kill -9: its sessions end, and nothing that it began happens any more. */
  kill(): void {
    this.#life.end();
    this.disconnect();
    this.watcher = undefined;
  }

  /** All its sessions end. */
  disconnect(): void {
    for (const session of this.#sessions) session.destroy();
    this.#sessions.clear();
  }

  /** Whether it dies in the middle of a commit. */
  #harmed(moment: "sent" | "arrived"): boolean {
    const plan = this.harm;
    if (plan?.moment !== moment) return false;
    this.harm = undefined;
    if (plan.freeze !== undefined) this.clocks.freeze(plan.freeze);
    else plan.die();
    return plan.freeze === undefined;
  }

  /** A planned stop. */
  async stop(): Promise<void> {
    const life = this.#life;
    this.#stopping.abort();
    await this.#ended;
    if (this.#life === life) this.kill();
  }

  /** Whether it was acknowledged. What nobody takes is sent again. */
  async beat(beat: Beat, owner: HubProcess | undefined): Promise<boolean> {
    const { watcher } = this;
    if (!this.isAlive || this.clocks.isFrozen) return false;
    if (watcher !== undefined) return this.#accepted(watcher, beat);
    if (this.parts.mutant.acksBeforePut === true) {
      void this.#intake?.accept([beat]).catch(() => {});
      return true;
    }
    const taken = await this.#intake?.accept([beat]).catch(() => false as const);
    if (taken === true) return true;
    const asked = taken === undefined && owner?.clocks.isFrozen === false ? owner.watcher : undefined;
    return asked === undefined ? false : this.#accepted(asked, beat);
  }

  async #accepted(watcher: Watcher, beat: Beat): Promise<boolean> {
    return watcher.accept([beat]).then(
      () => true,
      () => false,
    );
  }

  async #live(life: Life): Promise<void> {
    const { engine, mutant, id } = this.parts;
    const { signal } = this.#stopping;
    const card = { id, url: id, address: id, key: id, version: "0" };
    const membership = await Membership.join(this.#circle(life), card, LOG, life.clock, PACE);
    while (!signal.aborted) {
      const early = mutant.loadsBeforeClaim === true ? await engine.load(id) : undefined;
      const epoch = await membership.turn(signal);
      try {
        await this.#own(life, epoch, early);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        await pause(SECOND, life.clock, signal);
      }
    }
  }

  async #own(life: Life, takeFrom: number, early: Snapshot | undefined): Promise<void> {
    const { mutant, id, note, blind } = this.parts;
    const { signal } = this.#stopping;
    let fenced = () => {};
    const taken = new Promise<void>((done) => {
      fenced = done;
    });
    const database = await this.#open(life, takeFrom, fenced);
    const store = this.#store(life, database);
    const snapshot = this.#mistaken(early ?? (await store.load()));
    const bootId = `${id} boot`;
    const telling = { ...defaultPolicy(["ops"]), hold: 5 * SECOND };
    const policy = { autoRegister: true, defaultRule: RULE, agents: [], telling };
    const pace = { sleep: 10 * SECOND, mark: 10 * SECOND };
    const options = { store, clock: life.clock, log: LOG, bootId, host: id, pace };
    const watcher = await Watcher.load(options, policy, snapshot);
    watcher.onBlind((problem) => {
      // The server said who took over: that is no reason to tell people anything. (A hub that hears nothing asks the others.)
      if (problem?.includes("taken over") === true) blind(id);
    });
    const hub = new Hub({ watcher, clock: life.clock, version: "0.1.0" }, snapshot.records);
    const inbox = this.#inbox(life);
    const silent = { ...life.clock, after: () => () => {} };
    const reader = new InboxReader({
      ...{ inbox, hub, watcher, store, log: LOG, pace: { look: 2 * SECOND, behind: 6 * SECOND } },
      clock: mutant.notifyAloneWakes === true ? silent : life.clock,
    });
    this.#reader = reader;
    if (mutant.judgesUnheard !== true) {
      await reader.begin();
      watcher.isBehind = () => reader.isBehind;
    }
    this.watcher = watcher;
    note("owns", id);
    watcher.watch();
    if (mutant.judgesUnheard === true) life.after(20 * SECOND, () => void reader.begin().catch(() => {}));
    await Promise.race([taken, new Promise<void>((done) => signal.addEventListener("abort", () => done()))]);
    note("stands down", id);
    this.watcher = undefined;
    await reader.stop();
    await watcher.stop().catch(() => {});
    await database.close().catch(() => {});
  }

  /** Told that something waits, if the word is not lost. */
  notified(): void {
    if (this.parts.mutant.notifyAloneWakes === true && this.parts.chance.hit(0.9))
      void this.#reader?.catchUp().catch(() => {});
  }

  #mistaken(snapshot: Snapshot): Snapshot {
    const { takeOverIs } = this.parts.mutant;
    if (snapshot.mark?.takenOver === undefined || takeOverIs === undefined) return snapshot;
    const { takenOver: _, ...mark } = snapshot.mark;
    if (takeOverIs === "reboot") return { ...snapshot, mark };
    return { ...snapshot, mark: { ...mark, bootId: `${this.parts.id} boot` } };
  }

  async #open(life: Life, takeFrom: number, onFenced: () => void): Promise<PostgresDatabase> {
    const { engine, chance, mutant, id, loss, time } = this.parts;
    const parts = {
      ...{ engine, life, chance, mutant, loss },
      asking: { hub: id, wall: this.clocks.wall },
      changes: () => this.#changes,
      harm: (moment: "sent" | "arrived") => this.#harmed(moment),
      outside: (delay: Millis, call: () => void) => time.after(delay, call),
    };
    const connect: typeof import("../../src/store/postgres/connection.ts").PgConnection.open = async (
      options,
    ) => {
      const session = await Session.open(parts, options);
      this.#sessions.add(session);
      return session;
    };
    const world = { clock: life.clock, connect };
    const opened = await PostgresDatabase.open({ url: URL, owner: id, takeFrom, onFenced, world });
    return opened as PostgresDatabase;
  }

  #store(life: Life, database: PostgresDatabase): Store {
    const { engine, mutant, id, chance } = this.parts;
    const kept = new Proxy({} as Store, { get: (_, key: keyof Store) => engine.store[key] });
    const load = async () => {
      await new Promise<void>((done) => void life.after(chance.between(5, 50), done));
      if (engine.state !== "well")
        throw new StoreError("unreachable", "the simulated server does not answer");
      return engine.load(id);
    };
    return new Proxy(kept, {
      get: (_, key: keyof Store) => {
        if (key === "load") return load;
        if (key !== "commit") return engine.store[key];
        return async (changes: Changes) => {
          this.#changes = changes;
          try {
            return await database.ask("commit", {});
          } catch (error) {
            const isHidden = mutant.fencedIsBlind === true && error instanceof StoreError;
            throw isHidden && error.code === "fenced" ? new StoreError("failed", error.message) : error;
          }
        };
      },
    });
  }

  #circle(life: Life): HubCircle {
    const { engine } = this.parts;
    return {
      greet: () => this.#asked(life, async () => []),
      ownership: () => this.#asked(life, async () => engine.ownership()),
      share: async (_, value) => value,
      leave: async () => {},
      close: async () => {},
    };
  }

  /** The inbox of the server, over a connection that may break. */
  #inbox(life: Life): Inbox {
    const { engine, mutant, time, chance } = this.parts;
    const asked = <T>(ask: () => Promise<T>) => this.#asked(life, ask);
    const { inbox } = engine;
    return {
      id: () => asked(() => inbox.id()),
      access: () => asked(() => inbox.access()),
      hostOf: () => asked(() => inbox.hostOf()),
      stale: (known) => asked(() => inbox.stale(known)),
      after: (number, limit) => asked(() => inbox.after(number, limit)),
      done: (upTo) => asked(() => inbox.done(upTo)),
      forget: (hosts) => asked(() => inbox.forget(hosts)),
      changeAccess: () => asked(() => inbox.changeAccess()),
      close: async () => {},
      put: (put) =>
        asked(async () => {
          if (mutant.cursorBySequence !== true) return inbox.put(put);
          // The number is drawn now, and what it stands for is there later.
          const taken = await inbox.put(put);
          const row = inbox.state.rows.at(-1);
          if (row === undefined || chance.hit(0.5)) return taken;
          inbox.state = { ...inbox.state, rows: inbox.state.rows.slice(0, -1) };
          await new Promise<void>((done) => time.after(chance.between(100, 4000), done));
          const rows = [...inbox.state.rows, row].sort((a, b) => a.number - b.number);
          inbox.state = { ...inbox.state, rows };
          return taken;
        }),
    };
  }

  async #asked<T>(life: Life, ask: () => Promise<T>): Promise<T> {
    const { engine, chance, loss } = this.parts;
    const way = () => new Promise<void>((done) => void life.after(chance.between(1, 8), done));
    await way();
    if (engine.state !== "well" || chance.hit(loss())) throw new StoreError("unreachable", "lost");
    const answer = await ask();
    await way();
    if (chance.hit(loss())) throw new StoreError("unreachable", "the answer was lost");
    return answer;
  }
}
