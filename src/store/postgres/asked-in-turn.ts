import type { Millis } from "../../core/duration.ts";
import { sayAddress } from "./address.ts";
import { PgConnection } from "./connection.ts";
import { problem } from "./problems.ts";

/** A connection that is asked one thing after the other, and opened anew after an error. Nothing is asked twice. */
export class AskedInTurn {
  readonly where: string;
  readonly #url: string;
  readonly #answerWithin: Millis;
  #connection: PgConnection | undefined;
  #line: Promise<unknown> = Promise.resolve();

  constructor(url: string, answerWithin: Millis) {
    this.#url = url;
    this.#answerWithin = answerWithin;
    this.where = sayAddress(url);
  }

  do<T>(work: (connection: PgConnection) => Promise<T>): Promise<T> {
    const done = this.#line.then(async () => {
      try {
        if (this.#connection?.isBroken !== false)
          this.#connection = await PgConnection.open({ url: this.#url, answerWithin: this.#answerWithin });
        return await work(this.#connection);
      } catch (error) {
        this.#connection?.destroy();
        throw problem(this.where, error);
      }
    });
    this.#line = done.catch(() => {});
    return done;
  }

  async close(): Promise<void> {
    await this.#line;
    await this.#connection?.close();
  }
}
