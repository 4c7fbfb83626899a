import { cursorOf } from "../ports/repositories.ts";
import { showBeat, showCycle, showFlip, showNextStep, showPing, showRecovery } from "../views/show.ts";
import type { Histories, Operations } from "./operations.ts";
import type { ListPage, WantedPage } from "./page.ts";
import type { LocalParts } from "./parts.ts";
import { cursorPage, historyPage } from "./read-page.ts";

type Lists = { readonly [K in keyof Histories]: (wanted: WantedPage) => Promise<ListPage<Histories[K]>> };

/** What is recorded of agents, and what comes next for one. */
export function historyOperations({ store, mustBeOnRoll, nextStep }: LocalParts) {
  const listsOf = (agent: string): Lists => ({
    beats: (wanted) =>
      historyPage(
        wanted,
        (page) => store.beats(agent, page),
        (beat) => beat.receivedAt,
        showBeat,
      ),
    flips: (wanted) =>
      historyPage(
        wanted,
        (page) => store.flips(agent, page),
        (flip) => flip.at,
        showFlip,
      ),
    cycles: (wanted) =>
      historyPage(
        wanted,
        (page) => store.cycles(agent, page),
        (cycle) => cycle.beganAt,
        showCycle,
      ),
    pings: (wanted) =>
      cursorPage(
        wanted,
        (page) => store.records.page("ping", { ...page, about: agent }),
        cursorOf.record,
        ({ body }) => showPing(body),
      ),
    recoveries: (wanted) =>
      cursorPage(
        wanted,
        (page) => store.recoveries.page({ ...page, agent }),
        cursorOf.recovery,
        showRecovery,
      ),
  });
  return {
    async history<K extends keyof Histories>(kind: K, agent: string, wanted: WantedPage) {
      mustBeOnRoll(agent);
      return listsOf(agent)[kind](wanted);
    },
    async nextStep(agent) {
      const step = nextStep(agent);
      return step === undefined ? null : showNextStep(step);
    },
  } satisfies Partial<Operations>;
}
