import type { Agent } from "../src/core/agent.ts";
import { type Instant, MINUTE, type Millis, SECOND } from "../src/core/duration.ts";
import type { Observation, Reading } from "../src/core/liveness/observation.ts";
import type { SignalReader } from "../src/ports/signal.ts";
import { Chance } from "./chance.ts";
import type { Time } from "./time.ts";

/** How an agent in a pane really is. */
export type Mood = "working" | "idle" | "stuck" | "waiting" | "login" | "limited" | "gone";

const READINGS: Readonly<Record<Exclude<Mood, "gone">, Reading>> = {
  working: "working",
  idle: "idle",
  stuck: "spinning",
  waiting: "waiting",
  login: "login",
  limited: "limited",
};
/** What becomes of one that is there, and how one is that has come back: some ask at once for a login or a word. */
const TURNS: readonly Mood[] = [
  "working",
  "working",
  "idle",
  "stuck",
  "waiting",
  "login",
  "limited",
  "gone",
  "gone",
];
const RETURNS: readonly Mood[] = ["working", "working", "idle", "waiting", "login"];
/** One that works says something new so often. */
const SAYS: Millis = 10 * MINUTE;

interface Pane {
  readonly declared: Agent;
  mood: Mood;
  since: Instant;
  /** Its process, by number. */
  life: number;
  /** Grows with everything that happens to it. */
  turn: number;
}

/** Agents that do not beat: they are seen in their panes, die there, get stuck, and wait for people. */
export class Panes {
  readonly #panes: readonly Pane[];
  readonly #time: Time;
  readonly #stretch: number;
  /** Its own, so that what it draws changes nothing for the others. */
  readonly #chance: Chance;

  constructor(
    time: Time,
    seed: number,
    { addedAt, stretch }: { readonly addedAt: Instant; readonly stretch: number },
  ) {
    this.#stretch = stretch;
    this.#time = time;
    this.#chance = new Chance(seed + 1_000_003);
    this.#panes = [1, 2].map((number) => ({
      declared: { id: `pane-${number}`, origin: "config", addedAt, signals: { tmux: {} } },
      mood: "working",
      since: addedAt,
      life: 1,
      turn: 0,
    }));
    for (const pane of this.#panes) this.#live(pane);
  }

  get declared(): readonly Agent[] {
    return this.#panes.map(({ declared }) => declared);
  }

  moodOf(agent: string): Mood | undefined {
    return this.#find(agent)?.mood;
  }

  /** Its pane as one process of the watcher sees it. */
  readerOf(agent: string): readonly SignalReader[] {
    const pane = this.#find(agent);
    if (pane === undefined) return [];
    let told = { turn: -1, at: 0 };
    return [
      {
        signal: "tmux",
        look: async ({ now }) => {
          told = { turn: pane.turn, at: now };
          return factsOf(pane, now);
        },
        glance: (now) =>
          told.turn === pane.turn && (pane.mood !== "working" || Math.abs(now - told.at) < SAYS),
        close: () => {},
      },
    ];
  }

  /** Somebody starts it again: what was there is ended, and after a while another one is there, or none. */
  restart(agent: string): void {
    const pane = this.#find(agent);
    if (pane === undefined) return;
    if (pane.mood !== "gone") this.#become(pane, "gone");
    const { turn } = pane;
    if (this.#chance.hit(0.3)) return;
    this.#time.after(this.#chance.between(5 * SECOND, 3 * MINUTE), () => {
      if (pane.turn === turn) this.#become(pane, this.#chance.one(RETURNS));
    });
  }

  #find(agent: string): Pane | undefined {
    return this.#panes.find(({ declared }) => declared.id === agent);
  }

  #live(pane: Pane): void {
    this.#time.quietly(this.#stretch * this.#chance.between(5 * MINUTE, 45 * MINUTE), () => {
      this.#become(pane, this.#chance.one(pane.mood === "gone" ? RETURNS : TURNS));
      this.#live(pane);
    });
  }

  #become(pane: Pane, mood: Mood): void {
    if (pane.mood === "gone" && mood !== "gone") pane.life += 1;
    pane.mood = mood;
    pane.since = this.#time.wall();
    pane.turn += 1;
  }
}

function factsOf({ declared, mood, since, life }: Pane, now: Instant): readonly Observation[] {
  const incarnation = { pid: life, startTime: declared.id, bootId: "there" };
  const at = Math.min(since, now);
  if (mood === "gone")
    return [{ kind: "gone", signal: "tmux", at, seenAt: now, clean: false, exit: "status 1", incarnation }];
  return [
    { kind: "present", signal: "tmux", at: now, incarnation },
    {
      kind: "reading",
      signal: "tmux",
      at,
      seenAt: now,
      reading: READINGS[mood],
      context: "model",
      progressAt: mood === "working" ? now : at,
    },
  ];
}
