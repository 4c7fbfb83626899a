// What one agent remembers of its gaps in one context: the four longest of the running epoch and of the one
// before it. Two epochs make a sliding memory of 14 to 28 days in constant space, so that an agent whose habits
// change is believed after a month at the latest.

const EPOCH = 14 * 86_400_000;
const KEPT = 4;

/** One epoch: its longest gaps in milliseconds, longest first, and how many gaps there were in all. */
type Longest = { readonly gaps: readonly number[]; readonly seen: number };

export type Memory = { readonly epoch: number; readonly current: Longest; readonly previous: Longest };

/** The longest and the fourth longest gap of both epochs (0 while there are fewer), and how many gaps there were. */
export type Recollection = { readonly longest: number; readonly fourth: number; readonly gaps: number };

const NOTHING: Longest = { gaps: [], seen: 0 };

export const EMPTY: Memory = { epoch: 0, current: NOTHING, previous: NOTHING };

/** The memory as it stands at `now`: epochs that have passed move on and fall out. Time never turns it back. */
function turn(memory: Memory, now: number): Memory {
  const epoch = Math.floor(now / EPOCH);
  if (!(epoch > memory.epoch)) return memory;
  const previous = epoch === memory.epoch + 1 ? memory.current : NOTHING;
  return { epoch, current: NOTHING, previous };
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

export function remember(memory: Memory, gap: number, now: number): Memory {
  const { epoch, current, previous } = turn(memory, now);
  return { epoch, current: insert(current, gap), previous };
}

export function recall(memory: Memory, now: number): Recollection {
  const { current, previous } = turn(memory, now);
  const [first = 0, , , fourth = 0] = longest([...current.gaps, ...previous.gaps]);
  return { longest: first, fourth, gaps: current.seen + previous.seen };
}
