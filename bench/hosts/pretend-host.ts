import type { HostEntry, HostFact } from "../../src/core/host/fact.ts";
import { CommandDesk, type Deeds } from "../../src/link/command-desk.ts";
import { httpHub } from "../../src/link/http-client.ts";
import { HubLink } from "../../src/link/link.ts";
import { memoryStore } from "../../src/store/memory/memory.ts";
import { systemClock } from "../../src/system/clock.ts";
import { uuidv7 } from "../../src/system/uuid.ts";
import { VERSION } from "../../src/system/version.ts";
import { AGENTS, post } from "./kit.ts";

/** So many of a host's agents have something new each minute. */
const ACTIVE = 4;
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

/** A host with the product's own link and wire, but with agents that only this benchmark moves. */
export class PretendHost {
  /** When the hub first answered it since this was cleared. */
  heardAt: number | undefined;
  readonly #store = memoryStore();
  readonly #link: HubLink;
  readonly #name: string;
  readonly #failing = new Set<number>();
  #turn = 0;

  static async join(url: string, code: string, name: string): Promise<PretendHost> {
    const machine = `machine-${name}`;
    const joined = await post(`${url}/hub/v1/join`, { code, name, version: VERSION, machine });
    const host = new PretendHost(url, name, String(joined.token));
    await host.#link.start();
    return host;
  }

  private constructor(url: string, name: string, token: string) {
    this.#name = name;
    const client = httpHub({ url }, async () => token);
    this.#link = new HubLink({
      ...{
        host: name,
        version: VERSION,
        boot: `boot-${name}`,
        life: uuidv7(),
        outgoing: this.#store.outgoing,
      },
      ...{ clock: systemClock, log: SILENT, chance: Math.random, newId: uuidv7 },
      client: {
        commands: client.commands,
        send: async (batch) => {
          const reply = await client.send(batch);
          if ("answer" in reply) this.heardAt ??= performance.now();
          return reply;
        },
      },
      desk: new CommandDesk({
        ...{ host: name, clock: systemClock, deeds: {} as Deeds, records: [] },
        allow: () => [],
        persist: async () => {},
      }),
      onRenewed: () => {
        const agents = Array.from({ length: AGENTS }, (_, at) => `a${at}`);
        const entries = agents.map((_, at): HostFact => this.#entry("entry", at));
        void this.#store.commit({ outgoing: [{ k: "hello", at: Date.now(), agents }, ...entries] });
      },
    });
  }

  /** How many facts wait for the hub. */
  async backlog(): Promise<number> {
    return (await this.#store.outgoing.spool()).facts;
  }

  /** A minute of ordinary life. It goes out with the next sign of life. */
  async live(): Promise<void> {
    this.#turn += 1;
    const some = Array.from({ length: ACTIVE }, (_, at) => (this.#turn * ACTIVE + at) % AGENTS);
    await this.#store.commit({ outgoing: some.map((at) => this.#entry("entry", at)) });
  }

  /** One of its agents fails, or is well again. Answers what the hub calls it. */
  async flip(): Promise<string> {
    const at = Math.floor(Math.random() * AGENTS);
    if (!this.#failing.delete(at)) this.#failing.add(at);
    await this.#store.commit({ outgoing: [this.#entry("flip", at)] });
    this.#link.nudge();
    return `a${at}@${this.#name}`;
  }

  stop(): Promise<void> {
    return this.#link.stop();
  }

  #entry(k: "entry" | "flip", at: number): HostFact {
    const now = Date.now();
    const entry: HostEntry = {
      ...{ id: `a${at}`, group: "default", since: now, lastBeatAt: now },
      ...{ cycle: this.#turn, action: "sync inbox" },
      ...(this.#failing.has(at)
        ? { state: "failing", reason: "says-error", why: "its last beat reports an error" }
        : { state: "alive", reason: "beat", why: "beat 2 s ago; expected every 15 min, 5 min of grace" }),
    };
    return { k, at: now, entry };
  }
}
