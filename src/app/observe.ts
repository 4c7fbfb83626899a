import { isDeepStrictEqual } from "node:util";
import { journalPath } from "../agent/journal.ts";
import type { Config } from "../config/load.ts";
import type { Agent } from "../core/agent.ts";
import { crashedRuns } from "../features/crashed-runs.ts";
import { budgetWatch } from "../features/usage.ts";
import type { Home } from "../home/home.ts";
import { workSignals, workWithoutSignals } from "../home/intake/work-signal.ts";
import type { SignalReader } from "../ports/signal.ts";
import { type SignalsOf, signalOpener } from "../signals/registry.ts";
import { showAgent } from "../signals/run-log.ts";
import { systemClock } from "../system/clock.ts";
import { openProc } from "../system/proc.ts";
import { Rounds } from "../watch/rounds.ts";
import type { Watcher } from "../watch/watcher.ts";

/** The rounds over whoever is on the roll, with the signals that they name. */
export interface Observing {
  readonly rounds: Rounds;
  /** What a person would see of an agent, if there is anything. */
  peek(agent: string, how: "screen" | "raw"): Promise<string | undefined>;
  /** Resumes an agent; resolves when its state is known again. */
  resume(agent: string): Promise<void>;
  prepare(next: Config): () => void;
}

/** Not yet started. */
export function lookingAt(
  watcher: Watcher,
  home: Home,
  first: Config,
  hooks: (agent: string) => SignalReader,
): Observing {
  let packs = first.rulePacks;
  let signals = signalsIn(home, first, hooks);
  const works = workWithoutSignals(home.path, working(watcher));
  let config = first;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const budgets = budgetWatch(
    () => config,
    () => watcher.reader.places(),
    timeZone,
  );
  const crashes = crashedRuns(home.path, (agent) => watcher.reader.place(agent), openProc());
  const rounds = new Rounds({
    clock: systemClock,
    interval: first.livenessInterval,
    open: (agent) => signals.all(agent, watcher.reader.place(agent.id)?.entry.memories ?? {}),
    also: (now) => [
      ...works(now).flatMap(({ agent, facts }) => {
        const place = watcher.reader.place(agent);
        return place === undefined || place.agent.signals !== undefined
          ? []
          : [{ agent, facts, memories: {} }];
      }),
      ...budgets(now),
      ...crashes(now),
    ],
    notice: (found) => watcher.notice(found),
    blindUntil: () => watcher.trust.blind.at(-1)?.to ?? 0,
  });
  const lookAtAll = () =>
    rounds.watch(
      [...watcher.reader.places()].flatMap(({ agent }) => (agent.origin === "host" ? [] : [agent])),
    );
  lookAtAll();
  watcher.onCommitted(({ agents = [], removed = [] }) => {
    if (agents.length + removed.length > 0) lookAtAll();
  });
  return {
    rounds,
    peek: (agent, how) =>
      showAgent(rounds.readers(agent), how, { agent, home: home.path, open: signals.named }),
    async resume(agent) {
      // What was last known of it may be from before the pause.
      await rounds.look(agent);
      await watcher.resume(agent);
      // Nothing that was seen during the pause counts, so that without this its state is unknown until the next round.
      await rounds.look(agent);
    },
    prepare(next) {
      const opened = isDeepStrictEqual(next.rulePacks, packs) ? undefined : signalsIn(home, next, hooks);
      return () => {
        config = next;
        rounds.pace(next.livenessInterval);
        if (opened === undefined) return;
        packs = next.rulePacks;
        signals = opened;
        // Whoever has read by the old rules makes room for one who reads by the new ones.
        rounds.watch([]);
        lookAtAll();
      };
    },
  };
}

/** The agents whose last word about their work is that it is under way. */
function working(watcher: Watcher): readonly string[] {
  return [...watcher.reader.places()].flatMap(({ agent, entry }) =>
    entry.observations.some((fact) => fact.kind === "work" && fact.open) ? [agent.id] : [],
  );
}

interface Signals {
  /** The signals that an agent names. */
  readonly named: (whose: SignalsOf) => readonly SignalReader[];
  /** These, what is recorded as its work, and what its client says. */
  readonly all: (agent: Agent, memories: Readonly<Record<string, unknown>>) => readonly SignalReader[];
}

function signalsIn(home: Home, { rulePacks }: Config, hooks: (agent: string) => SignalReader): Signals {
  const named = signalOpener(Intl.DateTimeFormat().resolvedOptions().timeZone, rulePacks);
  const workOf = workSignals(home.path);
  const all: Signals["all"] = ({ id, signals = {} }, memories) => [
    ...named({ agent: id, settings: signals, memories, journal: journalPath(id, home.path) }),
    workOf(id),
    hooks(id),
  ];
  return { named, all };
}
