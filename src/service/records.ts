import type { Silence } from "../core/incident/policy.ts";
import { homeAt } from "../home/home.ts";
import { runningWatcher } from "../home/running-watcher.ts";
import {
  type DeliveryView,
  type FailingView,
  type IncidentView,
  type SilenceView,
  showDelivery,
  showIncident,
  showSilence,
  showWithMessages,
  type ToldView,
} from "../views/show.ts";
import { change } from "./change.ts";
import { ask, askList } from "./client.ts";
import { withWatcher } from "./fleet.ts";
import { countOpen, type IncidentCounts, type IncidentFilter, messagesAbout } from "./incident-lists.ts";
import { withStoreIfThere } from "./offline.ts";

export type { DeliveryView, FailingView, IncidentView, SilenceView, ToldView };

export type IncidentWithMessages = ReturnType<typeof showWithMessages>;

interface Where {
  readonly home?: string;
  readonly config?: string;
}

const MOST_OPEN = Number.MAX_SAFE_INTEGER;

interface Filter {
  readonly limit: number;
  readonly about?: string;
  readonly open?: boolean;
}

// What is kept of incidents, deliveries and silences: from the watcher if one runs, else straight from the store.

export interface Incidents {
  readonly incidents: readonly IncidentView[];
  readonly counts: IncidentCounts;
}

export async function incidentsOf(
  where: Where,
  filter: IncidentFilter & { readonly limit: number },
): Promise<Incidents> {
  const url = urlOf(where);
  if (url !== undefined) {
    const path = `/api/v1/incidents?${incidentQuery(filter)}`;
    return askList<Incidents>(homeAt(where.home), url, path, "incidents", filter.limit);
  }
  const read = await withStoreIfThere(homeAt(where.home), async (store) => {
    const { about: subject, which: state, ...only } = filter;
    const found = await store.incidents.page({ ...only, subject, state });
    const open = await store.incidents.page({ state: "open", limit: MOST_OPEN });
    return { incidents: found.map(showIncident), counts: countOpen(open) };
  });
  return read ?? { incidents: [], counts: { open: 0, spokenFor: 0 } };
}

function incidentQuery({
  limit,
  about,
  which,
  kind,
  grouped,
}: IncidentFilter & { readonly limit: number }): string {
  const asked = new URLSearchParams({ limit: String(limit) });
  if (about !== undefined) asked.set("agent", about);
  if (which !== undefined) asked.set(which, "true");
  if (kind !== undefined) asked.set("kind", kind);
  if (grouped === true) asked.set("grouped", "true");
  return asked.toString();
}

export async function incidentOf(where: Where, id: string): Promise<IncidentWithMessages | undefined> {
  const path = `/incidents/${encodeURIComponent(id)}`;
  const asked = await askWatcher<IncidentWithMessages>(where, path);
  if (asked !== undefined) return asked;
  return withStoreIfThere(homeAt(where.home), async (store) => {
    const found = await store.incidents.one(id);
    if (found === undefined) return undefined;
    return showWithMessages(found, await messagesAbout(store, found));
  });
}

export async function deliveriesOf(where: Where, filter: Filter): Promise<readonly DeliveryView[]> {
  const url = urlOf(where);
  if (url !== undefined) {
    const path = `/api/v1/deliveries?${query(filter, "to")}`;
    type Asked = { readonly deliveries: readonly DeliveryView[] };
    return (await askList<Asked>(homeAt(where.home), url, path, "deliveries", filter.limit)).deliveries;
  }
  const { limit, about: to, open } = filter;
  const page = { limit, to, state: open === true ? ("under-way" as const) : undefined };
  const read = await withStoreIfThere(homeAt(where.home), (store) => store.deliveries.page(page));
  return (read ?? []).map(showDelivery);
}

export async function silencesOf(where: Where): Promise<readonly SilenceView[]> {
  const asked = await askWatcher<{ silences: SilenceView[] }>(where, "/silences");
  if (asked !== undefined) return asked.silences;
  const now = Date.now();
  const page = { limit: 1000, current: true };
  const read = await withStoreIfThere(homeAt(where.home), (store) => store.records.page("silence", page));
  return (read ?? []).flatMap(({ body }) => (body.until > now ? [showSilence(body)] : []));
}

export async function settleIncident(
  where: Where,
  wish: "acknowledge" | "resolve",
  id: string,
  by: string,
): Promise<void> {
  const home = homeAt(where.home);
  await change<unknown>(home, {
    ask: (url) => ask(home, url, "POST", `/api/v1/incidents/${encodeURIComponent(id)}/${wish}`, { by }),
    write: (writer) => withWatcher(where, writer, (watcher) => watcher.wish({ wish, id, by })),
  });
}

export async function addSilence(
  where: Where,
  silence: Omit<Silence, "from" | "until"> & { readonly for: string; readonly length: number },
): Promise<SilenceView> {
  const { id, agents, why, by } = silence;
  const home = homeAt(where.home);
  return change(home, {
    ask: async (url) => {
      const body = { agents, why, by, for: silence.for };
      const made = await ask(home, url, "POST", "/api/v1/silences", body);
      return (made as { silence: SilenceView }).silence;
    },
    write: async (writer) => {
      const from = Date.now();
      const made = { id, agents, why, by, from, until: from + silence.length };
      await withWatcher(where, writer, (watcher) => watcher.wish({ wish: "silence", silence: made }));
      return showSilence(made);
    },
  });
}

export async function endSilence(where: Where, id: string): Promise<void> {
  const home = homeAt(where.home);
  await change<unknown>(home, {
    ask: (url) => ask(home, url, "DELETE", `/api/v1/silences/${encodeURIComponent(id)}`),
    write: (writer) => withWatcher(where, writer, (watcher) => watcher.wish({ wish: "end-silence", id })),
  });
}

/** Puts a delivery that was refused or given up back into the line. False if there is none. */
export async function retryDelivery(where: Where, key: string): Promise<boolean> {
  const home = homeAt(where.home);
  return change(home, {
    ask: async (url) => {
      await ask(home, url, "POST", `/api/v1/deliveries/${encodeURIComponent(key)}/retry`);
      return true;
    },
    write: (writer) =>
      withWatcher(where, writer, async (watcher, store) => {
        const found = await store.deliveries.one(key);
        if (found === undefined || found.state === "sent") return false;
        const { problem: _, endedAt: __, ...rest } = found;
        const now = Date.now();
        const again = { ...rest, state: "pending" as const, createdAt: now, dueAt: now, attempts: 0 };
        await watcher.persist({ deliveries: [again] });
        return true;
      }),
  });
}

function urlOf(where: Where): string | undefined {
  return runningWatcher(homeAt(where.home))?.url;
}

async function askWatcher<T>(where: Where, path: string): Promise<T | undefined> {
  const url = urlOf(where);
  if (url === undefined) return undefined;
  return (await ask(homeAt(where.home), url, "GET", `/api/v1${path}`)) as T;
}

function query({ limit, about, open }: Filter, name: string): string {
  const asked = new URLSearchParams({ limit: String(limit) });
  if (about !== undefined) asked.set(name, about);
  if (open === true) asked.set("open", "true");
  return asked.toString();
}
