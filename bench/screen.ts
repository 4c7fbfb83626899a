import xterm from "@xterm/headless";
import { read } from "../src/core/screen/read.ts";
import type { Packs } from "../src/core/screen/rule.ts";
import type { ReaderState } from "../src/core/screen/state.ts";
import { loadPacks } from "../src/signals/screens/packs.ts";
import { openTerminal } from "../src/signals/screens/terminal.ts";
import type { Result } from "./main.ts";

/** What a log's reader hands over at once; a busy client writes this much in a second or two. */
const chunkSize = 64 * 1024;

/**
 * Throughput of reading screens (emulator, rows, rules, progress) over the bare emulator fed with the same bytes in
 * the same chunks. Both run in turn, several times, and the best run of each counts, so that other load on the
 * machine weighs on neither.
 */
export async function screens(megabytes = 8, rounds = 3): Promise<Result[]> {
  const bytes = sample(megabytes * 1e6);
  const packs = loadPacks();
  let bare = Number.POSITIVE_INFINITY;
  let reading = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    bare = Math.min(bare, await timed(() => writeBare(bytes)));
    reading = Math.min(reading, await timed(() => writeAndRead(bytes, packs)));
  }
  const rate = (ms: number) => bytes.length / 1e6 / (ms / 1000);
  return [
    {
      name: "reading screens",
      ours: `${rate(reading).toFixed(1)} MB/s`,
      baseline: `${rate(bare).toFixed(1)} MB/s bare headless xterm`,
      ratio: bare / reading,
      aim: "at least 0.5",
    },
  ];
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function writeBare(bytes: Uint8Array): Promise<void> {
  const term = new xterm.Terminal({ cols: 120, rows: 40, scrollback: 0, allowProposedApi: true });
  for (const chunk of chunks(bytes)) await new Promise<void>((resolve) => term.write(chunk, resolve));
  term.dispose();
}

async function writeAndRead(bytes: Uint8Array, packs: Packs): Promise<void> {
  const terminal = openTerminal();
  let state: ReaderState | undefined;
  let t = 0;
  for (const chunk of chunks(bytes)) {
    await terminal.write(chunk);
    t += 1000;
    state = read(state, { ...terminal.look(), t }, packs, { zone: "UTC" }).state;
  }
  terminal.drop();
}

function* chunks(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize);
}

/** What a full-screen agent writes: frames with colours, a spinner, text that grows and a box below it. */
function sample(size: number): Uint8Array {
  const esc = "\u001b[";
  const frames: string[] = [];
  let length = 0;
  for (let i = 0; length < size; i += 1) {
    const spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏".charAt(i % 10);
    const rows = Array.from(
      { length: 12 },
      (_, n) => `${esc}38;5;${(i + n) % 255}m● step ${i + n} of the work${esc}0m${esc}K`,
    );
    const frame = `${esc}?2026h${esc}H${rows.join("\r\n")}\r\n${esc}2m${spinner} Working… (${i}s · esc to interrupt)${esc}22m${esc}K\r\n${"─".repeat(60)}\r\n❯ \r\n${esc}?2026l`;
    frames.push(frame);
    length += frame.length;
  }
  return new TextEncoder().encode(frames.join(""));
}
