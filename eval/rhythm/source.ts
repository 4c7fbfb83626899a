import type { RhythmActivity } from "../../src/core/rhythm/rhythm.ts";

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Where activity comes from. Agents and days are numbered from 0; `days` need not be whole. */
export type Source = {
  readonly agents: number;
  readonly days: number;
  /** Gives the activity of one day, for each agent in the order of time. Days are asked for once, in order. */
  day(day: number, emit: (agent: number, fact: RhythmActivity) => void): void;
};
