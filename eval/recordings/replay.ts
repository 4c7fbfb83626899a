import { readdirSync } from "node:fs";
import type { State } from "../../src/core/liveness/state.ts";
import { read } from "../../src/core/screen/read.ts";
import type { ScreenReading } from "../../src/core/screen/reading.ts";
import type { Packs } from "../../src/core/screen/rule.ts";
import type { ReaderState } from "../../src/core/screen/state.ts";
import { openTerminal } from "../../src/signals/screens/terminal.ts";
import { factsAt, factsOf, partOf, sizeOf } from "./about.ts";
import { stateOf } from "./state.ts";

/** What was read at a second of a recording. */
export type Second = { t: number; reading: ScreenReading; state: State };

/** The virtual clock starts here; only differences matter, and times of day are taken as UTC. */
const epoch = Date.UTC(2025, 0, 1, 12);

/** The names of all recordings in a folder, which need a raw log and its timing and nothing else. */
export function recordingsIn(folder: string): string[] {
  const files = new Set(readdirSync(folder).map((file) => file.replace(/\.gz$/, "")));
  const names = [...files]
    .filter((file) => file.endsWith(".raw"))
    .map((file) => file.slice(0, -".raw".length));
  return names.filter((name) => files.has(`${name}.timing.jsonl`)).sort();
}

/** Replays a recording through the emulator and the reader, a frame per line of its timing. */
export async function replay(
  folder: string,
  name: string,
  packs: Packs,
  withFacts = true,
): Promise<Second[]> {
  const raw = partOf(folder, name, "raw") ?? Buffer.alloc(0);
  const timing = timingOf(partOf(folder, name, "timing.jsonl")?.toString("utf8") ?? "");
  const terminal = openTerminal(sizeOf(folder, name));
  const facts = withFacts ? factsOf(folder, name, epoch) : [];
  const seconds: Second[] = [];
  let memory: ReaderState | undefined;
  let last: ScreenReading | undefined;
  let written = 0;
  for (const { t, bytes } of timing) {
    // What the frame before said holds until this one, so a whole second that lies between is its.
    while (last !== undefined && seconds.length + 1 < t) seconds.push(second(seconds.length + 1, last));
    await terminal.write(raw.subarray(written, bytes));
    written = Math.max(written, bytes);
    const machine = factsAt(facts, t);
    const frame = { ...terminal.look(), t: epoch + t * 1000, ...(machine && { machine }) };
    const { state, reading } = read(memory, frame, packs, { zone: "UTC" });
    memory = state;
    last = reading;
  }
  terminal.drop();
  return seconds;
}

function second(t: number, reading: ScreenReading): Second {
  return { t, reading, state: stateOf(reading, epoch + t * 1000) };
}

type Tick = { t: number; bytes: number };

/** The lines of a timing file; one that is broken (a recording cut off in the middle) is left out. */
function timingOf(text: string): Tick[] {
  const ticks: Tick[] = [];
  for (const line of text.split("\n")) {
    const found = /"t":\s*([\d.]+).*"bytes":\s*(\d+)/.exec(line);
    if (found !== null) ticks.push({ t: Number(found[1]), bytes: Number(found[2]) });
  }
  return ticks;
}
