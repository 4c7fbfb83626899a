import type { Delivery } from "../core/delivery/delivery.ts";
import { parseDuration } from "../core/duration.ts";
import { isOpen } from "../core/incident/incident.ts";
import { cursorOf, type IncidentQuery } from "../ports/repositories.ts";
import { showIncident, showOutbox, showSilence, showWithMessages } from "../views/show.ts";
import { askAbout } from "./hosts.ts";
import { OperationError } from "./operation-error.ts";
import type { IncidentFilter, Operations } from "./operations.ts";
import type { LocalParts } from "./parts.ts";
import { cursorPage } from "./read-page.ts";

/** So many messages are shown with an incident: one that stays open for years is reminded of each day. */
const MESSAGES = 1000;

/** Incidents, silences and deliveries. */
export function incidentOperations(parts: LocalParts) {
  const { store, desk, watcher, now, newId } = parts;
  const mustTell = (what: string) => {
    const hub = parts.reportsTo?.();
    if (hub !== undefined)
      throw new OperationError(
        "told-by-hub",
        `the hub ${hub.url} sends the alerts of this host, so ${what} there; this host is called "${hub.host}" on it`,
      );
  };
  const heldNow = async () => {
    const known = await desk();
    return (delivery: Delivery) => known.held(delivery, now());
  };
  return {
    incidents: (filter, wanted) =>
      cursorPage(wanted, cursorOf.incident, showIncident, (page) =>
        store.incidents.page({ ...page, ...chosen(filter) }),
      ),
    async incidentCounts() {
      const open = [...(await desk()).incidents].filter(isOpen);
      const spokenFor = open.filter(({ spokenForBy }) => spokenForBy !== undefined);
      return { open: open.length, spokenFor: spokenFor.length };
    },
    async incident(id) {
      const incident = await store.incidents.one(id);
      if (incident === undefined)
        throw new OperationError("no-such-incident", `there is no incident "${id}"`);
      const messages = await store.deliveries.page({ limit: MESSAGES, incident: id });
      return showWithMessages(incident, messages, await heldNow());
    },
    async acknowledge(id, by) {
      mustTell("acknowledge the incident");
      await (await watcher()).command({ kind: "acknowledge", id, by });
    },
    async resolve(id, by) {
      // Whoever judges an agent says when its trouble is over.
      const host = (await store.incidents.one(id))?.host;
      if (host === undefined) await (await watcher()).command({ kind: "resolve", id, by });
      else await askAbout(parts, host, id, "resolve", by);
    },

    silences: async () => [...(await desk()).silences].map(showSilence),
    async addSilence({ agents, group, for: length, why, by }) {
      mustTell("mute them");
      const from = now();
      const millis = parseDuration(length);
      if (millis === undefined)
        throw new OperationError("bad-silence", "for: expected a duration such as 2h");
      const only = group === undefined ? {} : { group };
      const silence = { id: newId(), agents, ...only, from, until: from + millis, why, by };
      await (await watcher()).command({ kind: "silence", silence });
      return showSilence(silence);
    },
    endSilence: async (id) => (await watcher()).command({ kind: "end-silence", id }),

    async deliveries({ to, open }, wanted) {
      const state = open === true ? "under-way" : undefined;
      const heldOf = await heldNow();
      const show = (delivery: Delivery) => showOutbox(delivery, heldOf(delivery));
      return cursorPage(wanted, cursorOf.delivery, show, (page) =>
        store.deliveries.page({ ...page, to, state }),
      );
    },
    async retryDelivery(key) {
      const found = await store.deliveries.one(key);
      if (found === undefined) throw new OperationError("no-such-delivery", `there is no delivery "${key}"`);
      if (found.state === "sent")
        throw new OperationError("already-sent", `delivery "${key}" was already sent`);
      const { problem: _, endedAt: __, ...rest } = found;
      const at = now();
      const again = { ...rest, state: "pending", createdAt: at, dueAt: at, attempts: 0 } as const;
      await (await watcher()).persist({ deliveries: [again] });
    },
  } satisfies Partial<Operations>;
}

function chosen({ about, which, ...same }: IncidentFilter): Omit<IncidentQuery, "limit"> {
  return { subject: about, state: which, ...same };
}
