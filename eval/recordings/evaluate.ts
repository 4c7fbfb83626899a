import { basename } from "node:path";
import type { Packs } from "../../src/core/screen/rule.ts";
import { labelsOf } from "./labels.ts";
import { recordingsIn, replay } from "./replay.ts";
import { type Confusion, type Rates, type RecordingScore, ratesOf, scoreOf } from "./score.ts";

export type Evaluation = {
  folder: string;
  accuracy: number;
  falseAlarmSeconds: number;
  seconds: number;
  readings: Partial<Record<string, Rates>>;
  clients: Record<string, number>;
  confusion: Confusion;
  recordings: (RecordingScore & { accuracy: number })[];
};

/** The packs without those of a client, as if it had never been met. */
export function withoutOwn(packs: Packs, client: string): Packs {
  const isOwn = (name: string) => name === client || name.startsWith(`${client}-`);
  return { ...packs, clients: packs.clients.filter(({ name }) => !isOwn(name)) };
}

/** Replays and scores every labelled recording of a folder, by the packs that are meant for its client. */
export async function evaluate(
  folder: string,
  packsFor: (client: string) => Packs,
  onScore: (score: RecordingScore) => void = () => {},
  withFacts = true,
): Promise<Evaluation> {
  const confusion: Confusion = {};
  const scores: RecordingScore[] = [];
  const byClient = new Map<string, RecordingScore[]>();
  for (const name of recordingsIn(folder)) {
    const { client, labels } = labelsOf(folder, name);
    if (labels.length === 0) continue;
    const score = scoreOf(name, await replay(folder, name, packsFor(client), withFacts), labels, confusion);
    scores.push(score);
    byClient.set(client, [...(byClient.get(client) ?? []), score]);
    onScore(score);
  }
  return {
    folder: basename(folder),
    accuracy: accuracyOf(scores),
    falseAlarmSeconds: scores.reduce((sum, score) => sum + score.falseAlarmSeconds, 0),
    seconds: scores.reduce((sum, score) => sum + score.seconds, 0),
    readings: ratesOf(confusion),
    clients: Object.fromEntries([...byClient].map(([client, of]) => [client, accuracyOf(of)])),
    confusion,
    recordings: scores.map((score) => ({ ...score, accuracy: accuracyOf([score]) })),
  };
}

function accuracyOf(scores: readonly RecordingScore[]): number {
  const seconds = scores.reduce((sum, score) => sum + score.seconds, 0);
  return seconds === 0 ? 1 : scores.reduce((sum, score) => sum + score.correct, 0) / seconds;
}
