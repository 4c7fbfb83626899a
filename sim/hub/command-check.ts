import type { Millis } from "../../src/core/duration.ts";
import type { CommandName, CommandResult, HostCommand } from "../../src/core/host/command.ts";
import type { Changes } from "../../src/ports/store.ts";
import type { Report } from "../violation.ts";

interface Asked {
  /** Until when it counts, by the last answer that brought it; in true time. */
  until: Millis;
  recorded: boolean;
  done: number;
}

/** Whether commands are done at most once, in their time, as allowed, and on record before. Each is known by who asked. */
export class CommandCheck {
  readonly #report: Report;
  readonly #asked = new Map<string, Asked>();

  constructor(report: Report) {
    this.#report = report;
  }

  asked(by: string): void {
    this.#asked.set(by, { until: Number.NEGATIVE_INFINITY, recorded: false, done: 0 });
  }

  heard(commands: readonly unknown[], now: Millis): void {
    for (const { by, ttl } of commands as readonly HostCommand[]) {
      const asked = this.#asked.get(by);
      if (asked !== undefined) asked.until = Math.max(asked.until, now + ttl);
    }
  }

  /** What a host committed. */
  committed({ records = [] }: Changes): void {
    for (const { kind, body } of records) {
      const asked = kind === "command" ? this.#asked.get(body.by) : undefined;
      if (asked !== undefined) asked.recorded = true;
    }
  }

  did(name: CommandName, by: string, allow: readonly CommandName[], now: Millis): void {
    const asked = this.#asked.get(by);
    if (asked === undefined) return this.#report(26, `${name} is done, and nobody asked for it`);
    asked.done += 1;
    if (asked.done > 1) this.#report(26, `${name} of ${by} is done twice`);
    if (now > asked.until)
      this.#report(26, `${name} of ${by} is done ${now - asked.until} ms after its time`);
    if (!allow.includes(name)) this.#report(26, `${name} of ${by} is done, and is not allowed`);
    if (!asked.recorded) this.#report(26, `${name} of ${by} is done before it is on record`);
  }

  ended(by: string, { end }: CommandResult): void {
    const { done = 0 } = this.#asked.get(by) ?? {};
    if (end === "done" && done === 0) this.#report(26, `the hub believes that the command of ${by} was done`);
    if (end === "refused" && done > 0) this.#report(26, `the command of ${by} was done, and called refused`);
  }
}
