import type { Config } from "../config/load.ts";
import { Actions } from "../features/actions/actions.ts";
import { OwnBeat } from "../features/own-beat/own-beat.ts";
import { policyOf } from "../features/policy.ts";
import type { IncidentResponse } from "../features/telling/incident-response.ts";
import { systemClock } from "../system/clock.ts";
import { lookingAt } from "./observe.ts";
import { openHooks } from "./open-hooks.ts";
import type { Watching } from "./open-watcher.ts";
import { prunes } from "./pruning.ts";
import { recoverersOf } from "./recoverers.ts";
import type { Starting } from "./take-home.ts";

export type Parts = Awaited<ReturnType<typeof openParts>>;

/** Opens what works on the watcher. What is due begins when the watcher watches. */
export async function openParts(
  { home, first, closers, step, pidFile, log, crashes }: Starting,
  { watcher, store, recoveries }: Watching,
  response: IncidentResponse,
  /** The config in force. */
  config: () => Config,
) {
  const fleet = {
    prepare(next: Config) {
      const policy = response.routed(policyOf(next, systemClock.wall()));
      return () => watcher.configure(policy);
    },
  };
  const hooks = openHooks(watcher, config, log, (agent) => observing.rounds.look(agent));
  closers.add(() => hooks.stop());
  const observing = lookingAt(watcher, home, first, (agent) => hooks.desk.reader(agent));
  closers.add(() => observing.rounds.stop());
  await response.begin({
    ...{ watcher, store, home: home.path },
    peek: observing.peek,
    asked: (agent, change) => recovering.asked(agent, change),
  });
  closers.add(() => response.stop());
  const ownBeat = new OwnBeat({
    config: first,
    incarnation: pidFile.record.incarnation,
    accept: (beats) => watcher.accept(beats),
    trouble: () =>
      crashes.isLooping(Date.now())
        ? `${crashes.recent(Date.now())} crashes within 10 minutes`
        : response.problem,
    broken: () => response.broken(watcher),
    log,
  });
  closers.add(() => ownBeat.stop());
  const { rounds } = observing;
  const recovering = recoverersOf({ home, config, watcher, rounds, log, recoveries });
  closers.add(() => recovering.recoverers.stop());
  const actions = await Actions.start(first, { watcher, store, log, home: home.path });
  closers.add(() => actions.stop());
  const retention = () => config().retention;
  const pruning = prunes({ store, clock: systemClock, watcher, retention });
  closers.add(pruning.stop);
  step("watching");
  return {
    fleet,
    response,
    observing,
    hooks: hooks.desk,
    ownBeat,
    pruning: { prepare: () => pruning.prune },
    recovering,
    actions,
  };
}
