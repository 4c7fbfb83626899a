import { formatDuration } from "../../core/duration.ts";
import { given } from "../../core/given.ts";

/** What an import makes of another program's file. It is plain data: the command prints or writes it. */
export interface Imported {
  /** The config as its file has it. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Lines for the crontab, where cron wakes something. */
  readonly wakes: readonly CronWake[];
  /** Old lines, processes or monitors that the config replaces. */
  readonly canGo: readonly OldLine[];
  /** What the config cannot say, and why. */
  readonly notCarried: readonly string[];
  /** What a person has to do besides: secrets to set, addresses to change. */
  readonly todo: readonly string[];
}

/** One line of the new crontab. */
export interface CronWake {
  /** Whose block it stands in, so that `rollcall uninstall` finds it. */
  readonly block: `agent ${string}` | "ticks";
  readonly schedule: string;
  /** The user column of a system crontab. */
  readonly user?: string;
  /** The arguments of `rollcall`. */
  readonly args: readonly string[];
  /** Old jobs keep the environment that cron gives them; new ones get the PATH of the shell that imports. */
  readonly environment: "as before" | "of this shell";
  /** The line of the old crontab that it stands for, from 0; otherwise it goes to the end. */
  readonly replaces?: number;
}

export interface OldLine {
  readonly text: string;
  /** Its line in the crontab, from 0; other programs have no lines. */
  readonly line?: number;
  /** The agent that replaces it, where it goes only with that agent. */
  readonly agent?: string;
}

/** The file is not what it was said to be. The sentence names what was expected. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly code = "bad-import";
}

/** What was read from a file of another program: anything may be missing. */
export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses an export, or says what it should have been. */
export function parseJson(text: string, file: string, expected: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ImportError(`${file} is not JSON; expected ${expected}`);
  }
}

/** A text that is there and not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** A length in milliseconds from one in seconds, if it is one that makes sense: up to a year, as in Healthchecks. */
export function secondsOf(value: unknown): number | undefined {
  if (typeof value !== "number" || !(value >= 1 && value <= YEAR)) return undefined;
  return Math.round(value * 1000);
}

const YEAR = 31_536_000;

/** Gives out ids that an agent or a channel may have, each once. */
export class Names {
  readonly #taken = new Set<string>();

  /** The id nearest to a name: lower case, because pings find an agent by it, and with a number if it is taken. */
  idFor(name: string): string {
    const plain = name
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "")
      .toLowerCase()
      .replaceAll(/[^a-z0-9_]+/g, "-")
      .replaceAll(/^[-_]+|-+$/g, "")
      .slice(0, 100);
    const first = plain === "" ? "agent" : plain;
    let id = first;
    for (let count = 2; this.#taken.has(id); count += 1) id = `${first}-${count}`;
    this.#taken.add(id);
    return id;
  }
}

/** The environment variable that holds a secret of a channel. */
export function variableFor(channel: string, what: string): string {
  const name = channel.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");
  return `${/^[0-9]/.test(name) ? "CHANNEL_" : ""}${name}_${what}`;
}

/** Which channels hear of an agent, and after how long. */
export interface OldRoute {
  readonly agent: string;
  /** None: nobody hears of it. */
  readonly to: readonly string[];
  /** In milliseconds; 0 is at once. */
  readonly after: number;
}

/**
 * The routes of the policy that tell the same people as before. Without a route every channel hears of every agent, so none
 * is written where that is so. The last route is for agents that join later and for the watcher itself.
 */
export function policyFor(
  told: readonly OldRoute[],
  channels: readonly string[],
): { readonly policy?: { readonly tell: readonly object[] } } {
  const isUsual = ({ to, after }: OldRoute) => after === 0 && to.length === channels.length;
  const routes = told.filter((one) => !isUsual(one)).map((one) => routeOf(one, channels.length));
  return routes.length === 0 ? {} : { policy: { tell: [...routes, { agents: "*" }] } };
}

function routeOf({ agent, to, after }: OldRoute, all: number): object {
  return given({
    agents: agent,
    after: after === 0 ? undefined : formatDuration(after),
    to: to.length === all ? undefined : to,
  });
}

/** The channels of another program, as far as they can be imported. */
export class OldChannels {
  readonly notCarried: string[] = [];
  readonly todo: string[] = [];
  readonly #names = new Names();
  readonly #channels: Record<string, object> = {};
  readonly #byId = new Map<string, string>();

  nameFor(label: string): string {
    return this.#names.idFor(label);
  }

  put(id: string, name: string, settings: object): void {
    this.#channels[name] = settings;
    this.#byId.set(id, name);
  }

  get names(): readonly string[] {
    return [...this.#byId.values()];
  }

  /** As the config has them; undefined if there is none. */
  get settings(): Readonly<Record<string, object>> | undefined {
    return this.#byId.size === 0 ? undefined : this.#channels;
  }

  /** Those with these ids; all where none of them could be imported: silence would be worse than a message too many. */
  of(ids: readonly string[]): readonly string[] {
    const carried = ids.flatMap((id) => this.#byId.get(id.trim()) ?? []);
    return ids.length > 0 && carried.length === 0 ? this.names : carried;
  }
}

/** Something that another program watches. */
export interface Watched {
  readonly label: string;
  /** What its id is made of, if not of its label. */
  readonly slug?: string | undefined;
  /** Those of the agent that it becomes, or why it cannot become one. */
  readonly settings: object | string;
  readonly to: readonly string[];
  readonly after?: number;
  readonly leftOut: readonly string[];
  /** What is left to do, as the ends of sentences that begin with its label. */
  readonly todo: (id: string) => readonly string[];
}

/** Makes agents of what another program watches; `what` is its word for one of them. */
export function agentsOf(what: string, watched: readonly Watched[], channels: OldChannels) {
  const names = new Names();
  const agents: object[] = [];
  const told: OldRoute[] = [];
  const canGo: OldLine[] = [];
  const notCarried = [...channels.notCarried];
  const todo = [...channels.todo];
  for (const { label, slug = label, settings, to, after = 0, ...rest } of watched) {
    if (typeof settings === "string") {
      notCarried.push(`${label}: ${settings}`);
      continue;
    }
    const id = names.idFor(slug);
    agents.push(given({ id, ...settings }));
    told.push({ agent: id, to, after });
    canGo.push({ text: `the ${what} "${label}"` });
    notCarried.push(...rest.leftOut.map((left) => `${label}: ${left}`));
    todo.push(...rest.todo(id).map((left) => `${label}${left}`));
  }
  return { agents, told, canGo, notCarried, todo };
}
