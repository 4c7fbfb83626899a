import type { Beat } from "../core/beat.ts";
import { Spool } from "../home/intake/spool.ts";
import { Touched } from "../home/intake/touched.ts";
import type { Intake } from "../hub/intake.ts";
import { systemClock } from "../system/clock.ts";
import { uuidv7 } from "../system/uuid.ts";
import type { Starting } from "./take-home.ts";

/**
 * Beats that programs on this machine leave in the home of a hub that stands by go to the owner through the inbox, as those
 * that come over HTTP do. Ends with what it returns. If the owner's own intake begins before that has ended, a file that both
 * take is recorded once, by its beat's id.
 */
export async function takeHomeForOwner(
  { home, log }: Pick<Starting, "home" | "log">,
  intake: Pick<Intake, "accept">,
): Promise<() => Promise<void>> {
  const accept = async (beats: readonly Beat[]): Promise<void> => {
    if ((await intake.accept(beats)) === undefined) throw new Error("the inbox takes nothing now");
  };
  const now = systemClock.wall;
  // A refusal is the owner's matter, which logs it.
  const spool = new Spool({ folder: home.spool, accept, isFinal: () => false, now, newId: uuidv7, log });
  const touched = new Touched({ folder: home.beats, accept, now, log });
  await spool.start();
  await touched.start();
  return async () => {
    touched.stop();
    await spool.stop();
  };
}
