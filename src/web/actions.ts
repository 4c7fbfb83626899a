import { Hono } from "hono";
import type { Run } from "../core/action/state.ts";
import { sayUnknownAction } from "../core/action/unknown.ts";
import type { Store } from "../ports/store.ts";
import { pageOf, problem } from "./respond.ts";
import { type ActionView, showRun } from "./show.ts";

/** What the API needs of the daemon's scheduled actions. */
export interface ActionsApi {
  list(): readonly ActionView[];
  upcoming(name: string, count: number): readonly number[];
  run(name: string): Promise<Run>;
  enable(name: string, enabled: boolean): Promise<void>;
}

export function actionRoutes(api: { readonly store: Store; readonly actions: ActionsApi }): Hono {
  const app = new Hono();
  const { store, actions } = api;
  const names = () => actions.list().map(({ name }) => name);
  const isKnown = (name: string) => names().includes(name);
  const unknown = (name: string) => sayUnknownAction(name, names());

  app.get("/actions", (c) => c.json({ actions: actions.list() }));

  app.get("/actions/:name/next", (c) => {
    const name = c.req.param("name");
    if (!isKnown(name)) return problem(c, "no-such-action", unknown(name));
    const { limit } = pageOf(c);
    const next = actions.upcoming(name, Math.min(limit, 1000)).map((at) => new Date(at).toISOString());
    return c.json({ next });
  });

  app.get("/actions/:name/runs", async (c) => {
    const name = c.req.param("name");
    const runs = await store.kept("run", { ...pageOf(c), about: name });
    // What is scheduled no more keeps its history.
    if (runs.length === 0 && !isKnown(name)) return problem(c, "no-such-action", unknown(name));
    return c.json({ runs: runs.map(({ body }) => showRun(body)) });
  });

  app.post("/actions/:name/run", async (c) => {
    const name = c.req.param("name");
    if (!isKnown(name)) return problem(c, "no-such-action", unknown(name));
    return c.json({ run: showRun(await actions.run(name)) });
  });

  app.post("/actions/:name/:wish{enable|disable}", async (c) => {
    const { name, wish } = c.req.param();
    if (!isKnown(name)) return problem(c, "no-such-action", unknown(name));
    await actions.enable(name, wish === "enable");
    return c.body(null, 204);
  });
  return app;
}
