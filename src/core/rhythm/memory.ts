// What one agent remembers of its gaps in one context: the four longest of the running epoch and of the one
// before it. Two epochs make a sliding memory of 14 to 28 days in constant space, so that an agent whose
// habits change is believed after a month at the latest.

const DAY = 86_400_000;
const EPOCH = 14 * DAY;
const KEPT = 4;

/** A memory is young for its first week, which holds working days and a weekend once, and below 100 gaps. */
const YOUTH = 7 * DAY;
const ENOUGH = 100;

/** One epoch: its longest gaps in milliseconds, longest first, and how many gaps there were in all. */
type Longest = { readonly gaps: readonly number[]; readonly seen: number };

export type Memory = {
  /** When the first of the gaps ended that it reaches back to without having forgotten everything. */
  readonly since: number;
  readonly epoch: number;
  readonly current: Longest;
  readonly previous: Longest;
};

const NOTHING: Longest = { gaps: [], seen: 0 };

export const EMPTY: Memory = { since: 0, epoch: 0, current: NOTHING, previous: NOTHING };

/** The memory as it stands at `now`: epochs that have passed fall out. A clock set back changes nothing. */
function turn(memory: Memory, now: number): Memory {
  const epoch = Math.floor(now / EPOCH);
  if (!(epoch > memory.epoch)) return memory;
  const previous = epoch === memory.epoch + 1 ? memory.current : NOTHING;
  return { since: memory.since, epoch, current: NOTHING, previous };
}

function longest(gaps: readonly number[]): readonly number[] {
  return gaps.toSorted((a, b) => b - a).slice(0, KEPT);
}

function insert(into: Longest, gap: number): Longest {
  const seen = into.seen + 1;
  const shortest = into.gaps[KEPT - 1];
  if (shortest !== undefined && gap <= shortest) return { gaps: into.gaps, seen };
  return { gaps: longest([...into.gaps, gap]), seen };
}

function count(memory: Memory): number {
  return memory.current.seen + memory.previous.seen;
}

export function remember(memory: Memory, gap: number, now: number): Memory {
  const turned = turn(memory, now);
  const since = count(turned) === 0 ? now : turned.since;
  return { since, epoch: turned.epoch, current: insert(turned.current, gap), previous: turned.previous };
}

/** The longest and the fourth longest gap of both epochs (0 if there are fewer), and how many there were. */
export function recall(memory: Memory, now: number) {
  const turned = turn(memory, now);
  const [first = 0, , , fourth = 0] = longest([...turned.current.gaps, ...turned.previous.gaps]);
  const gaps = count(turned);
  return { longest: first, fourth, gaps, young: gaps < ENOUGH || now - turned.since < YOUTH };
}

// From what is remembered to how long a silence is still normal.

/** Gaps whose longest exceeds the fourth longest by less than this were cut off by a time-out. */
const ALIKE = 1.05;

/** Nothing outlasts a time-out, so that one needs only this margin, for the slack of whoever enforces it. */
const TIME_OUT_MARGIN = 1.1;

/**
 * m · X, where X is the fourth longest gap, because three accidents in a month must not make the limit long;
 * while the memory is young, X is the longest, because a few days have shown too little to set anything aside.
 * But if the four longest are alike, a time-out has ended them, and min(m, 1.1) · longest is enough.
 */
export function learnt(memory: Memory, now: number, margin: number) {
  const { longest, fourth, gaps, young } = recall(memory, now);
  if (longest < ALIKE * fourth) return { ms: Math.min(margin, TIME_OUT_MARGIN) * longest, gaps, young };
  return { ms: margin * (young ? longest : fourth), gaps, young };
}
