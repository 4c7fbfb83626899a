import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { journalPath, readCycleState } from "../../../src/agent/journal.ts";
import type { Beat } from "../../../src/core/beat.ts";
import { Spool } from "../../../src/home/intake/spool.ts";
import { findJournal } from "../../../src/signals/process/find-journal.ts";
import { openProc } from "../../../src/system/proc.ts";
import { uuidv7 } from "../../../src/system/uuid.ts";
import { must, type Parser, type Target } from "../target.ts";
import { beats } from "./beats.ts";

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

/** A file that waits in the spool. */
export const spool: Target = {
  name: "spool",
  examples: beats.examples,
  words: beats.words,
  open: async () =>
    inFolder((folder) => {
      const taken: Beat[] = [];
      const reader = new Spool({
        folder,
        accept: async (list) => void taken.push(...list),
        isFinal: () => false,
        // Later than the file: nobody writes the rest of it any more.
        now: () => Date.now() + 60_000,
        newId: uuidv7,
        log: SILENT,
      });
      return async (input) => {
        taken.length = 0;
        writeFileSync(join(folder, "one.json"), input);
        await reader.take();
        const aside = join(folder, "bad", "one.json");
        must(!existsSync(join(folder, "one.json")), "a file of the spool is taken or set aside");
        must(existsSync(aside) !== (taken.length === 1), "it is a beat, or it is kept aside");
        rmSync(aside, { force: true });
        must(
          readdirSync(folder).every((name) => name === "bad"),
          "nothing else stays in the spool",
        );
      };
    }),
};

/** The journal of a cycle. */
export const journals: Target = {
  name: "journals",
  examples: [
    '{"agent":"allegro","cycle":7,"beganAt":"2026-11-16T12:00:00.000Z"}',
    '{"agent":"allegro","cycle":7,"beganAt":"2026-11-16T12:00:00.000Z","incarnation":{"pid":4242,"startTime":"1","bootId":"b"},"wrapper":{"pid":4241,"startTime":"1","bootId":"b"},"log":"/tmp/a.log"}',
    '{"agent":"allegro","cycle":7,"beganAt":"2026-11-16T12:00:00.000Z","endedAt":"2026-11-16T12:01:00.000Z","outcome":"error","exit":"exit 3"}',
  ],
  words: [
    '"agent":',
    '"cycle":',
    '"beganAt":',
    '"incarnation":',
    '"wrapper":',
    '"pid":',
    '"outcome":',
    "-1",
    "4194305",
  ],
  open: async () =>
    inFolder((home) => {
      const path = journalPath("allegro", home);
      mkdirSync(join(home, "cycles"));
      const finder = findJournal(path, openProc());
      return (input) => {
        writeFileSync(path, input);
        finder.find(undefined);
        readCycleState("allegro", home);
      };
    }),
};

function inFolder(make: (folder: string) => Parser["read"]): Parser {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-fuzz-"));
  return { read: make(folder), close: () => rmSync(folder, { recursive: true, force: true }) };
}
