import colors from "picocolors";
import type { Evaluation } from "./evaluate.ts";
import type { RecordingScore } from "./score.ts";

const percent = (share: number | null) =>
  (share === null ? "–" : `${(share * 100).toFixed(1)} %`).padStart(8);

/** One line for a recording, written as soon as it is scored. */
export function line({ recording, seconds, correct, misread }: RecordingScore): string {
  const share = seconds === 0 ? 1 : correct / seconds;
  const paint = share === 1 ? colors.green : share >= 0.9 ? colors.yellow : colors.red;
  const first = misread[0];
  const why =
    first === undefined
      ? ""
      : colors.dim(`  ${first.t} s: ${first.label} read as ${first.reading} (${first.rule})`);
  return `${paint(percent(share))}  ${recording}${why}`;
}

/** The summary: accuracy, false alarms, and each reading's precision and recall. */
export function summary(evaluation: Evaluation): string {
  const rows = Object.entries(evaluation.readings).map(
    ([name, rates]) =>
      `  ${name.padEnd(10)}${percent(rates?.precision ?? null)}${percent(rates?.recall ?? null)}` +
      `${String(rates?.seconds ?? 0).padStart(8)}`,
  );
  const clients = Object.entries(evaluation.clients).map(([name, share]) => `  ${percent(share)}  ${name}`);
  return [
    "",
    `  reading   precision  recall seconds`,
    ...rows,
    "",
    ...clients,
    "",
    `  accuracy ${colors.bold(percent(evaluation.accuracy).trim())} of ${evaluation.seconds} labelled seconds, ` +
      `${evaluation.falseAlarmSeconds} s of false alarm, ${evaluation.recordings.length} recordings`,
  ].join("\n");
}
