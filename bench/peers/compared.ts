import type { Result } from "../main.ts";

export interface Compared {
  readonly name: string;
  readonly peer: string;
  readonly ours: number;
  readonly theirs: number;
  readonly say: (value: number) => string;
  /** More is better: a rate. Otherwise less is. */
  readonly more?: boolean;
  /** What is to be known of their figure. */
  readonly note?: string;
}

/** A row that says who is ahead. */
export function compared({ name, peer, ours, theirs, say, more = false, note = "" }: Compared): Result {
  const ahead = more ? ours >= theirs : ours <= theirs;
  return {
    name,
    ours: say(ours),
    baseline: `${say(theirs)} ${peer}${note}`,
    ratio: ours / theirs,
    aim: ahead ? "ahead" : `${peer} is ahead`,
  };
}

export const seconds = (value: number) => `${value.toFixed(2)} s`;
export const milliseconds = (value: number) => `${value.toFixed(0)} ms`;
export const megabytes = (value: number) => `${value.toFixed(0)} MB`;
