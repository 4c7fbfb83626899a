import { createHash } from "node:crypto";
import type { Instant } from "../core/duration.ts";
import type { SignalReader } from "../ports/signal.ts";
import { openProc } from "../system/proc.ts";
import { httpSignal } from "./http/index.ts";
import { partsOf } from "./kit/look-once.ts";
import { logSignal } from "./log/log.ts";
import { StillLogs } from "./log/still.ts";
import { processSignal } from "./process/index.ts";
import { ownPacks, type PackSource } from "./screens/packs.ts";
import { screenFacts } from "./screens/screen-facts.ts";
import { ScreenThread } from "./screens/screen-thread.ts";
import type { Screens } from "./screens/screens.ts";
import { signalSettings } from "./settings.ts";
import { systemdSignal } from "./systemd/index.ts";
import { type TmuxMeans, tmuxSignal } from "./tmux/index.ts";
import type { TmuxSettings } from "./tmux/settings.ts";
import { transcriptSignal } from "./transcript/transcript.ts";

/** Whose signals, and what they remembered before the last restart, by signal. */
export interface SignalDeps {
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
): (opening: SignalDeps) => readonly SignalReader[] {
  const screens = new ScreenThread({ zone, packs: extra });
  const rules = fingerprint([...extra, ...ownPacks()]);
  const proc = openProc();
  const stills = new StillLogs();
  return ({ agent, settings, memories, journal }) => {
    const { log, tmux, process, transcript, http, systemd } = signalSettings.parse(settings);
    const keys = { agent };
    const readers: SignalReader[] = [];
    if (process !== undefined) {
      const named = process.journal === true ? { ...process, journal } : process;
      readers.push(processSignal(named, memories.process, proc));
    }
    if (systemd !== undefined) readers.push(systemdSignal(systemd, memories.systemd, { proc }));
    const pane = tmux === undefined ? undefined : paneSignal(tmux, memories.tmux, { screens, proc, rules });
    if (pane !== undefined) readers.push(pane);
    if (log !== undefined) {
      // The pane is looked at before its log, so that what it wrote can be expected there.
      const fedBy = pane === undefined ? {} : { paneWroteAt: pane.wroteAt };
      const means = { keys: { ...keys, ...log.keys }, screens, stills, ...fedBy };
      readers.push(ruledBy(rules, memories.log, (past) => logSignal({ ...given(log), ...means }, past)));
    }
    if (transcript !== undefined) {
      readers.push(transcriptSignal({ ...given(transcript), keys }, memories.transcript));
    }
    if (http !== undefined) readers.push(httpSignal(http, memories.http));
    return readers;
  };
}

/** Equal as long as the same rules read the screens. */
function fingerprint(sources: readonly PackSource[]): string {
  return createHash("sha256").update(JSON.stringify(sources)).digest("base64url").slice(0, 12);
}

/** A reader that forgets what other rules made it believe: the screen is then read as at first sight. */
function ruledBy(rules: string, memory: unknown, open: (memory: unknown) => SignalReader): SignalReader {
  const reader = open(partsOf(memory).rules === rules ? memory : undefined);
  return { ...reader, memory: () => ({ ...partsOf(reader.memory?.()), rules }) };
}

type PaneMeans = Pick<Required<TmuxMeans>, "proc"> & { readonly screens: Screens; readonly rules: string };

/** A tmux pane with a reader for its screen; both remember together. */
function paneSignal(
  settings: TmuxSettings,
  memory: unknown,
  { screens, proc, rules }: PaneMeans,
): SignalReader & { readonly wroteAt: () => Instant | undefined } {
  const kept = partsOf(memory);
  const screen = screenFacts({ signal: "tmux", screens }, kept.rules === rules ? kept.screen : undefined);
  const pane = tmuxSignal(settings, kept.pane, {
    proc,
    read: (frame, look) => screen.read(frame, look.fresh, look.abort),
  });
  let wroteAt: Instant | undefined;
  return {
    ...pane,
    signal: "tmux",
    async look(look) {
      const facts = await pane.look(look);
      wroteAt = facts.findLast(({ kind }) => kind === "activity")?.at ?? wroteAt;
      return facts;
    },
    memory: () => ({ pane: pane.memory?.(), screen: screen.memory(), rules }),
    wroteAt: () => wroteAt,
  };
}

/** Without the keys that are there but say nothing. */
function given<T extends object>(settings: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
