import type { BeatInput } from "./beat-record.ts";
import { givenCycle, nextCycle, noteCycle } from "./cycle-number.ts";
import { AgentError, type AgentErrorCode } from "./error.ts";

/** A running cycle, as the function that does its work sees it. */
export interface Cycle {
  readonly number: number;
  /** Says what is being done now; it is sent at once and repeated until the next one. */
  action(text: string): void;
}

/** What a cycle needs to know of its agent. */
interface CycleOwner {
  readonly id: string;
  readonly home: string;
  readonly every: number;
  beat(input: Omit<BeatInput, "agent">): void;
}

/** Home and agent → its cycles in this process: the running one, and the number of the last one. */
const cycles = new Map<string, { running: number | undefined; last: number | undefined }>();

/** The number of the agent's running cycle: one of this process, or the one in which the process was woken. */
export function runningCycle(owner: { readonly id: string; readonly home: string }): number | undefined {
  const own = cycles.get(keyOf(owner));
  return own === undefined ? givenCycle(owner.id) : own.running;
}

/**
 * Runs one cycle: begun → beats at least every `every` → ended with status ok, or with error if the work
 * throws. The beats are for the watcher's sake: a full disk or a missing home costs a beat and a warning, never the work.
 */
export async function runCycle<T>(owner: CycleOwner, work: (cycle: Cycle) => T | Promise<T>): Promise<T> {
  const own = cycles.get(keyOf(owner)) ?? { running: undefined, last: undefined };
  if (own.running !== undefined)
    throw new AgentError(
      "cycle-running",
      `cycle: ${owner.id} is still in its cycle ${own.running}; await it before you begin the next one`,
    );
  const number = nextCycle(owner.id, owner.home, own.last);
  cycles.set(keyOf(owner), { running: number, last: number });

  let action: string | undefined;
  const send = (input: Omit<BeatInput, "agent">) => harmless(() => owner.beat({ cycle: number, ...input }));
  const timer = setInterval(() => send({ action }), owner.every);
  timer.unref();
  try {
    harmless(() => {
      // First, because it refuses a home that was mistyped, which the note would create.
      owner.beat({ cycle: number, cycleEvent: "begun" });
      noteCycle(owner.id, owner.home, number);
    });
    const result = await work({
      number,
      action: (text) => {
        send({ action: text });
        action = text;
      },
    });
    send({ cycleEvent: "ended", action });
    return result;
  } catch (error) {
    send({ cycleEvent: "ended", action, status: "error", message: sayError(error) });
    throw error;
  } finally {
    clearInterval(timer);
    cycles.set(keyOf(owner), { running: undefined, last: number });
  }
}

function keyOf(owner: { readonly id: string; readonly home: string }): string {
  return `${owner.id} ${owner.home}`;
}

const HARMLESS: readonly AgentErrorCode[] = ["no-home", "unwritable"];

function harmless(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!(error instanceof AgentError) || !HARMLESS.includes(error.code)) throw error;
    process.emitWarning(error.message, { type: "RollcallWarning", code: error.code });
  }
}

function sayError(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
