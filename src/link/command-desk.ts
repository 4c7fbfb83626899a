import type { Instant, Millis } from "../core/duration.ts";
import type {
  CommandDetail,
  CommandName,
  CommandRecord,
  CommandResult,
  HostCommand,
} from "../core/host/command.ts";
import type { Clock } from "../ports/clock.ts";
import type { StoredRecord } from "../ports/repositories.ts";
import type { Persistable } from "../ports/store.ts";

/** What a host does when it is asked. Each says in a sentence what came of it. */
export type Deeds = Readonly<
  Record<CommandName, (target: string, by: string, detail: CommandDetail) => Promise<Deed>>
>;

export type Deed =
  | Pick<CommandResult, "says" | "screen" | "evidence">
  /** It is not done, for a reason of the host's own. */
  | { readonly refused: string };

export interface CommandDeskOptions {
  readonly host: string;
  readonly clock: Clock;
  readonly deeds: Deeds;
  /** What the host's own config lets a hub ask for. */
  readonly allow: () => readonly CommandName[];
  readonly persist: (parts: Persistable) => Promise<void>;
  readonly records: readonly StoredRecord[];
}

/** Numbers of commands that are remembered as done: the hub sends none again that is older. */
const REMEMBERED = 1000;

/**
 * Does what a hub asks of this host: only what the config allows, each number once, not after its time, and on record before it
 * is done. A command names an agent, an incident or an action that this host knows; it brings nothing else with it.
 */
export class CommandDesk {
  readonly #options: CommandDeskOptions;
  readonly #seen = new Set<number>();
  #results: CommandResult[] = [];

  constructor(options: CommandDeskOptions) {
    this.#options = options;
    for (const record of options.records) if (record.kind === "command") this.#seen.add(record.body.number);
  }

  /** What the hub has not been told yet. */
  results(): readonly CommandResult[] {
    return [...this.#results];
  }

  /** The hub has these. */
  told(results: readonly CommandResult[]): void {
    this.#results = this.#results.filter((result) => !results.includes(result));
  }

  async take(command: HostCommand): Promise<void> {
    const { number, name, target, by, ttl } = command;
    if (this.#seen.has(number)) return;
    this.#seen.add(number);
    for (const old of this.#seen) if (this.#seen.size > REMEMBERED) this.#seen.delete(old);
    const { clock, allow } = this.#options;
    const until = clock.uptime() + ttl;
    if (!allow().includes(name)) {
      const says = `this host does not let its hub ask for "${name}"; its config says what it may (hub.allow)`;
      return this.#end(command, { number, end: "refused", says });
    }
    await this.#record(command);
    // Recording may have taken long, or the host slept.
    if (clock.uptime() >= until) return this.#end(command, expired(number, ttl));
    try {
      const deed = await this.#options.deeds[name](target, by, command);
      if ("refused" in deed) return await this.#end(command, { number, end: "refused", says: deed.refused });
      return await this.#end(command, { number, end: "done", ...deed });
    } catch (error) {
      const says = error instanceof Error ? error.message : String(error);
      return this.#end(command, { number, end: "failed", says });
    }
  }

  async #end(command: HostCommand, result: CommandResult): Promise<void> {
    this.#results.push(result);
    const { screen: _, evidence: __, ...kept } = result;
    await this.#record(command, { ...kept, at: this.#options.clock.wall() });
  }

  #record(command: HostCommand, result?: CommandResult & { readonly at: Instant }): Promise<void> {
    const { host, clock, persist } = this.#options;
    const askedAt = clock.wall();
    const body: CommandRecord = { ...command, host, askedAt, ...(result === undefined ? {} : { result }) };
    const record: StoredRecord<"command"> = {
      ...{ kind: "command", id: `${host}/${command.number}`, at: askedAt, about: command.by },
      current: result === undefined,
      body,
    };
    return persist({ records: [record] });
  }
}

function expired(number: number, ttl: Millis): CommandResult {
  return { number, end: "expired", says: `its ${ttl / 1000} s were over` };
}
