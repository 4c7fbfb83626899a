// What an agent's own code imports as `rollcall/agent`. It has no dependency but Node.

import { incarnationOf } from "../system/proc.ts";
import {
  type BeatAsks,
  type BeatInput,
  type BeatRecord,
  type BeatState,
  checkAgentId,
} from "./beat-record.ts";
import { type Cycle, runCycle, runningCycle } from "./cycle.ts";
import { AgentError, sayValue } from "./error.ts";
import { checkNamedHome, expandTilde, homeDir, isHomeNamed } from "./home.ts";
import { writeBeat } from "./write-beat.ts";

export type { Incarnation } from "../system/proc.ts";
export type { BeatAsks, BeatRecord, BeatState } from "./beat-record.ts";
export type { Cycle } from "./cycle.ts";
export { AgentError, type AgentErrorCode } from "./error.ts";

export interface AgentOptions {
  /** Rollcall's home; by default `ROLLCALL_HOME` or `~/.rollcall`. */
  readonly home?: string | undefined;
  /** How often a running cycle beats, in milliseconds; by default once a minute. */
  readonly every?: number | undefined;
}

/** What an agent may say in a beat; nothing is needed. */
export interface BeatWords {
  /** The cycle it belongs to; by default the one that runs. */
  readonly cycle?: number | undefined;
  readonly action?: string | undefined;
  readonly status?: "ok" | "error" | undefined;
  readonly message?: string | undefined;
  /** What it says of itself; with `waiting` what a person is asked, and until when a limit lasts (ISO 8601). */
  readonly state?: BeatState | undefined;
  readonly asks?: BeatAsks | undefined;
  readonly until?: string | undefined;
}

export interface Agent {
  readonly id: string;
  /** Sends one beat. Throws an `AgentError` if it is not a beat or cannot be written. */
  beat(words?: BeatWords): BeatRecord;
  /** Runs one numbered cycle and returns what the work returns; if it throws, so does this. */
  cycle<T>(work: (cycle: Cycle) => T | Promise<T>): Promise<T>;
}

/** Node's timers turn anything above into one millisecond. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The agent that this process is: `const me = agent("allegro")`. */
export function agent(id: string, options: AgentOptions = {}): Agent {
  checkAgentId(id);
  const { every = 60_000 } = options;
  if (!(typeof every === "number" && every >= 1 && every <= LONGEST_TIMER))
    throw new AgentError(
      "bad-every",
      `every: expected milliseconds from 1 to ${LONGEST_TIMER}, not ${sayValue(every)}`,
    );
  const home = options.home === undefined ? homeDir() : expandTilde(options.home);
  const name = options.home === undefined ? "ROLLCALL_HOME" : "home";
  const isNamed = options.home !== undefined || isHomeNamed();
  const incarnation = incarnationOf(process.pid);
  const send = (input: Omit<BeatInput, "agent">) => {
    if (isNamed) checkNamedHome(home, name);
    return writeBeat({ ...input, agent: id, incarnation }, home);
  };
  return {
    id,
    beat: ({ cycle = runningCycle({ id, home }), action, status, message, state, asks, until } = {}) =>
      send({ cycle, action, status, message, state, asks, until }),
    cycle: (work) => runCycle({ id, home, every, beat: send }, work),
  };
}
