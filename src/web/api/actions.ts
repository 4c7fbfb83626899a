import * as z from "zod";
import { sayUnknownAction } from "../../core/action/unknown.ts";
import { iso } from "../../core/duration.ts";
import { type CursorPage, cursorOf } from "../../ports/repositories.ts";
import { showRun } from "../../views/show.ts";
import { ProblemError } from "../kit/problem.ts";
import type { Api } from "./api.ts";
import { cursorQuery, listed, next, pagedByCursor, pageQuery } from "./page.ts";
import { type Route, route } from "./route.ts";
import * as shapes from "./schemas.ts";

/** Scheduled work of the daemon's own. */
export function actionRoutes({ store, actions }: Api): readonly Route[] {
  const names = () => actions.list().map(({ name }) => name);
  const known = (name = ""): string => {
    if (names().includes(name)) return name;
    throw new ProblemError("no-such-action", sayUnknownAction(name, names()));
  };
  return [
    route({
      method: "GET",
      path: "/api/v1/actions",
      summary: "the scheduled actions, when they run next and how they went last",
      need: "read",
      answer: z.strictObject({ actions: z.array(shapes.action) }),
      handle: () => ({ actions: actions.list() }),
    }),
    route({
      method: "GET",
      path: "/api/v1/actions/{name}/next",
      summary: "the moments at which an action runs next",
      need: "read",
      query: pageQuery,
      answer: z.strictObject({ next: z.array(z.iso.datetime()) }),
      problems: ["no-such-action"],
      handle: ({ params, query }) => ({
        next: actions.upcoming(known(params.name), Math.min(query.limit, 1000)).map(iso),
      }),
    }),
    route({
      method: "GET",
      path: "/api/v1/actions/{name}/runs",
      summary: "the runs of an action, and why it did not run, newest first",
      need: "read",
      query: cursorQuery,
      answer: z.strictObject({ runs: z.array(shapes.run), next }),
      problems: ["no-such-action"],
      handle: async ({ params, query, url }) => {
        const action = params.name ?? "";
        const list = (asked: CursorPage) => store.runs.page({ ...asked, action });
        const page = await pagedByCursor(url, query, list, cursorOf.run, showRun);
        // What is scheduled no more keeps its history.
        if (page.texts.length === 0) known(action);
        return listed("runs", page);
      },
    }),
    route({
      method: "POST",
      path: "/api/v1/actions/{name}/run",
      summary: "runs an action now; answered when it has ended",
      need: "admin",
      answer: z.strictObject({ run: shapes.run }),
      problems: ["no-such-action"],
      handle: async ({ params }) => ({ run: showRun(await actions.run(known(params.name))) }),
    }),
    ...(["enable", "disable"] as const).map((wish) =>
      route({
        method: "POST",
        path: `/api/v1/actions/{name}/${wish}`,
        summary: wish === "enable" ? "lets an action run again" : "keeps an action from running",
        need: "admin",
        problems: ["no-such-action"],
        handle: ({ params }) => actions.enable(known(params.name), wish === "enable"),
      }),
    ),
  ];
}
