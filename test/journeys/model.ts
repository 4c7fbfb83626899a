// What must be true of a fleet after each step of a journey, told in the fewest words: who is on the roll, and in which
// state each agent must end up. Nothing here knows how Rollcall works.

export type State =
  | "new"
  | "alive"
  | "late"
  | "resting"
  | "waiting"
  | "limited"
  | "stalled"
  | "failing"
  | "dead"
  | "paused"
  | "unknown";

/** A rule whose time is over within seconds, or one that outlasts every journey. */
export interface Rule {
  readonly every: "1s" | "1h";
  readonly grace: "1s" | "2s" | "5m";
}

export const SHORT: Rule = { every: "1s", grace: "1s" };
export const LONG: Rule = { every: "1h", grace: "5m" };

const isShort = ({ every, grace }: Rule): boolean => every === "1s" && grace !== "5m";

/** What the config file says of an agent. */
export interface Declared {
  readonly id: string;
  readonly rule?: Rule;
  /** A plain log that nobody ever writes. */
  readonly log?: true;
  readonly pane?: true;
  readonly process?: true;
  readonly run?: true;
  readonly recover?: true;
}

export interface Config {
  readonly agents: readonly Declared[];
  readonly defaults: Rule;
  /** Whether there is a second channel beside the one that every journey has. */
  readonly second: boolean;
}

type Program = "none" | "idle" | "working" | "asking" | "limited";

/** A tmux session with one pane. */
export interface Pane {
  readonly session: string;
  /** The shell in which the program was started; undefined if the program is the pane's own command. */
  readonly shell: "bash" | undefined;
  /** Whether its output goes to a log, which outlives it. */
  readonly piped: boolean;
  exists: boolean;
  program: Program;
  /** Whether the watcher has seen the pane, and what it last saw the program do. */
  seen: boolean;
  read: Program | undefined;
  /** The states that are right since the program ended. */
  ended: readonly State[] | undefined;
}

/** A process without a terminal, under `rollcall run` or alone. */
export interface Worker {
  runs: boolean;
  seen: boolean;
  ended: readonly State[] | undefined;
}

export interface Agent {
  readonly id: string;
  origin: "config" | "beat" | "added";
  rule: Rule | undefined;
  /** The last word of its beats, if there was one. */
  word: "ok" | "error" | undefined;
  kind: "beats" | "pane" | "process" | "run";
  log: boolean;
  recovers: boolean;
  paused: boolean;
  silenced: boolean;
  /** Its first beat waits for the watcher: until then a command does not know it. */
  waits: boolean;
  /** A beat waits for the watcher. */
  unheard: boolean;
  /** It beat after this while the watcher was there, which must have heard it. */
  beatAt: number;
}

export class Model {
  /** The config file as it stands, and as the watcher last read it. */
  file: Config;
  active: Config;
  broken = false;
  up = false;
  /** How often the watcher was killed: each may have sent one message twice. */
  kills = 0;
  /** When the step began whose effect is noted now. */
  stepBegan = 0;
  /** The last number that was used for a name. */
  made = 1;
  readonly agents = new Map<string, Agent>();
  readonly panes = new Map<string, Pane>();
  readonly workers = new Map<string, Worker>();

  constructor(config: Config) {
    this.file = config;
    this.active = config;
  }

  /** The watcher reads the config file. */
  readConfig(): void {
    const { agents, defaults } = this.file;
    this.active = this.file;
    for (const agent of this.agents.values()) agent.waits = false;
    const declared = new Map(agents.map((each) => [each.id, each]));
    for (const each of agents) this.#declare(each, defaults);
    for (const agent of [...this.agents.values()]) {
      if (agent.origin === "added" || declared.has(agent.id)) continue;
      // An agent that is no longer declared leaves the roll; those that registered themselves have the default rule.
      if (agent.origin !== "config") agent.rule = defaults;
      else if (!agent.unheard) this.agents.delete(agent.id);
      // A beat that nobody has heard yet registers it anew.
      else
        this.agents.set(agent.id, {
          ...agent,
          ...UNNAMED,
          rule: defaults,
          word: agent.word,
          silenced: agent.silenced,
        });
    }
    for (const agent of this.agents.values()) agent.unheard = false;
  }

  #declare({ id, rule, log, pane, process, run, recover }: Declared, defaults: Rule): void {
    const signals = log ?? pane ?? process ?? run ?? false;
    const known = this.agents.get(id);
    this.agents.set(id, {
      id,
      origin: "config",
      rule: rule ?? (signals ? undefined : defaults),
      word: known?.word,
      kind: pane ? "pane" : process ? "process" : run ? "run" : "beats",
      log: log ?? false,
      recovers: recover ?? false,
      paused: known?.paused ?? false,
      silenced: known?.silenced ?? false,
      waits: false,
      unheard: known?.unheard ?? false,
      beatAt: known?.beatAt ?? 0,
    });
  }

  /** A beat arrives. */
  hear(id: string, word: "ok" | "error"): void {
    const known = this.agents.get(id);
    const heard = { word, unheard: !this.up, beatAt: this.up ? this.stepBegan : 0 };
    if (known !== undefined) Object.assign(known, heard);
    else
      this.agents.set(id, {
        ...UNNAMED,
        id,
        origin: "beat",
        rule: this.active.defaults,
        ...heard,
        waits: !this.up,
      });
  }

  add(id: string, rule: Rule | undefined, kind: Agent["kind"]): void {
    const { word, paused, silenced } = this.agents.get(id) ?? UNNAMED;
    this.agents.set(id, { ...UNNAMED, id, origin: "added", rule, kind, word, paused, silenced });
  }

  /** The states that are right for an agent now; each of them may be the last word. */
  expected(agent: Agent): readonly State[] {
    if (agent.paused) return ["paused"];
    if (agent.kind === "pane") return this.#pane(agent);
    if (agent.kind === "beats") return byBeats(agent);
    return this.#worker(agent);
  }

  #pane({ id, recovers }: Agent): readonly State[] {
    const pane = this.panes.get(id);
    if (pane === undefined) return ["new", "unknown"];
    if (!pane.exists && !pane.seen)
      return pane.piped ? ["new", "unknown", "alive", "resting", "dead"] : ["new", "unknown"];
    if (pane.ended !== undefined) {
      if (recovers && pane.exists && pane.shell === undefined && pane.ended.includes("dead"))
        return ["resting"];
      return pane.ended;
    }
    return RUNNING[pane.program];
  }

  /** Whether the roll still speaks of an earlier life of the program in its pane, or does not know yet that it ended. */
  isOutOfDate({ id, kind, paused }: Agent, reason: string): boolean {
    const pane = this.panes.get(id);
    if (kind !== "pane" || paused || pane?.seen !== true || !pane.exists) return false;
    if (pane.ended === undefined) return pane.program === "idle" && reason === "ended";
    return pane.ended.length === 1 && pane.ended[0] === "resting" && reason !== "ended";
  }

  #worker({ id, recovers }: Agent): readonly State[] {
    const worker = this.workers.get(id);
    if (worker === undefined) return ["new", "unknown"];
    if (worker.runs) return ["alive"];
    if (recovers && worker.ended?.includes("dead")) return ["alive"];
    return worker.ended ?? ["new", "unknown"];
  }

  /** Nobody can know that the pane's program ended well. */
  untold(id: string): void {
    const pane = this.panes.get(id);
    if (pane?.ended?.includes("resting")) pane.ended = ["dead"];
  }

  /** Everything that the watcher can see now was seen by it. */
  looked(): void {
    for (const agent of this.agents.values()) {
      const pane = agent.kind === "pane" ? this.panes.get(agent.id) : undefined;
      if (pane?.exists) pane.seen = true;
      if (pane !== undefined && pane.ended === undefined && pane.program !== "none") pane.read = pane.program;
      const worker = this.workers.get(agent.id);
      if (worker?.runs) worker.seen = true;
      if (!agent.recovers || agent.paused) continue;
      // The ladder of this agent brought it back.
      if (worker !== undefined && !worker.runs && worker.ended?.includes("dead"))
        Object.assign(worker, { runs: true, ended: undefined });
      if (pane?.exists && pane.shell === undefined && pane.ended?.includes("dead"))
        Object.assign(pane, { program: "idle", read: "idle", ended: undefined });
    }
  }
}

const UNNAMED: Omit<Agent, "id"> = {
  origin: "beat",
  rule: undefined,
  word: undefined,
  kind: "beats",
  log: false,
  recovers: false,
  paused: false,
  silenced: false,
  waits: false,
  unheard: false,
  beatAt: 0,
};

/** What a program that does this is said to be. */
export const RUNNING: Record<Program, readonly State[]> = {
  none: ["new", "unknown", "resting", "alive"],
  idle: ["resting"],
  working: ["alive"],
  asking: ["waiting"],
  limited: ["limited"],
};

/** By its beats alone: error outranks a beat that is fresh, and silence outranks both. */
function byBeats({ rule, word, log }: Agent): readonly State[] {
  if (rule === undefined) {
    // It names a log that is not there: nobody can tell, except what it last said.
    if (word === undefined) return ["new", "unknown"];
    return word === "error" ? ["failing"] : ["alive", "unknown", "resting"];
  }
  if (isShort(rule)) return word === undefined && log ? ["dead", "new", "unknown"] : ["dead"];
  if (word === undefined) return log ? ["new", "unknown"] : ["new"];
  return word === "error" ? ["failing"] : ["alive"];
}
