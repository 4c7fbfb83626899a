import { Hono } from "hono";
import { parseDuration } from "../core/duration.ts";
import { isOpen } from "../core/incident/incident.ts";
import type { Store } from "../ports/store.ts";
import { keptDelivery } from "../watch/desk.ts";
import type { Watcher } from "../watch/watcher.ts";
import { pageOf, problem } from "./respond.ts";
import { showDelivery, showIncident, showSilence } from "./show.ts";

/** Incidents, deliveries and silences: what happens about the roll. */
export function incidentRoutes(api: {
  readonly watcher: Watcher;
  readonly store: Store;
  readonly now: () => number;
  readonly newId: () => string;
}): Hono {
  const app = new Hono();
  const { watcher, store } = api;

  app.get("/incidents", async (c) => {
    const about = c.req.query("agent");
    const open = c.req.query("open") === "true";
    const page = { ...pageOf(c), ...(about === undefined ? {} : { about }) };
    // Those that are over are kept at hand for a while: only the open ones are asked for here.
    const found = await store.kept("incident", { ...page, ...(open ? { open } : {}) });
    const shown = open ? found.filter(({ body }) => isOpen(body)) : found;
    return c.json({ incidents: shown.map(({ body }) => showIncident(body)) });
  });

  app.get("/incidents/:id", async (c) => {
    const id = c.req.param("id");
    const found = await store.one("incident", id);
    if (found === undefined) return problem(c, "no-such-incident", `there is no incident "${id}"`);
    const told = await store.kept("delivery", { limit: 1000 });
    const deliveries = told.filter(({ body }) => body.incident === id).map(({ body }) => showDelivery(body));
    return c.json({ incident: showIncident(found.body), deliveries });
  });

  app.post("/incidents/:id/:wish{acknowledge|resolve}", async (c) => {
    const { id, wish } = c.req.param();
    const { by } = (await c.req.json().catch(() => ({}))) as { by?: unknown };
    const name = typeof by === "string" && by !== "" ? by : "somebody";
    await watcher.wish({ wish: wish === "acknowledge" ? "acknowledge" : "resolve", id, by: name });
    return c.body(null, 204);
  });

  app.get("/deliveries", async (c) => {
    const to = c.req.query("to");
    const open = c.req.query("open") === "true";
    const page = { ...pageOf(c), ...(to === undefined ? {} : { about: to }), ...(open ? { open } : {}) };
    return c.json({ deliveries: (await store.kept("delivery", page)).map(({ body }) => showDelivery(body)) });
  });

  app.post("/deliveries/:key/retry", async (c) => {
    const key = c.req.param("key");
    const found = await store.one("delivery", key);
    if (found === undefined) return problem(c, "no-such-delivery", `there is no delivery "${key}"`);
    if (found.body.state === "sent") return problem(c, "already-sent", `"${key}" was sent`);
    const { problem: _, endedAt: __, ...rest } = found.body;
    const now = api.now();
    await watcher.keep([
      keptDelivery({ ...rest, state: "pending", createdAt: now, dueAt: now, attempts: 0 }),
    ]);
    return c.body(null, 204);
  });

  app.get("/silences", (c) => c.json({ silences: [...watcher.desk.silences].map(showSilence) }));

  app.post("/silences", async (c) => {
    const asked = (await c.req.json().catch(() => ({}))) as Record<string, unknown>;
    const { agents, why = "", by = "somebody" } = asked;
    const length = typeof asked.for === "string" ? parseDuration(asked.for) : undefined;
    if (typeof agents !== "string" || agents === "") {
      return problem(c, "bad-silence", 'agents: expected an agent or a pattern such as "build-*"');
    }
    if (length === undefined) return problem(c, "bad-silence", "for: expected a duration such as 2h");
    if (typeof why !== "string" || typeof by !== "string") {
      return problem(c, "bad-silence", "why and by: expected text");
    }
    const from = api.now();
    const silence = { id: api.newId(), agents, from, until: from + length, why, by };
    await watcher.wish({ wish: "silence", silence });
    return c.json({ silence: showSilence(silence) }, 201);
  });

  app.delete("/silences/:id", async (c) => {
    await watcher.wish({ wish: "end-silence", id: c.req.param("id") });
    return c.body(null, 204);
  });

  return app;
}
