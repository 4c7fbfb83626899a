import type { Agent, Model, State } from "./model.ts";
import type { Flip, World } from "./world.ts";

/** How long the watcher may take until it says what is true. It is there for what never comes. */
const PATIENCE = 45_000;
/** A file system's clock may be so many milliseconds behind. */
const SLACK = 50;
const TROUBLE: readonly string[] = ["dead", "failing", "waiting", "stalled", "limited"];
/** What people are told of, unless the config says otherwise. */
const TOLD: readonly State[] = ["dead", "failing", "waiting"];

/** What was right before a step: trouble that is neither right before it nor after it is an invention. */
export interface Before {
  readonly expected: ReadonlyMap<string, readonly State[]>;
}

export function before(model: Model): Before {
  return { expected: new Map([...model.agents.values()].map((agent) => [agent.id, model.expected(agent)])) };
}

/** Compares what the watcher says with the model; answers what is not true, in sentences. */
export class Checker {
  readonly #world: World;
  readonly #model: Model;
  /** How many flips of each agent were looked at. */
  readonly #flips = new Map<string, number>();
  /** How many messages there were of each silenced agent when its silence stood. */
  readonly #silent = new Map<string, number>();

  /** The states that agents passed through while no watcher ran: their logs still tell of these. */
  readonly #missed = new Map<string, readonly string[]>();

  constructor(world: World, model: Model) {
    this.#world = world;
    this.#model = model;
  }

  async after(
    { expected }: Before,
    through: Readonly<Record<string, readonly string[]>> = {},
  ): Promise<readonly string[]> {
    if (!this.#model.up) {
      for (const [id, states] of Object.entries(through))
        this.#missed.set(id, [...(this.#missed.get(id) ?? []), ...states]);
      return [];
    }
    const wrong = await this.#settled();
    if (wrong.length > 0) return wrong;
    const invented: string[] = [];
    for (const agent of this.#model.agents.values()) {
      const right = [
        ...(expected.get(agent.id) ?? []),
        ...this.#model.expected(agent),
        ...(through[agent.id] ?? []),
        ...(this.#missed.get(agent.id) ?? []),
        // Its ladder may have brought it back meanwhile.
        ...(agent.recovers ? ["dead"] : []),
        // After an outage or a pause its word stands, until its silence is too long.
        ...(agent.word === "error" ? ["failing"] : []),
      ];
      for (const { from, to, why } of await this.#newFlips(agent.id))
        if (TROUBLE.includes(to) && !right.includes(to))
          invented.push(`${agent.id} went from ${from} to ${to} ("${why}"), but was never ${to}`);
    }
    this.#missed.clear();
    this.#model.looked();
    return [...invented, ...this.#messages()];
  }

  async #newFlips(id: string): Promise<readonly Flip[]> {
    const flips = await this.#world.flips(id);
    const known = this.#flips.get(id) ?? 0;
    this.#flips.set(id, flips.length);
    return flips.slice(0, Math.max(0, flips.length - known));
  }

  /** Waits until everything is as it must be; answers what is not when patience ends. */
  async #settled(): Promise<readonly string[]> {
    const until = Date.now() + PATIENCE;
    for (;;) {
      const wrong = [...(await this.#states()), ...this.#untold()];
      if (wrong.length === 0 || Date.now() > until) return wrong;
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  async #states(): Promise<readonly string[]> {
    const roll = await this.#world.roll();
    if (roll === undefined) return ["the watcher does not answer"];
    const wrong: string[] = [];
    for (const { id } of roll) {
      // The watcher's own agent, and its canary.
      if (id.includes("@") || this.#model.agents.has(id)) continue;
      wrong.push(`${id} is on the roll, and nobody put it there`);
    }
    for (const agent of this.#model.agents.values()) {
      const found = roll.find(({ id }) => id === agent.id);
      const right = this.#model.expected(agent);
      // Now and then tmux 3.3 never tells how a pane's own program ended; then the end does not count as clean.
      if (found?.why.includes("tmux does not say how")) this.#model.untold(agent.id);
      if (found === undefined) wrong.push(`${agent.id} is not on the roll, but was added`);
      else if (!right.includes(found.state as State))
        wrong.push(
          `${agent.id} is ${found.state} (${found.reason}: ${found.why}), but must be ${right.join(" or ")}`,
        );
      else if (this.#model.isOutOfDate(agent, found.reason))
        wrong.push(
          `${agent.id} is ${found.state} because of what was before (${found.reason}: ${found.why})`,
        );
      else if (agent.kind === "beats" && Date.parse(found.lastBeatAt ?? "") < agent.beatAt - SLACK)
        wrong.push(`${agent.id} has beaten, and its last beat is of ${found.lastBeatAt}`);
      else if (found.origin !== agent.origin)
        wrong.push(`${agent.id} is there by ${found.origin}, but must be by ${agent.origin}`);
    }
    return wrong;
  }

  /** Agents in trouble of which the last message does not say so; and the other way round. */
  #untold(): readonly string[] {
    const channels = this.#model.active.second ? ["first", "second"] : ["first"];
    const wrong: string[] = [];
    for (const agent of this.#model.agents.values()) {
      if (agent.silenced || agent.recovers) continue;
      const [state, ...others] = this.#model.expected(agent);
      if (state === undefined || others.length > 0) continue;
      for (const channel of channels) {
        const last = this.#world.told.findLast(
          (told) => told.subject === agent.id && told.channel === channel,
        );
        const problem = TOLD.includes(state) ? whyUntold(agent, state, last) : whyOpen(agent, state, last);
        if (problem !== undefined && (TOLD.includes(state) || channel === "first"))
          wrong.push(`${problem} (channel ${channel})`);
      }
    }
    return wrong;
  }

  /** Messages that should not have been sent. */
  #messages(): readonly string[] {
    const wrong: string[] = [];
    for (const { subject, title } of this.#world.told) {
      // A watcher that was killed five times within ten minutes says of itself that it fails.
      const isOwn = subject.startsWith("rollcall@") && this.#model.kills >= 5;
      if (!isOwn && !/^[abpqrs]\d+$/.test(subject)) wrong.push(`nobody asked for the message "${title}"`);
    }
    const { requests } = this.#world;
    const repeated = requests.length - new Set(requests).size;
    if (repeated > 2 * this.#model.kills)
      wrong.push(`${repeated} requests came twice, after ${this.#model.kills} kills`);
    for (const { id, silenced } of this.#model.agents.values()) {
      const count = this.#world.told.filter(({ subject }) => subject === id).length;
      const known = this.#silent.get(id);
      if (!silenced) this.#silent.delete(id);
      else if (known === undefined) this.#silent.set(id, count);
      else if (count > known) wrong.push(`${id} is silenced, but a message about it was sent`);
    }
    return wrong;
  }
}

interface Last {
  readonly occasion: string;
  readonly state: string;
}

function whyUntold({ id }: Agent, state: State, last: Last | undefined): string | undefined {
  if (last === undefined) return `${id} is ${state}, and nobody was told`;
  if (last.occasion === "resolved") return `${id} is ${state}, but the last message said that it is over`;
  if (last.occasion === "flapping" || last.state === state) return undefined;
  return `${id} is ${state}, but the last message said ${last.state}`;
}

function whyOpen({ id }: Agent, state: State, last: Last | undefined): string | undefined {
  if (last === undefined || last.occasion === "resolved" || last.occasion === "flapping") return undefined;
  // A limit is trouble of which nobody is told.
  if (state === "limited" || state === "unknown") return undefined;
  return `${id} is ${state}, but the last message says that it is ${last.state}`;
}
