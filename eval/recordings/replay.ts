import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { State } from "../../src/core/liveness/state.ts";
import { read } from "../../src/core/screen/read.ts";
import type { ScreenReading } from "../../src/core/screen/reading.ts";
import type { Packs } from "../../src/core/screen/rule.ts";
import type { ReaderState } from "../../src/core/screen/state.ts";
import { openTerminal } from "../../src/signals/screens/terminal.ts";
import { stateOf } from "./state.ts";

/** What was read at a second of a recording. */
export type Second = { t: number; reading: ScreenReading; state: State };

/** The virtual clock starts here; only differences matter, and times of day are taken as UTC. */
const epoch = Date.UTC(2025, 0, 1, 12);

/** The names of all recordings in a folder, which need a raw log and its timing and nothing else. */
export function recordingsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".raw"))
    .map((file) => file.slice(0, -".raw".length))
    .filter((name) => existsSync(join(folder, `${name}.timing.jsonl`)))
    .sort();
}

/** Replays a recording through the emulator and the reader, a frame per line of its timing. */
export async function replay(folder: string, name: string, packs: Packs): Promise<Second[]> {
  const raw = readFileSync(join(folder, `${name}.raw`));
  const timing = timingOf(readFileSync(join(folder, `${name}.timing.jsonl`), "utf8"));
  const terminal = openTerminal({ cols: 120, rows: 40 });
  const seconds: Second[] = [];
  let memory: ReaderState | undefined;
  let last: ScreenReading | undefined;
  let written = 0;
  for (const { t, bytes } of timing) {
    // What the frame before said holds until this one, so a whole second that lies between is its.
    while (last !== undefined && seconds.length + 1 < t) seconds.push(second(seconds.length + 1, last));
    await terminal.write(raw.subarray(written, bytes));
    written = Math.max(written, bytes);
    const frame = { ...terminal.look(), t: epoch + t * 1000 };
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
