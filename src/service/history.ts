import { type Cycle, endedBy } from "../core/cycle/cycle.ts";
import type { Gone } from "../core/liveness/observation.ts";
import { cursorOf, type StoredRecord } from "../ports/repositories.ts";
import { showBeat, showCycle, showFlip, showNextStep, showPing, showRecovery } from "../views/show.ts";
import type { Histories, Operations } from "./operations.ts";
import type { ListPage, WantedPage } from "./page.ts";
import type { LocalParts } from "./parts.ts";
import { cursorPage, historyPage } from "./read-page.ts";

type Lists = { readonly [K in keyof Histories]: (wanted: WantedPage) => Promise<ListPage<Histories[K]>> };

/** What is recorded of agents, and what comes next for one. */
export function historyOperations({ store, mustBeOnRoll, nextStep, roll }: LocalParts) {
  const listsOf = (agent: string): Lists => ({
    beats: (wanted) => historyPage(wanted, "receivedAt", showBeat, (page) => store.beats(agent, page)),
    flips: (wanted) => historyPage(wanted, "at", showFlip, (page) => store.flips(agent, page)),
    async cycles(wanted) {
      const seen = (await roll(agent)).place(agent)?.entry.observations ?? [];
      const gone = seen.find((fact): fact is Gone => fact.kind === "gone");
      const show = (cycle: Cycle) => showCycle(endedBy(cycle, gone));
      return historyPage(wanted, "beganAt", show, (page) => store.cycles(agent, page));
    },
    pings: (wanted) =>
      cursorPage(wanted, cursorOf.record, showPingRecord, (page) =>
        store.records.page("ping", { ...page, about: agent }),
      ),
    recoveries: (wanted) =>
      cursorPage(wanted, cursorOf.recovery, showRecovery, (page) =>
        store.recoveries.page({ ...page, agent }),
      ),
  });
  return {
    async history<K extends keyof Histories>(kind: K, agent: string, wanted: WantedPage) {
      mustBeOnRoll(agent);
      return listsOf(agent)[kind](wanted);
    },
    async nextStep(agent) {
      const host = (await roll(agent)).place(agent)?.agent.host;
      const why = `host ${host} decides that, by its own config`;
      const step = host === undefined ? nextStep(agent) : { step: undefined, why, at: undefined };
      return step === undefined ? null : showNextStep(step);
    },
  } satisfies Partial<Operations>;
}

function showPingRecord({ body }: StoredRecord<"ping">) {
  return showPing(body);
}
