import { MINUTE, type Millis, SECOND } from "../duration.ts";
import type { ExtraEnvironment } from "../environment.ts";
import type { Reason, State } from "../liveness/state.ts";

/** When a step applies: in one of these states, and for one of these reasons if any are named. */
export interface When {
  readonly states: readonly State[];
  readonly reasons?: readonly Reason[];
}

/** So many steps of a kind within so long; then it stops, and says so. */
export interface Budget {
  readonly times: number;
  readonly within: Millis;
}

/** The wait after a step of a kind, doubling from the first to the longest. */
export interface Backoff {
  readonly first: Millis;
  readonly longest: Millis;
}

/** A program with its arguments, or a line for /bin/sh. */
export type CommandLine = readonly [string, ...string[]] | string;

export interface Command extends ExtraEnvironment {
  readonly command: CommandLine;
  /** Where it runs; else in the home folder of the daemon's user. */
  readonly cwd?: string;
}

/** How an agent is started again. */
export type Restart =
  | ({ readonly by: "command" } & Command)
  /** `rollcall run`, which hands the last cycle over. */
  | ({ readonly by: "run" } & Command)
  /** The client of a coding agent, in its last conversation, in its pane or a new one. */
  | ({ readonly by: "resume" } & Command)
  | { readonly by: "unit"; readonly unit: string; readonly user: boolean }
  | { readonly by: "respawn" };

/** How to report that the work of a dead agent is free. */
export type Release =
  | ({ readonly by: "command" } & Command)
  | { readonly by: "webhook"; readonly url: string };

interface Rung {
  readonly when: When;
  readonly budget: Budget;
  readonly backoff: Backoff;
}

/** One step of a ladder, as plain data from the config. */
export type Step = Rung &
  (
    | { readonly do: "nudge"; readonly text: string }
    /** `kill`: a process that still lives may be ended, if it is the very one that was judged. */
    | { readonly do: "restart"; readonly with: Restart; readonly kill: boolean }
    | { readonly do: "release"; readonly with: Release }
    /** Without places it goes out as an update, to the places that the incident's messages go to. */
    | { readonly do: "escalate"; readonly to: readonly string[] }
    /** Presses Esc in its pane; stops its process; ends it. */
    | { readonly do: "interrupt" }
    | { readonly do: "pause" }
    | { readonly do: "end" }
  );

/** The steps that may be taken on an agent, in order. An agent has none unless the config says so. */
export type Ladder = readonly Step[];

export const DEFAULT_BUDGET: Budget = { times: 3, within: 10 * MINUTE };
export const DEFAULT_BACKOFF: Backoff = { first: 10 * SECOND, longest: 5 * MINUTE };
/** After so long in health all earlier steps are forgotten. */
export const HEALTHY: Millis = 30 * MINUTE;

/** The states in which a step applies where the config names none. */
export const DEFAULT_STATES: Readonly<Record<Step["do"], readonly State[]>> = {
  nudge: ["stalled", "limited"],
  restart: ["dead"],
  release: ["dead"],
  escalate: ["dead", "stalled", "failing"],
  interrupt: ["failing"],
  pause: ["failing"],
  end: ["failing"],
};

/** The reasons for which a step applies where the config names none; all, unless some stand here. */
export const DEFAULT_REASONS: Readonly<Partial<Record<Step["do"], readonly Reason[]>>> = {
  interrupt: ["over-budget"],
  pause: ["over-budget"],
  end: ["over-budget"],
};

/** Whether a step may end a process that lives. A unit's processes are ended by systemd, whatever `kill` says. */
export function mayEnd(step: Step): boolean {
  if (step.do === "end" || step.do === "pause") return true;
  return step.do === "restart" && (step.kill || step.with.by === "unit");
}

export function applies({ states, reasons }: When, state: State, reason: Reason): boolean {
  return states.includes(state) && (reasons === undefined || reasons.includes(reason));
}
