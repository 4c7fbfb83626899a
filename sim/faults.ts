import { HOUR, MINUTE, type Millis, SECOND } from "../src/core/duration.ts";
import type { Chance } from "./chance.ts";
import type { DiskState } from "./disk.ts";

/** Where the process dies: at once, or around the next commit or attempt. */
export interface CrashPoint {
  readonly where: "now" | "commit" | "outbox" | "send";
  readonly moment: "before" | "after";
}

/** Everything that a seed can do to the world. */
export interface Victim {
  crash(point: CrashPoint, down: Millis, reboot: boolean): void;
  restart(down: Millis): void;
  hold(length: Millis, asleep: boolean): void;
  step(by: Millis): void;
  disk(state: DiskState, length: Millis): void;
  channelDown(length: Millis): void;
  /** Many agents at once lose their network, or die; then they are back. */
  mass(group: string, share: number, kind: "cut" | "dead", length: Millis): void;
  operator(): void;
  /** Somebody edits the config, and reloads it or restarts the watcher. */
  reconfigure(restarts: boolean): void;
}

/** How long the last part of a seed is left in peace, so that everything owed can be seen to be paid. */
export function peaceOf(stretch: number): Millis {
  return stretch * 40 * MINUTE;
}

/** Draws what happens in a seed, and when. */
export function plan(
  chance: Chance,
  stretch: number,
  length: Millis,
  after: (at: Millis, call: () => void) => void,
  victim: Victim,
): void {
  const some = (count: number, call: () => void) => {
    for (let n = 0; n < count; n++) after(chance.between(5 * MINUTE, length - peaceOf(stretch)), call);
  };
  some(chance.between(0, 3), () =>
    victim.crash(crashPoint(chance), downFor(chance, stretch), chance.hit(0.2)),
  );
  some(chance.between(0, 1), () => victim.restart(chance.between(SECOND, 5 * MINUTE)));
  some(chance.between(0, 1), () => victim.hold(holdFor(chance, stretch), chance.hit(0.4)));
  some(chance.between(0, 1), () => victim.step(stepBy(chance)));
  some(chance.between(0, 1), () =>
    victim.disk(chance.one(["failing", "failing", "slow", "hanging"]), chance.between(MINUTE, 40 * MINUTE)),
  );
  some(chance.between(1, 3), () => victim.channelDown(chance.between(MINUTE, 40 * MINUTE)));
  some(chance.between(0, 2), () =>
    victim.mass(
      chance.one(["web", "web", "batch"]),
      0.5 + chance.next() / 2,
      chance.one(["cut", "dead"]),
      stretch * chance.between(5 * MINUTE, 3 * HOUR),
    ),
  );
  some(chance.between(1, 5), () => victim.operator());
}

/** How often the watcher is killed and back within a minute, one time after the other, in a seed in which it is. */
const KILLS = 14;

/** Whether the watcher of a seed is killed again and again. */
export function isUnsteady(seed: number): boolean {
  return seed % 10 === 3;
}

/** What happens besides, drawn apart, so that what is drawn above stays what it was. */
export function planRestarts(
  chance: Chance,
  { seed, stretch, length }: { readonly seed: number; readonly stretch: number; readonly length: Millis },
  after: (at: Millis, call: () => void) => void,
  victim: Victim,
): void {
  const last = length - peaceOf(stretch);
  for (let n = chance.between(0, 3); n > 0; n--)
    after(chance.between(5 * MINUTE, last), () => victim.reconfigure(chance.hit(0.7)));
  if (!isUnsteady(seed)) return;
  const every = stretch * chance.between(8 * MINUTE, 13 * MINUTE);
  const first = chance.between(5 * MINUTE, last - KILLS * every);
  for (let n = 0; n < KILLS; n++)
    after(first + n * every, () =>
      victim.crash({ where: "now", moment: "after" }, chance.between(SECOND, 50 * SECOND), false),
    );
}

function crashPoint(chance: Chance): CrashPoint {
  return {
    where: chance.one(["now", "commit", "outbox", "outbox", "send", "send"]),
    moment: chance.one(["before", "after"]),
  };
}

function downFor(chance: Chance, stretch: number): Millis {
  return chance.hit(0.4) ? chance.between(SECOND, MINUTE) : stretch * chance.between(MINUTE, 70 * MINUTE);
}

function holdFor(chance: Chance, stretch: number): Millis {
  if (chance.hit(0.3)) return chance.between(2 * SECOND, 2 * MINUTE);
  return stretch * chance.between(2 * MINUTE, 60 * MINUTE);
}

function stepBy(chance: Chance): Millis {
  const size = chance.hit(0.3)
    ? chance.between(4 * SECOND, 70 * SECOND)
    : chance.between(70 * SECOND, 2 * HOUR);
  return chance.hit(0.5) ? size : -size;
}
