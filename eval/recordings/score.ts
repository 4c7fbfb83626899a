import type { ReadingState } from "../../src/core/screen/reading.ts";
import type { Second } from "./replay.ts";

/** What a recording showed from one moment to another, in seconds. */
export type Label = { from: number; to: number; state: ReadingState; alt: readonly ReadingState[] };

export type RecordingScore = {
  recording: string;
  seconds: number;
  correct: number;
  falseAlarmSeconds: number;
  misread: { t: number; label: ReadingState; reading: ReadingState; rule: string }[];
};

export type Confusion = Partial<Record<ReadingState, Partial<Record<ReadingState, number>>>>;

/** Edges are good to about 0.6 s; that nothing is new can only be seen when some time has passed. */
const slack = 1;
const slowSlack = 10;
const slow = new Set<ReadingState>(["spinning", "looping"]);
const alarms = new Set<ReadingState>(["spinning", "looping", "exited"]);

/** Scores the whole seconds of a recording that lie inside a label, its borders' slack excepted. */
export function scoreOf(
  recording: string,
  seconds: readonly Second[],
  labels: readonly Label[],
  confusion: Confusion,
): RecordingScore {
  const score: RecordingScore = { recording, seconds: 0, correct: 0, falseAlarmSeconds: 0, misread: [] };
  for (const { t, reading, state } of seconds) {
    const label = labels.find(({ from, to }) => t >= from && t < to);
    if (label === undefined) continue;
    if (t < label.from + (slow.has(label.state) ? slowSlack : slack) || t > label.to - slack) continue;
    const right = reading.state === label.state || label.alt.includes(reading.state);
    count(confusion, label.state, right ? label.state : reading.state);
    score.seconds += 1;
    if (right) score.correct += 1;
    else score.misread.push({ t, label: label.state, reading: reading.state, rule: reading.rule });
    const alarm = !right && alarms.has(reading.state);
    if (label.state === "working" && (alarm || state === "stalled" || state === "dead")) {
      score.falseAlarmSeconds += 1;
    }
  }
  return score;
}

function count(confusion: Confusion, label: ReadingState, read: ReadingState): void {
  const row = confusion[label] ?? {};
  row[read] = (row[read] ?? 0) + 1;
  confusion[label] = row;
}

export type Rates = { precision: number | null; recall: number | null; seconds: number };

/** Precision and recall of each reading, from the table of what was shown and what was read. */
export function ratesOf(confusion: Confusion): Partial<Record<ReadingState, Rates>> {
  const names = new Set<ReadingState>();
  for (const [label, row] of Object.entries(confusion)) {
    names.add(label as ReadingState);
    for (const name of Object.keys(row)) names.add(name as ReadingState);
  }
  const rates: Partial<Record<ReadingState, Rates>> = {};
  for (const name of names) {
    const hits = confusion[name]?.[name] ?? 0;
    const labelled = Object.values(confusion[name] ?? {}).reduce((sum, n) => sum + n, 0);
    const read = Object.values(confusion).reduce((sum, row) => sum + (row[name] ?? 0), 0);
    rates[name] = {
      precision: read === 0 ? null : hits / read,
      recall: labelled === 0 ? null : hits / labelled,
      seconds: labelled,
    };
  }
  return rates;
}
