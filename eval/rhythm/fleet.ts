// The simulated fleet of agents that leave nothing but traces. Its laws are those of published traces: the
// model answers in 5.7 s at the median and 22 s at p90 (log-normal); 4 % of tool calls last over a minute and
// follow a Pareto law of exponent 1.2, up to the time-out of the agent's tools, and hold 85 % of tool time.
import type { RhythmActivity } from "../../src/core/rhythm/rhythm.ts";
import { type Random, random } from "./random.ts";
import { DAY, HOUR, MINUTE, SECOND, type Source } from "./source.ts";

type FleetOptions = {
  readonly seed: number;
  readonly agents: number;
  readonly days: number;
  /** The share of pauses for limits whose end the agent shows. */
  readonly announced: number;
};

export const FLEET = { agents: 100, days: 63, announced: 0.8 } as const;

const MODEL_MEDIAN = 5.7 * SECOND;
const MODEL_SIGMA = Math.log(22 / 5.7) / 1.2816;
const LONG_TOOLS = 0.04;
/** A tool that runs into its time-out takes up to so long to end, or to be seen to have ended. */
const CUT_OFF = 10 * SECOND;
const BETWEEN_PAUSES = 4 * DAY;
/** People answer within 14 h at p99, and half of them within three minutes. */
const ANSWER_MEDIAN = 3 * MINUTE;
const ANSWER_SIGMA = Math.log((14 * HOUR) / ANSWER_MEDIAN) / 2.326;

type Agent = {
  readonly random: Random;
  /** The time-out of this agent's tools. */
  readonly cap: number;
  /** The agent's own pace, and how many steps a turn of it has on average. */
  readonly pace: number;
  readonly turn: number;
  /** Today's regime: how slow its model is and how often its tools take long. */
  slow: number;
  long: number;
  /** When it next does something, what it begins then, and when it next runs into a limit. */
  at: number;
  next: "model" | "tool" | "idle";
  pause: number;
};

/** Half of the agents' tools are cut off after ten minutes, 35 % after an hour and 15 % after four hours. */
function cap(index: number, agents: number): number {
  const share = (index + 0.5) / agents;
  if (share < 0.5) return 10 * MINUTE;
  return share < 0.85 ? HOUR : 4 * HOUR;
}

function hire(index: number, options: FleetOptions): Agent {
  const own = random(options.seed, index);
  return {
    random: own,
    cap: cap(index, options.agents),
    pace: own.logNormal(1, 0.3),
    turn: 100 * 10 ** own.uniform(),
    slow: 1,
    long: LONG_TOOLS,
    at: own.uniform() * HOUR,
    next: "model",
    pause: own.exponential(BETWEEN_PAUSES),
  };
}

/** Nights, the first eight hours of a day, are half as fast. */
function night(sinceMidnight: number): number {
  return sinceMidnight < 8 * HOUR ? 2 : 1;
}

function toolTime(agent: Agent, pace: number): number {
  const own = agent.random;
  if (own.uniform() >= agent.long) return Math.min(MINUTE, pace * own.logNormal(0.7 * SECOND, 1.2));
  const time = pace * own.pareto(MINUTE, 1.2);
  return time < agent.cap ? time : agent.cap + own.uniform() * CUT_OFF;
}

/** A pause for a limit, of 5 min to 5 h, all orders of magnitude alike; 0 if none is due. */
function pauseTime(agent: Agent): number {
  if (agent.at < agent.pause) return 0;
  const length = 5 * MINUTE * 60 ** agent.random.uniform();
  agent.pause = agent.at + length + agent.random.exponential(BETWEEN_PAUSES);
  return length;
}

/** Lets the agent do its next thing: says what it does from now on, and moves it to the end of that. */
function step(agent: Agent, midnight: number, announced: number): RhythmActivity {
  const own = agent.random;
  const { at } = agent;
  const pace = agent.pace * night(at - midnight);
  if (agent.next === "idle") {
    agent.at += own.logNormal(ANSWER_MEDIAN, ANSWER_SIGMA);
    agent.next = "model";
    return { at, context: "idle" };
  }
  if (agent.next === "tool") {
    agent.at += toolTime(agent, pace);
    agent.next = "model";
    return { at, context: "tool" };
  }
  const pause = pauseTime(agent);
  agent.at += pause + agent.slow * pace * own.logNormal(MODEL_MEDIAN, MODEL_SIGMA);
  agent.next = own.uniform() < 1 / agent.turn ? "idle" : "tool";
  const shown = pause > 0 && own.uniform() < announced;
  return shown ? { at, context: "model", announced: pause } : { at, context: "model" };
}

export function fleet(options: FleetOptions): Source {
  const agents = Array.from({ length: options.agents }, (_, index) => hire(index, options));
  return {
    agents: options.agents,
    days: options.days,
    day(day, emit) {
      const midnight = day * DAY;
      for (const [index, agent] of agents.entries()) {
        agent.slow = agent.random.logNormal(1, 0.4);
        agent.long = LONG_TOOLS * agent.random.logNormal(1, 0.5);
        while (agent.at < midnight + DAY) emit(index, step(agent, midnight, options.announced));
      }
    },
  };
}
