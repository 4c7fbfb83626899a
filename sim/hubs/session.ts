import { type Millis, SECOND } from "../../src/core/duration.ts";
import type { Changes } from "../../src/ports/store.ts";
import type {
  ConnectionOptions,
  PgConnection,
  PgRow,
  Statement,
} from "../../src/store/postgres/connection.ts";
import { MIGRATIONS } from "../../src/store/postgres/migrations.ts";
import { LostAnswerError } from "../../src/store/postgres/problems.ts";
import type { Chance } from "../chance.ts";
import type { Life } from "../life.ts";
import type { Asking, Engine } from "./engine.ts";
import type { HubsMutant } from "./mutants.ts";

const ANSWER_WITHIN: Millis = 10 * SECOND;
const COMMIT = "WITH f AS (UPDATE partitions SET no";

export interface SessionParts {
  readonly engine: Engine;
  readonly life: Life;
  readonly chance: Chance;
  readonly asking: Asking;
  readonly mutant: HubsMutant;
  /** What the hub commits now: the statement holds it in a form that only a server reads. */
  readonly changes: () => Changes;
  /** Something may happen to the hub while its commit is on its way: true if it dies. */
  readonly harm: (moment: "sent" | "arrived") => boolean;
  /** How often an answer is lost on its way. */
  readonly loss: () => number;
  /** Something of the world outside happens after a while, whatever becomes of the hub. */
  readonly outside: (delay: Millis, call: () => void) => void;
}

/** A connection to the simulated server, as the store of a hub uses one. */
export class Session {
  readonly #parts: SessionParts;
  readonly #onEnd: (() => void) | undefined;
  #broken: Error | undefined;

  private constructor(parts: SessionParts, onEnd: (() => void) | undefined) {
    this.#parts = parts;
    this.#onEnd = onEnd;
  }

  static async open(parts: SessionParts, { onEnd }: ConnectionOptions): Promise<PgConnection> {
    const { life, engine, chance } = parts;
    await new Promise<void>((done) => void life.after(chance.between(1, 5), done));
    if (engine.state !== "well") {
      const wait = engine.state === "hanging" ? 5 * SECOND : 1;
      await new Promise<void>((done) => void life.after(wait, done));
      throw new Error("the simulated server cannot be reached");
    }
    return new Session(parts, onEnd) as unknown as PgConnection;
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  async run(statement: Statement): Promise<PgRow[]> {
    if (this.#broken !== undefined) throw this.#broken;
    const { life, engine, chance, outside, loss } = this.#parts;
    const way = () => new Promise<void>((done) => void life.after(chance.between(1, 8), done));
    const isCommit = statement.text.startsWith(COMMIT);
    if (isCommit && this.#parts.harm("sent")) return this.#break(new Error("killed"));
    await way();
    if (isCommit && this.#parts.harm("arrived")) {
      // The server goes on with what has reached it.
      void this.#done(statement);
      return this.#break(new Error("killed"));
    }
    if (engine.state === "refusing" || chance.hit(loss())) return this.#lost();
    if (engine.state === "hanging") {
      // It may be done when the server is back, long after nobody waits for it any more.
      if (chance.hit(0.5)) outside(chance.between(SECOND, 20 * SECOND), () => void this.#done(statement));
      await new Promise<void>((done) => void life.after(ANSWER_WITHIN, done));
      return this.#break(new LostAnswerError("no answer"));
    }
    const rows = await this.#done(statement);
    await way();
    if (chance.hit(loss())) return this.#lost();
    if (this.#broken !== undefined) throw this.#broken;
    return rows;
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  async close(): Promise<void> {
    this.destroy();
  }

  destroy(): void {
    this.#end(new Error("given up"));
  }

  #lost(): never {
    return this.#break(new Error("ECONNRESET"));
  }

  #break(error: Error): never {
    this.#end(error);
    throw error;
  }

  #end(error: Error): void {
    if (this.#broken !== undefined) return;
    this.#broken = error;
    if (this.#parts.engine.lockedBy === this) this.#parts.engine.lockedBy = undefined;
    this.#onEnd?.();
  }

  async #done({ text, values = [] }: Statement): Promise<PgRow[]> {
    const { engine, asking, mutant, outside, chance } = this.#parts;
    const [first, second, third, fourth, fifth] = values;
    if (text.startsWith("SELECT current_schema()")) return [["public", "schema_version"]];
    if (text.startsWith("SELECT version")) return [[MIGRATIONS.length, 1]];
    if (text.startsWith("UPDATE partitions SET owner")) {
      const condition = /AND \((.*)\) RETURNING/.exec(text)?.[1] ?? "";
      const found = engine.take(asking, String(third), Number(fourth) * SECOND, condition, this);
      // Nobody asks what became of the last commit.
      if (found !== undefined && mutant.blindRetry === true && condition === "session = $3") {
        engine.row = { ...engine.row, no: Math.min(engine.row.no, this.#before(engine)) };
        return [[found[0], engine.row.no, found[2]]];
      }
      return found === undefined ? [] : [found];
    }
    if (text.startsWith("UPDATE partitions SET expires = clock")) {
      const found = engine.renew(asking, Number(second), Number(third) * SECOND, this);
      return found === undefined ? [] : [found];
    }
    if (text.startsWith("UPDATE partitions SET expires = '-infinity'")) {
      engine.release(String(second));
      return [];
    }
    if (text.startsWith(COMMIT)) {
      const [epoch, number, lease] = [Number(second), Number(third), Number(fifth) * SECOND];
      const changes = this.#parts.changes();
      if (mutant.readsTheFence === true) {
        if (engine.isFenced(epoch, number)) return [];
        await new Promise<void>((done) =>
          outside(chance.hit(0.5) ? chance.between(1, 50) : chance.between(2, 9) * SECOND, done),
        );
      }
      return (await engine.commit(asking, epoch, number, lease, changes)) ? [[number]] : [];
    }
    if (text.startsWith("SELECT owner, extract")) return [[engine.row.owner, 0]];
    if (text.startsWith("SELECT needed")) return [];
    throw new TypeError(`the simulated server does not know ${text.slice(0, 60)} (${String(first)})`);
  }

  /** The number before the commit that this hub has made last. */
  #before(engine: Engine): number {
    const last = engine.log.at(-1);
    return last?.hub === this.#parts.asking.hub ? last.number - 1 : engine.row.no;
  }
}
