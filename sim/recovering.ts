import { MINUTE, SECOND } from "../src/core/duration.ts";
import { DEFAULT_BACKOFF, DEFAULT_BUDGET, type Ladder } from "../src/core/recovery/ladder.ts";
import type { Acted, Recoverer } from "../src/ports/recovery.ts";
import type { Snapshot } from "../src/ports/store.ts";
import { Recoverers, type RecoverersOptions } from "../src/watch/recover.ts";
import { Rounds } from "../src/watch/rounds.ts";
import type { Watcher } from "../src/watch/watcher.ts";
import type { Chance } from "./chance.ts";
import type { Life } from "./life.ts";
import type { Panes } from "./panes.ts";
import type { RecoveryCheck } from "./recovery-check.ts";

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const RUNG = { budget: DEFAULT_BUDGET, backoff: DEFAULT_BACKOFF };
/** It asks for more than is ever allowed: whoever waits for people must not be touched whatever the config says. */
const LADDER: Ladder = [
  {
    ...RUNG,
    do: "restart",
    with: { by: "command", command: ["start-it"] },
    kill: true,
    when: { states: ["dead", "stalled", "failing", "waiting", "limited"] },
  },
  { ...RUNG, do: "escalate", to: [], when: { states: ["dead", "stalled"] } },
];

interface Parts {
  readonly life: Life;
  readonly watcher: Watcher;
  readonly panes: Panes;
  readonly check: RecoveryCheck;
  readonly chance: Chance;
  /** Asked when a step has been taken and its end is not yet known: true if the process dies here. */
  readonly dies: () => boolean;
}

/** Looks into the panes, once a minute. */
export function roundsOf({ life, watcher, panes }: Parts): Rounds {
  const rounds = new Rounds({
    clock: life.clock,
    interval: MINUTE,
    open: ({ id }) => panes.readerOf(id),
    notice: (found) => watcher.notice(found),
    blindUntil: () => watcher.trust.blind.at(-1)?.to ?? 0,
  });
  rounds.watch(panes.declared);
  return rounds;
}

/** The real recoverers of one life of the process, as the daemon makes them, whose steps are simulated. */
export function recoverersOf(
  parts: Parts,
  rounds: Rounds,
  snapshot: Snapshot,
  mutate: (options: RecoverersOptions) => RecoverersOptions,
): Recoverers {
  const { life, watcher, panes, check } = parts;
  const recoverer = recovererOf(parts);
  const ids = new Set(panes.declared.map(({ id }) => id));
  const options: RecoverersOptions = {
    clock: life.clock,
    log: SILENT,
    persist: (parts) => watcher.persist(parts),
    command: (command) => watcher.command(command),
    incidents: () => watcher.desk.incidents,
    place: (id) => watcher.reader.place(id),
    verdict: (place) => watcher.reader.verdict(place),
    lookAgain: (id) => {
      check.looked(id, panes.moodOf(id), life.clock.uptime());
      return rounds.look(id);
    },
    ladder: (id) => (ids.has(id) ? LADDER : []),
    telling: () => watcher.telling,
    open: () => recoverer,
  };
  const recoverers = new Recoverers(mutate(options), snapshot);
  watcher.onCommitted((changes) => recoverers.note(changes));
  return recoverers;
}

/** Starts an agent again, or fails to, or says that it did. */
function recovererOf({ life, panes, check, chance, dies }: Parts): Recoverer {
  const act = ({ agent }: Parameters<Recoverer["act"]>[0], abort: AbortSignal): Promise<Acted> =>
    new Promise((done) => {
      if (life.isOver) return;
      check.acted(agent.id, life.clock.uptime());
      const fails = chance.hit(0.15);
      if (!fails) panes.restart(agent.id);
      if (dies()) return;
      abort.addEventListener("abort", () => done({ outcome: "failed", problem: "given up" }), { once: true });
      life.after(chance.between(100, 20 * SECOND), () =>
        done(fails ? { outcome: "failed", problem: "status 1" } : { outcome: "done", note: "started" }),
      );
    });
  return { act };
}
