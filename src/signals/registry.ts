import type { Observation } from "../core/liveness/observation.ts";
import type { SignalReader } from "../ports/signal.ts";
import { httpSignal } from "./http/index.ts";
import { logSignal } from "./log/log.ts";
import { StillLogs } from "./log/still.ts";
import { loadPacks } from "./packs.ts";
import { openProc } from "./proc.ts";
import { processSignal } from "./process/index.ts";
import { screenFacts } from "./screen-facts.ts";
import { signalSettings } from "./settings.ts";
import { systemdSignal } from "./systemd/index.ts";
import { type TmuxMeans, tmuxSignal } from "./tmux/index.ts";
import type { TmuxSettings } from "./tmux/settings.ts";
import { transcriptSignal } from "./transcript/transcript.ts";

/** Whose signals, and what they remembered before the last restart, by signal. */
export interface Opening {
  readonly agent: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly memories: Readonly<Record<string, unknown>>;
  /** Where `rollcall run` keeps the journal of its cycles. */
  readonly journal: string;
}

/** Opens signals. One of these serves a whole fleet: rule packs and the list of processes are shared. */
export function signalOpener(zone: string): (opening: Opening) => readonly SignalReader[] {
  const packs = loadPacks();
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
    if (tmux !== undefined) readers.push(paneSignal(tmux, memories.tmux, { packs, zone, proc }));
    if (log !== undefined)
      readers.push(logSignal({ ...given(log), keys, packs, zone, stills }, memories.log));
    if (transcript !== undefined) {
      readers.push(transcriptSignal({ ...given(transcript), keys }, memories.transcript));
    }
    if (http !== undefined) readers.push(httpSignal(http, memories.http));
    return readers;
  };
}

/** A tmux pane with a reader for its screen; both remember together. */
function paneSignal(
  settings: TmuxSettings,
  memory: unknown,
  {
    packs,
    zone,
    proc,
  }: Omit<Parameters<typeof screenFacts>[0], "signal"> & Pick<Required<TmuxMeans>, "proc">,
): SignalReader {
  const kept = (typeof memory === "object" && memory !== null ? memory : {}) as {
    pane?: unknown;
    screen?: unknown;
  };
  const screen = screenFacts({ signal: "tmux", packs, zone }, kept.screen);
  const pane = tmuxSignal(settings, kept.pane, {
    proc,
    read: (frame, look): readonly Observation[] => screen.read(frame, look.fresh),
  });
  return {
    ...pane,
    signal: "tmux",
    look: (look) => pane.look(look),
    memory: () => ({ pane: pane.memory?.(), screen: screen.memory() }),
    show: (how) => pane.show?.(how) ?? Promise.resolve(""),
    close: () => pane.close(),
  };
}

/** Without the keys that are there but say nothing. */
function given<T extends object>(settings: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
