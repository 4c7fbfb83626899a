import { isRecord, readBeat } from "../../core/beat-input.ts";
import type { Instant } from "../../core/duration.ts";
import { type Observation, observationsOf } from "../../core/liveness/observation.ts";

/** How far back a record is looked for, and how long one may be. */
export const RECORDS = 64 * 1024;

const START = "\u001b]7766;";
/** Up to BEL, or to the string terminator. */
const RECORD = /\u001b\]7766;(\{[^\u0007\u001b]{0,4096}\})(?:\u0007|\u001b\\)/g;

/**
 * What a program wrote of itself into its terminal: the last liveness record (docs/liveness-protocol.md) by OSC 7766. Whatever is shown
 * in a terminal can hold one, so it counts as a beat that came without a token.
 */
export function toldIn(bytes: Uint8Array, agent: string | undefined, now: Instant): readonly Observation[] {
  const text = new TextDecoder().decode(bytes);
  if (agent === undefined || !text.includes(START)) return [];
  const records = [...text.matchAll(RECORD)].flatMap(([, json = ""]) => {
    const value = parsed(json);
    // One that names another agent was written for another terminal.
    if (!isRecord(value) || (value.agent !== undefined && value.agent !== agent)) return [];
    const read = readBeat({ ...value, agent }, { receivedAt: now, newId: () => "", unproven: true });
    return "beat" in read ? [read.beat] : [];
  });
  const last = records.at(-1);
  return last === undefined ? [] : observationsOf(last);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
