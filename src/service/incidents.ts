import { keyPrefixOf } from "../core/delivery/delivery.ts";
import { parseDuration } from "../core/duration.ts";
import { isOpen } from "../core/incident/incident.ts";
import type { KeptPage } from "../ports/store.ts";
import { showDelivery, showIncident, showSilence, showWithMessages } from "../views/show.ts";
import { keptDelivery } from "../watch/incident-desk.ts";
import { OperationError } from "./operation-error.ts";
import type { IncidentFilter, Operations } from "./operations.ts";
import type { LocalParts } from "./parts.ts";
import { keptPage } from "./read-page.ts";

/** So many messages are shown with an incident: one that stays open for years is reminded of each day. */
const MESSAGES = 1000;

/** Incidents, silences and deliveries. */
export function incidentOperations({ store, desk, watcher, now, newId }: LocalParts) {
  return {
    incidents: (filter, wanted) =>
      keptPage(wanted, (page) => store.kept("incident", { ...page, ...chosen(filter) }), showIncident),
    async incidentCounts() {
      const open = [...(await desk()).incidents].filter(isOpen);
      const spokenFor = open.filter(({ spokenForBy }) => spokenForBy !== undefined);
      return { open: open.length, spokenFor: spokenFor.length };
    },
    async incident(id) {
      const incident = (await store.one("incident", id))?.body;
      if (incident === undefined)
        throw new OperationError("no-such-incident", `there is no incident "${id}"`);
      const messages = await store.kept("delivery", { limit: MESSAGES, idPrefix: keyPrefixOf(incident) });
      // The id of another incident may begin with this one's.
      const about = messages.flatMap(({ body }) => (body.incident === id ? [body] : []));
      return showWithMessages(incident, about);
    },
    acknowledge: async (id, by) => (await watcher()).wish({ wish: "acknowledge", id, by }),
    resolve: async (id, by) => (await watcher()).wish({ wish: "resolve", id, by }),

    silences: async () => [...(await desk()).silences].map(showSilence),
    async addSilence({ agents, for: length, why, by }) {
      const from = now();
      const millis = parseDuration(length);
      if (millis === undefined)
        throw new OperationError("bad-silence", "for: expected a duration such as 2h");
      const silence = { id: newId(), agents, from, until: from + millis, why, by };
      await (await watcher()).wish({ wish: "silence", silence });
      return showSilence(silence);
    },
    endSilence: async (id) => (await watcher()).wish({ wish: "end-silence", id }),

    deliveries({ to, open }, wanted) {
      const only = { ...(to === undefined ? {} : { about: to }), ...(open === true ? { open } : {}) };
      return keptPage(wanted, (page) => store.kept("delivery", { ...page, ...only }), showDelivery);
    },
    async retryDelivery(key) {
      const found = await store.one("delivery", key);
      if (found === undefined) throw new OperationError("no-such-delivery", `there is no delivery "${key}"`);
      if (found.body.state === "sent") throw new OperationError("already-sent", `"${key}" was sent`);
      const { problem: _, endedAt: __, ...rest } = found.body;
      const at = now();
      const again = { ...rest, state: "pending", createdAt: at, dueAt: at, attempts: 0 } as const;
      await (await watcher()).keep([keptDelivery(again)]);
    },
  } satisfies Partial<Operations>;
}

/** The filter for the store, so that it chooses before it pages. Incidents that are over stay open there for a day. */
function chosen({ about, which, kind, grouped }: IncidentFilter): Omit<KeptPage, "limit"> {
  return {
    ...(about === undefined ? {} : { about }),
    ...(which === "open" ? { open: true } : {}),
    where: {
      ...(which === undefined ? {} : { resolved: which === "open" ? null : true }),
      ...(kind === undefined ? {} : { kind }),
      ...(grouped === true ? { spokenForBy: null } : {}),
    },
  };
}
