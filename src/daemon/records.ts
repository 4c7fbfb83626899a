import { isOpen } from "../core/incident/incident.ts";
import type { Silence } from "../core/incident/policy.ts";
import { keptDelivery } from "../watch/desk.ts";
import {
  type DeliveryView,
  type IncidentView,
  type SilenceView,
  showDelivery,
  showIncident,
  showSilence,
} from "../web/show.ts";
import { change } from "./change.ts";
import { ask, runningWatcher } from "./client.ts";
import { withWatcher } from "./fleet.ts";
import { homeAt } from "./home.ts";
import { withStoreIfThere } from "./offline.ts";

export type { DeliveryView, IncidentView, SilenceView };

interface Where {
  readonly home?: string;
  readonly config?: string;
}

interface Filter {
  readonly limit: number;
  readonly about?: string;
  readonly open?: boolean;
}

// What is kept of incidents, deliveries and silences: from the watcher if one runs, else straight from the store.

export async function incidentsOf(where: Where, filter: Filter): Promise<readonly IncidentView[]> {
  const asked = await askWatcher<{ incidents: IncidentView[] }>(
    where,
    `/incidents?${query(filter, "agent")}`,
  );
  if (asked !== undefined) return asked.incidents;
  const read = await withStoreIfThere(homeAt(where.home), async (store) => {
    const found = await store.kept("incident", filter);
    return found
      .filter(({ body }) => filter.open !== true || isOpen(body))
      .map(({ body }) => showIncident(body));
  });
  return read ?? [];
}

export async function incidentOf(
  where: Where,
  id: string,
): Promise<{ incident: IncidentView; deliveries: readonly DeliveryView[] } | undefined> {
  const path = `/incidents/${encodeURIComponent(id)}`;
  const asked = await askWatcher<{ incident: IncidentView; deliveries: DeliveryView[] }>(where, path);
  if (asked !== undefined) return asked;
  return withStoreIfThere(homeAt(where.home), async (store) => {
    const found = await store.one("incident", id);
    if (found === undefined) return undefined;
    const told = await store.kept("delivery", { limit: 1000 });
    const deliveries = told.filter(({ body }) => body.incident === id).map(({ body }) => showDelivery(body));
    return { incident: showIncident(found.body), deliveries };
  });
}

export async function deliveriesOf(where: Where, filter: Filter): Promise<readonly DeliveryView[]> {
  const asked = await askWatcher<{ deliveries: DeliveryView[] }>(where, `/deliveries?${query(filter, "to")}`);
  if (asked !== undefined) return asked.deliveries;
  const read = await withStoreIfThere(homeAt(where.home), (store) => store.kept("delivery", filter));
  return (read ?? []).map(({ body }) => showDelivery(body));
}

export async function silencesOf(where: Where): Promise<readonly SilenceView[]> {
  const asked = await askWatcher<{ silences: SilenceView[] }>(where, "/silences");
  if (asked !== undefined) return asked.silences;
  const now = Date.now();
  const page = { limit: 1000, open: true };
  const read = await withStoreIfThere(homeAt(where.home), (store) => store.kept("silence", page));
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
        const found = await store.one("delivery", key);
        if (found === undefined || found.body.state === "sent") return false;
        const { problem: _, endedAt: __, ...rest } = found.body;
        const now = Date.now();
        await watcher.keep([
          keptDelivery({ ...rest, state: "pending", createdAt: now, dueAt: now, attempts: 0 }),
        ]);
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
