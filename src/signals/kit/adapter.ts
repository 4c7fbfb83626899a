import type * as z from "zod";
import type { Adapter } from "../../ports/adapter.ts";
import type { SignalReader } from "../../ports/signal.ts";
import type { Proc } from "../../system/proc.ts";
import type { Screens } from "../screens/screens.ts";
import { partsOf } from "./look-once.ts";
import type { Probe } from "./probe.ts";

export interface SignalDeps {
  readonly agent: string;
  /** What this signal remembered before the last restart. */
  readonly memory: unknown;
  /** Where `rollcall run` keeps the journal of the agent's cycles. */
  readonly journal: string;
  /** Draws and reads the screens of the whole fleet. */
  readonly screens: Screens;
  /** Equal as long as the same rules read the screens. */
  readonly rules: string;
  readonly proc: Proc;
  /** Asks the machine about the programs of the whole fleet. */
  readonly probe: Probe;
  /** The agent's signals that stand before this one in the registry. */
  readonly before: readonly SignalReader[];
}

/** One kind of signal. */
export interface SignalAdapter<Kind extends string, Settings extends z.ZodType>
  extends Adapter<Kind, Settings, SignalDeps, SignalReader> {
  /** Settings that name a file, a folder or a socket: who adds an agent over the network may name only some paths. */
  readonly paths: readonly string[];
}

/** A reader that forgets what other rules made it believe: the screen is then read as at first sight. */
export function ruledBy(
  { rules, memory }: SignalDeps,
  open: (memory: unknown) => SignalReader,
): SignalReader {
  const reader = open(partsOf(memory).rules === rules ? memory : undefined);
  return { ...reader, memory: () => ({ ...partsOf(reader.memory?.()), rules }) };
}

export const FOLDER_FORM = "a folder such as ~/logs/{agent}; its newest file counts";
