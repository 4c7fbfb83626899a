import type { Beat } from "../../core/beat.ts";
import type { Log } from "../../ports/log.ts";
import { systemClock } from "../../system/clock.ts";
import { uuidv7 } from "../../system/uuid.ts";
import type { Home } from "../home.ts";
import { Spool } from "./spool.ts";
import { Touched } from "./touched.ts";

export interface FilesTaken {
  readonly home: Home;
  readonly log: Log;
  readonly accept: (beats: readonly Beat[]) => Promise<void>;
  /** Whether an error means that these beats can never be accepted, rather than not now. */
  readonly isFinal: (error: unknown) => boolean;
}

/** Takes the beats that programs on this machine leave in the home as files: those that wait in the spool, and touched ones. */
export async function takeFiles({ home, log, accept, isFinal }: FilesTaken) {
  const now = systemClock.wall;
  const spool = new Spool({ folder: home.spool, accept, isFinal, now, newId: uuidv7, log });
  const touched = new Touched({ folder: home.beats, accept, isFinal, now, log });
  await spool.start();
  await touched.start();
  const stop = async (): Promise<void> => {
    touched.stop();
    await spool.stop();
  };
  return { spool, stop };
}
