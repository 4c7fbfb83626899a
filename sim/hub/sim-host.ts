import { MINUTE } from "../../src/core/duration.ts";
import { COMMANDS, type CommandName } from "../../src/core/host/command.ts";
import { hostAgent } from "../../src/core/host/fact.ts";
import type { HostKind } from "../../src/core/host-kind.ts";
import { defaultPolicy } from "../../src/core/incident/policy.ts";
import { CommandDesk, type Deeds } from "../../src/link/command-desk.ts";
import { HubLink } from "../../src/link/link.ts";
import type { Store } from "../../src/ports/store.ts";
import { Outbox } from "../../src/watch/outbox.ts";
import { Watcher } from "../../src/watch/watcher.ts";
import type { Chance } from "../chance.ts";
import type { Life } from "../life.ts";
import type { Time } from "../time.ts";
import { Agents, RULE } from "./agents.ts";
import type { Clocks } from "./clocks.ts";
import { Machine, type MachineParts } from "./machine.ts";
import type { HubMutant } from "./mutants.ts";
import type { Way } from "./way.ts";

const PACE = { sleep: MINUTE, mark: 5 * MINUTE };
export const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
export const VERSION = "0.1.0";

/** What the world wants to know of a host. */
export interface HostWatch extends Pick<MachineParts, "applied" | "refused" | "note"> {
  /** A command is being done. */
  did(name: CommandName, by: string): void;
  /** Commands arrived. */
  heard(commands: readonly unknown[]): void;
  newSpool(id: string): void;
}

export interface HostParts {
  readonly name: string;
  readonly kind: HostKind;
  readonly time: Time;
  readonly chance: Chance;
  readonly clocks: Clocks;
  readonly store: Store;
  readonly allow: readonly CommandName[];
  readonly way: Way;
  readonly mutant: HubMutant;
  readonly watch: HostWatch;
}

/** A host: the real watcher, outbox, link and desk on a machine of its own. */
export class SimHost {
  readonly machine: Machine;
  readonly agents: Agents;
  readonly parts: HostParts;
  /** Whether it has joined its hub. Before that it watches by itself. */
  joined = false;
  #watcher: Watcher | undefined;
  #link: HubLink | undefined;
  #store: Store | undefined;
  #spools = 0;

  constructor(parts: HostParts) {
    const { time, chance, clocks, name, watch } = parts;
    this.parts = parts;
    this.machine = new Machine({
      ...parts,
      ...watch,
      begin: (life) => this.#begin(life),
      ended: () => {
        this.#watcher = undefined;
        this.#link = undefined;
      },
    });
    this.agents = new Agents(time, chance, clocks, name, () => (clocks.held ? undefined : this.#watcher));
  }

  get name(): string {
    return this.parts.name;
  }

  get watcher(): Watcher | undefined {
    return this.#watcher;
  }

  /** From now on it reports to the hub. */
  async join(): Promise<void> {
    this.joined = true;
    const { life } = this.machine;
    if (this.#watcher !== undefined && this.#store !== undefined)
      await this.#report(life, this.#watcher, this.#store);
  }

  /** Stopped in good order, and started again. */
  restart(back: number): void {
    const { life } = this.machine;
    const [watcher, link] = [this.#watcher, this.#link];
    if (watcher === undefined) return;
    this.#watcher = undefined;
    const end = () => {
      if (this.machine.life === life) this.machine.die("stopped", back);
    };
    this.parts.time.after(MINUTE, end);
    (async () => {
      await link?.stop();
      await watcher.stop();
    })().then(end, end);
  }

  async #begin(life: Life): Promise<void> {
    const { name, mutant } = this.parts;
    const disk = this.machine.disk.storeFor(life);
    const store = mutant.hostStore?.(disk) ?? disk;
    const watcher = await Watcher.load(
      {
        ...{ store, clock: life.clock, log: SILENT, pace: PACE },
        ...{ bootId: `${name}-${this.machine.boots}`, host: name },
      },
      { autoRegister: true, defaultRule: RULE, agents: this.agents.declared, telling: defaultPolicy([]) },
    );
    this.#store = store;
    if (this.joined) await this.#report(life, watcher, store);
    if (life.isOver) return;
    this.#watcher = watcher;
    watcher.watch();
  }

  async #report(life: Life, watcher: Watcher, store: Store): Promise<void> {
    const { name, chance, way, watch, mutant } = this.parts;
    const { clock } = life;
    const outbox = new Outbox(hostAgent(name));
    const records = await store.records.page("command", { limit: 1000 });
    const desk = {
      ...{ host: name, clock, records, deeds: this.#deeds(life, watcher), allow: () => this.parts.allow },
      persist: (parts: Parameters<Watcher["persist"]>[0]) => watcher.persist(parts),
    };
    const link = new HubLink({
      ...{ host: name, version: VERSION, boot: `${name}-${this.machine.boots}`, clock, log: SILENT },
      life: `${name}-life-${life.number}`,
      outgoing: store.outgoing,
      client: way.clientFor(life, () => this.machine.dies("batch", "after"), watch.heard),
      desk: new CommandDesk(mutant.desk?.(desk) ?? desk),
      chance: () => chance.next(),
      newId: () => {
        this.#spools += 1;
        const id = `${name}-spool-${this.#spools}`;
        watch.newSpool(id);
        return id;
      },
      onRenewed: () => outbox.restart(),
    });
    watcher.outbox = outbox;
    watcher.onCommitted(({ outgoing = [] }) => {
      if (outgoing.some(({ k }) => k !== "entry")) link.nudge();
    });
    this.#link = link;
    await link.start();
  }

  #deeds(life: Life, watcher: Watcher): Deeds {
    const { watch } = this.parts;
    const deed = (name: CommandName) => async (target: string, by: string) => {
      if (life.isOver || this.machine.dies("deed", "before")) return new Promise<never>(() => {});
      watch.did(name, by);
      if (this.machine.dies("deed", "after")) return new Promise<never>(() => {});
      if (name === "pause") await watcher.pause(target);
      if (name === "resume") await watcher.resume(target);
      return { says: "done" };
    };
    return Object.fromEntries(COMMANDS.map((name) => [name, deed(name)])) as unknown as Deeds;
  }
}
