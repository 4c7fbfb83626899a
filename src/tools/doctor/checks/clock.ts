import { type Instant, iso, MINUTE, sayDuration } from "../../../core/duration.ts";
import { hasStore } from "../../../home/home.ts";
import { withStore } from "../../../home/store.ts";
import { StoreError, type WatchMark } from "../../../ports/store.ts";
import { rollOffline } from "../../../service/offline-roll.ts";
import { bootId } from "../../../system/proc.ts";
import type { RollView } from "../../../watch/view.ts";
import { type Check, type CheckContext, type CheckFinding, fail, note, ok, warn } from "../check.ts";

/** A stamp further ahead than this is not believed, here as in every verdict. */
const BELIEVED_AHEAD = MINUTE;
/** Before this no clock can be right: a machine without a battery starts in 1970. */
const EARLIEST = Date.UTC(2025, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

const SET_THE_CLOCK = "Check that the clock is right and synchronised: timedatectl";

export const clockCheck: Check = {
  name: "clock",
  looksAt:
    "the clock's year, timestamps in the future, and whether the clock was changed since the watcher last wrote",
  worst: "error",
  async run(context) {
    const now = context.now();
    if (now < EARLIEST || now > LATEST)
      return [fail(`the clock says ${iso(now)}, which cannot be right`, SET_THE_CLOCK)];
    try {
      const mark = await markIn(context);
      const agents = await rollOffline(context.home, context.config);
      const found = [...aheadOf(now, agents, context.host.name), ...wasSet(mark, now, context)];
      return found.length > 0 ? found : [ok("the clock agrees with the last timestamps")];
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return [note("the clock cannot be checked while the database cannot be read")];
    }
  },
};

/** The watcher's own sign of life, if it ever left one. */
async function markIn({ home }: CheckContext): Promise<WatchMark | undefined> {
  if (!hasStore(home)) return undefined;
  return withStore(home, async (store) => (await store.load()).mark);
}

/** The newest beat, if it is from the future: this machine's clock went back, or the sender's is wrong. */
function aheadOf(now: Instant, agents: readonly RollView[], host: string): readonly CheckFinding[] {
  const beats = agents.flatMap((agent) =>
    agent.lastBeatAt === null ? [] : [{ ...agent, at: Date.parse(agent.lastBeatAt) }],
  );
  const [newest] = beats.toSorted((a, b) => b.at - a.at);
  if (newest === undefined || newest.at <= now + BELIEVED_AHEAD) return [];
  const ahead = `the last beat, of ${newest.id}, is ${sayDuration(newest.at - now)} in the future (${iso(newest.at)})`;
  const elsewhere = newest.host !== null && newest.host !== host;
  return [
    elsewhere
      ? warn(`${ahead}: the clock of ${newest.host} or of this machine is wrong`, SET_THE_CLOCK)
      : fail(`${ahead}: the clock was set back, or was wrong then`, SET_THE_CLOCK),
  ];
}

/** Within one boot the wall clock and the machine's uptime must have gone on by the same. */
function wasSet(mark: WatchMark | undefined, now: Instant, context: CheckContext): readonly CheckFinding[] {
  if (mark === undefined) return [];
  if (mark.at > now + BELIEVED_AHEAD) {
    const says = `the watcher last wrote ${sayDuration(mark.at - now)} in the future (${iso(mark.at)}): the clock was set back`;
    return [fail(says, SET_THE_CLOCK)];
  }
  if (bootId() !== mark.bootId) return [];
  const forward = now - mark.at - (context.uptime() - mark.uptime);
  if (Math.abs(forward) <= BELIEVED_AHEAD) return [];
  const way = forward > 0 ? "forward" : "back";
  const says = `the clock was set ${way} by ${sayDuration(Math.abs(forward))} since the watcher last wrote (${iso(mark.at)})`;
  return [warn(says, SET_THE_CLOCK)];
}
