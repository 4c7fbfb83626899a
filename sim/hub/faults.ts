import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../../src/core/duration.ts";
import type { Chance } from "../chance.ts";
import type { CrashPoint, Machine } from "./machine.ts";
import type { SimHost } from "./sim-host.ts";
import type { Way, WayState } from "./way.ts";

/** How long a seed lives, and how long its end is left in peace. */
export const LENGTH: Millis = 120 * MINUTE;
const PEACE: Millis = 25 * MINUTE;

export interface Victims {
  readonly hosts: readonly SimHost[];
  readonly hub: Machine;
  after(at: Millis, call: () => void): void;
  /** The way to a host is like that for a while. */
  disturb(way: Way, state: WayState, length: Millis): void;
  command(host: SimHost): void;
  /** The hub's disk is replaced by a copy that is so old. */
  restore(age: Millis): void;
}

/** Draws what happens in a seed, and when. */
export function plan(chance: Chance, victims: Victims): void {
  const { hosts, hub } = victims;
  const some = (least: number, most: number, call: () => void) => {
    for (let n = chance.between(least, most); n > 0; n--)
      victims.after(chance.between(2 * MINUTE, LENGTH - PEACE - 10 * MINUTE), call);
  };
  for (const host of hosts) {
    const { machine, parts, agents } = host;
    some(1, 4, () =>
      victims.disturb(
        parts.way,
        chance.one(["cut", "cut", "one-way", "half-open", "slow"]),
        chance.hit(0.5) ? chance.between(5 * SECOND, 2 * MINUTE) : chance.between(2 * MINUTE, 25 * MINUTE),
      ),
    );
    some(0, 3, () => machine.crash(crashPoint(chance), downFor(chance), chance.hit(0.2)));
    some(0, 1, () => host.restart(chance.between(SECOND, MINUTE)));
    some(0, 1, () =>
      machine.diskFails(chance.one(["failing", "slow", "hanging"]), chance.between(MINUTE, 8 * MINUTE)),
    );
    if (chance.hit(0.4)) some(1, 2, () => machine.step(stepBy(chance, DAY)));
    if (parts.kind === "laptop") some(1, 3, () => machine.sleep(chance.between(20 * SECOND, 20 * MINUTE)));
    some(0, 1, () => agents.remove());
    some(2, 6, () => victims.command(host));
    if (parts.kind === "ephemeral" && chance.hit(0.5)) some(1, 1, () => machine.leave());
  }
  some(1, 4, () => hub.crash(crashPoint(chance), downFor(chance), chance.hit(0.2)));
  some(0, 1, () =>
    hub.diskFails(chance.one(["failing", "slow", "hanging"]), chance.between(MINUTE, 8 * MINUTE)),
  );
  if (chance.hit(0.4)) some(1, 2, () => hub.step(stepBy(chance, 2 * HOUR)));
  if (chance.hit(0.4)) some(1, 1, () => victims.restore(chance.between(MINUTE, 40 * MINUTE)));
  // The hub's own network fails: everybody is cut off at once.
  some(0, 1, () => {
    const length = chance.between(2 * MINUTE, 12 * MINUTE);
    for (const { parts } of hosts) victims.disturb(parts.way, "cut", length);
  });
}

function crashPoint(chance: Chance): CrashPoint {
  return {
    where: chance.one(["now", "commit", "flip", "flip", "flip", "batch", "deed", "deed"]),
    moment: chance.one(["before", "after"]),
  };
}

function downFor(chance: Chance): Millis {
  return chance.hit(0.6) ? chance.between(SECOND, 20 * SECOND) : chance.between(20 * SECOND, 15 * MINUTE);
}

function stepBy(chance: Chance, most: Millis): Millis {
  const size = chance.hit(0.3) ? chance.between(4 * SECOND, 70 * SECOND) : chance.between(70 * SECOND, most);
  return chance.hit(0.5) ? size : -size;
}
