import { sayAgo, sayDuration } from "../../core/duration.ts";
import {
  countStates,
  exitCodeOf,
  STATE_TRAITS,
  type State,
  type StateCounts,
  sumOf,
} from "../../core/liveness/state.ts";
import type { AgentWithPing } from "../../service/operations.ts";
import { sayHandled, sayHandledShortly } from "./handled.ts";
import { type Column, dim, onThisClock, paintState } from "./terminal.ts";

// The roll as a table and as one line: what `status` and `top` share.

/** Trouble first: that is what a person opens it for. The page has the same order. */
const ORDER = Object.keys(STATE_TRAITS) as readonly State[];

const byId = (a: AgentWithPing, b: AgentWithPing): number => (a.id < b.id ? -1 : 1);
const newest = (a: string | null, b: string | null): number => (a === b ? 0 : (a ?? "") > (b ?? "") ? -1 : 1);

/** What the roll can be sorted by; equal ones by their ids. */
export const SORTS = {
  state: (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state),
  id: byId,
  since: (a, b) => newest(a.since, b.since),
  beat: (a, b) => newest(a.lastBeatAt, b.lastBeatAt),
  group: (a, b) => (a.group === b.group ? 0 : a.group < b.group ? -1 : 1),
  host: (a, b) => (a.host === b.host ? 0 : (a.host ?? "") < (b.host ?? "") ? -1 : 1),
} as const satisfies Record<string, (a: AgentWithPing, b: AgentWithPing) => number>;

export type Sort = keyof typeof SORTS;

export function inOrder(agents: readonly AgentWithPing[], by: Sort = "state"): AgentWithPing[] {
  return [...agents].sort((a, b) => SORTS[by](a, b) || byId(a, b));
}

/** The canary dies on purpose, to test the alerts: its trouble is nobody's. */
function isReal({ id, group }: AgentWithPing): boolean {
  return group !== "canary" || !id.startsWith("canary@");
}

/** What stands on the roll, and how many there are in each state, of whom not everybody may have been read. */
interface Roll {
  readonly agents: readonly AgentWithPing[];
  readonly counts: StateCounts;
}

/** How many there are in each state besides these. */
export function countsWithout(counts: StateCounts, agents: readonly AgentWithPing[]): StateCounts {
  const less = countStates(agents);
  const left = ORDER.map((state) => [state, (counts[state] ?? 0) - (less[state] ?? 0)] as const);
  return Object.fromEntries(left.filter(([, count]) => count > 0));
}

function realCounts({ agents, counts }: Roll): StateCounts {
  return countsWithout(
    counts,
    agents.filter((agent) => !isReal(agent)),
  );
}

/** The exit code of the worst state, as monitors expect it: critical, warning, unknown, well. */
export function worstCode(roll: Roll): 0 | 1 | 2 | 3 {
  const codes = new Set((Object.keys(realCounts(roll)) as State[]).map(exitCodeOf));
  return ([2, 1, 3] as const).find((code) => codes.has(code)) ?? 0;
}

export function rollColumns(now: number): readonly Column<AgentWithPing>[] {
  const ago = (time: string | null) => (time === null ? "–" : `${sayAgo(now - Date.parse(time))}`);
  return [
    {
      title: "AGENT",
      text: ({ id, name }) => (name === null || name === id ? id : `${id} (${name})`),
      most: 40,
      least: 12,
      cut: "middle",
      brief: ({ id }) => id,
    },
    { title: "STATE", text: ({ state }) => state, paint: ({ state }, text) => paintState(state, text) },
    { title: "FOR", text: ({ since }) => sayDuration(now - Date.parse(since)), usual: 10, drop: 2 },
    { title: "LAST BEAT", text: ({ lastBeatAt }) => ago(lastBeatAt), drop: 3 },
    { title: "CYCLE", text: ({ cycle }) => (cycle === null ? "–" : String(cycle)), drop: 5 },
    { title: "LAST ACTION", text: ({ action }) => action ?? "–", most: 30, least: 12, drop: 4 },
    {
      title: "WHY",
      // On a narrow terminal the reason must not be pushed out of view.
      text: (agent) => afterNote(sayHandled(agent, now), agent, now),
      brief: (agent) => afterNote(sayHandledShortly(agent, now), agent, now),
      paint: (_, text) => dim(text),
      least: 36,
      drop: 1,
    },
  ];
}

function afterNote(note: string, { why }: AgentWithPing, now: number): string {
  return [note, onThisClock(why, now)].filter(Boolean).join("; ");
}

type Paint = (state: State, text: string) => string;

export function summary(counts: StateCounts): string {
  const all = sumOf(counts);
  return `${all === 1 ? "1 agent" : `${all} agents`}: ${counted(counts, paintState)}`;
}

export function counted(counts: StateCounts, paint: Paint = (_, text) => text): string {
  return ORDER.flatMap((state) => {
    const count = counts[state] ?? 0;
    return count > 0 ? [paint(state, `${count} ${state}`)] : [];
  }).join(", ");
}

/** How tmux writes colours into its status line. */
const TMUX: Paint = (state, text) => {
  const code = exitCodeOf(state);
  const colour = code === 2 ? "red" : code === 1 ? "magenta" : code === 3 ? "yellow" : "green";
  return `#[fg=${colour}]${text}#[default]`;
};

/** What is wrong, in a few words for a prompt or a status line; all that are well are one number. */
export function shortLine(roll: Roll, format: "plain" | "tmux"): string {
  const counts = realCounts(roll);
  const paint = format === "tmux" ? TMUX : paintState;
  const isWrong = ([state]: [string, number]) => exitCodeOf(state as State) !== 0;
  const wrong: StateCounts = Object.fromEntries(Object.entries(counts).filter(isWrong));
  const [all, unwell] = [sumOf(counts), sumOf(wrong)];
  const parts = unwell === 0 ? [] : [counted(wrong, paint)];
  if (all > unwell || all === 0) parts.push(paint("alive", `${all - unwell} ok`));
  return parts.join(", ");
}
