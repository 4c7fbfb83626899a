import { createHash } from "node:crypto";
import type * as z from "zod";
import type { SignalReader } from "../ports/signal.ts";
import { openProc } from "../system/proc.ts";
import { httpAdapter } from "./http/index.ts";
import type { SignalAdapter } from "./kit/adapter.ts";
import { openProbe } from "./kit/probe.ts";
import { logAdapter } from "./log/log.ts";
import { processAdapter } from "./process/index.ts";
import { OWN_PACKS } from "./screens/own-packs.ts";
import type { PackSource } from "./screens/packs.ts";
import { ScreenThread } from "./screens/screen-thread.ts";
import { systemdAdapter } from "./systemd/index.ts";
import { tmuxAdapter } from "./tmux/index.ts";
import { transcriptAdapter } from "./transcript/transcript.ts";

/** Every kind of signal, in the order in which those of an agent are looked at. */
export const SIGNALS = [
  processAdapter,
  systemdAdapter,
  tmuxAdapter,
  logAdapter,
  transcriptAdapter,
  httpAdapter,
] as const;

/** Whose signals, and what they remembered before the last restart, by signal. */
export interface SignalsOf {
  readonly agent: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly memories: Readonly<Record<string, unknown>>;
  /** Where `rollcall run` keeps the journal of its cycles. */
  readonly journal: string;
}

/**
 * Opens signals. One of these serves a whole fleet: the thread that draws and reads screens and the list of
 * processes are shared. `extra` are the user's own rules, which come before ours.
 */
export function signalOpener(
  zone: string,
  extra: readonly PackSource[] = [],
): (whose: SignalsOf) => readonly SignalReader[] {
  const proc = openProc();
  const fleet = {
    screens: new ScreenThread({ zone, packs: extra }),
    rules: fingerprint([extra, OWN_PACKS]),
    proc,
    probe: openProbe(proc),
  };
  const all: readonly SignalAdapter<string, z.ZodType>[] = SIGNALS;
  return ({ agent, settings, memories, journal }) => {
    const readers: SignalReader[] = [];
    for (const signal of all) {
      const { [signal.kind]: named } = settings;
      if (named === undefined) continue;
      const deps = { ...fleet, agent, journal, memory: memories[signal.kind], before: readers };
      readers.push(signal.open(signal.settings.parse(named), deps));
    }
    return readers;
  };
}

/** Equal as long as the same rules read the screens. */
function fingerprint(sources: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(sources)).digest("base64url").slice(0, 12);
}
