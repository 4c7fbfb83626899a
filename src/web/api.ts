import { createHash, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { Hono } from "hono";
import type { Agent } from "../core/agent.ts";
import { isAgentId } from "../core/agent.ts";
import { iso } from "../core/duration.ts";
import type { Store } from "../ports/store.ts";
import { RollError } from "../watch/draft.ts";
import type { Watcher } from "../watch/watcher.ts";
import { type ActionsApi, actionRoutes } from "./actions.ts";
import { incidentRoutes } from "./incidents.ts";
import { pageOf, problem } from "./respond.ts";
import { showBeat, showCycle, showFlip } from "./show.ts";
import { type TickGrid, tickRoutes } from "./ticks.ts";

/** What the API shows of the watcher itself. */
export interface WatcherInfo {
  readonly running: true;
  readonly pid: number;
  readonly host: string;
  readonly version: string;
  readonly startedAt: string;
  readonly url: string;
  readonly home: string;
  readonly configFile: string | null;
  readonly configLoadedAt: string;
  readonly lastCrash: object | null;
  /** Set while nothing can be stored. */
  readonly blindSince: string | null;
  /** Files in the spool that could not be read and lie aside. */
  readonly badSpoolFiles: number;
}

export interface Api {
  readonly watcher: Watcher;
  readonly store: Store;
  readonly info: () => WatcherInfo;
  readonly now: () => number;
  readonly newId: () => string;
  /** What a person would see of an agent: its screen, or the raw tail of its log; undefined if nothing shows it. */
  readonly peek: (id: string, how: "screen" | "raw") => Promise<string | undefined>;
  readonly actions: ActionsApi;
  readonly ticks: () => Promise<TickGrid>;
  /** What a request that changes something must bring. */
  readonly token: string;
  /** Makes an agent of what was asked for, or says what is wrong with it. */
  readonly readAgent: (value: unknown) => { agent: Agent } | { problem: string };
}

/** The API apart from the beat path. */
export function apiOf(api: Api): Hono {
  const app = new Hono();
  const { watcher, store } = api;

  app.get("/healthz", (c) => {
    const blind = watcher.blindSince;
    const body = {
      status: blind === undefined ? "ok" : "blind",
      blindSince: blind === undefined ? null : iso(blind),
    };
    return c.json(body, blind === undefined ? 200 : 503);
  });

  app.get("/api/v1/watcher", (c) => c.json(api.info()));

  app.get("/api/v1/agents", (c) => {
    const agents = [...watcher.places()].map((place) => watcher.view(place));
    return c.json({ watcher: api.info(), agents });
  });

  app.get("/api/v1/agents/:id", (c) => {
    const place = watcher.place(c.req.param("id"));
    if (place === undefined) return noSuchAgent(c);
    return c.json({ watcher: api.info(), agents: [watcher.view(place, true)] });
  });

  app.get("/api/v1/agents/:id/beats", async (c) => {
    const id = c.req.param("id");
    if (watcher.place(id) === undefined) return noSuchAgent(c);
    return c.json({ beats: (await store.beats(id, pageOf(c))).map(showBeat) });
  });

  app.get("/api/v1/agents/:id/flips", async (c) => {
    const id = c.req.param("id");
    if (watcher.place(id) === undefined) return noSuchAgent(c);
    return c.json({ flips: (await store.flips(id, pageOf(c))).map(showFlip) });
  });

  app.get("/api/v1/agents/:id/cycles", async (c) => {
    const id = c.req.param("id");
    if (watcher.place(id) === undefined) return noSuchAgent(c);
    return c.json({ cycles: (await store.cycles(id, pageOf(c))).map(showCycle) });
  });

  app.get("/api/v1/agents/:id/screen", async (c) => {
    const id = c.req.param("id");
    if (watcher.place(id) === undefined) return noSuchAgent(c);
    const shown = await api.peek(id, c.req.query("how") === "raw" ? "raw" : "screen");
    if (shown === undefined)
      return problem(c, "not-found", `"${id}" names no log and no tmux pane that could be shown`);
    return c.json({ screen: shown });
  });

  app.use("/api/v1/*", async (c, next) => {
    if (c.req.method === "GET" || c.req.method === "HEAD" || holdsToken(c, api.token)) return next();
    return problem(c, "needs-token", "send it as `Authorization: Bearer …`");
  });

  app.post("/api/v1/agents", async (c) => {
    const read = api.readAgent(await c.req.json().catch(() => undefined));
    if ("problem" in read) return problem(c, "bad-agent", read.problem);
    await watcher.add(read.agent);
    return c.body(null, 204);
  });

  app.delete("/api/v1/agents/:id", async (c) => {
    await watcher.remove(c.req.param("id"));
    return c.body(null, 204);
  });

  app.post("/api/v1/agents/:id/:wish{pause|resume}", async (c) => {
    const { id, wish } = c.req.param();
    await (wish === "pause" ? watcher.pause(id) : watcher.resume(id));
    return c.body(null, 204);
  });

  app.route("/api/v1", incidentRoutes(api));
  app.route("/api/v1", actionRoutes(api));
  app.route("/api/v1", tickRoutes(api));

  app.notFound((c) => problem(c, "not-found", `${c.req.method} ${c.req.path}`));
  app.onError((error, c) => {
    if (error instanceof RollError) return problem(c, error.code, error.message);
    return problem(c, "cannot-store", error.message);
  });
  return app;
}

function noSuchAgent(c: Context): Response {
  const id = c.req.param("id") ?? "";
  return problem(c, "no-such-agent", isAgentId(id) ? `there is no agent "${id}"` : "that is not an agent id");
}

function holdsToken(c: Context, token: string): boolean {
  const given = /^Bearer (.+)$/.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
