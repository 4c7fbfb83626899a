import * as z from "zod";
import type { Api } from "./api.ts";
import { cursorQuery, listed, next, pageQuery } from "./page.ts";
import { type ApiRoute, route } from "./route.ts";
import * as shapes from "./schemas.ts";

/** Scheduled work of the daemon's own. */
export function actionRoutes({ operations }: Api): readonly ApiRoute[] {
  return [
    route({
      method: "GET",
      path: "/api/v1/actions",
      summary: "the scheduled actions, when they run next and how they went last",
      need: "read",
      answer: z.strictObject({ actions: z.array(shapes.action) }),
      handle: async () => ({ actions: await operations.actions() }),
    }),
    route({
      method: "GET",
      path: "/api/v1/actions/{name}/next",
      summary: "the moments at which an action runs next",
      need: "read",
      query: pageQuery,
      answer: z.strictObject({ next: z.array(z.iso.datetime()) }),
      problems: ["no-such-action"],
      handle: async ({ params, query }) => ({
        next: await operations.nextRuns(params.name ?? "", Math.min(query.limit, 1000)),
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
      handle: async ({ params, query, url }) =>
        listed(url, "runs", await operations.runs(params.name ?? "", query)),
    }),
    route({
      method: "POST",
      path: "/api/v1/actions/{name}/run",
      summary: "runs an action now; answered when it has ended",
      need: "admin",
      answer: z.strictObject({ run: shapes.run }),
      problems: ["no-such-action"],
      handle: async ({ params }) => ({ run: await operations.runAction(params.name ?? "") }),
    }),
    ...(["enable", "disable"] as const).map((wish) =>
      route({
        method: "POST",
        path: `/api/v1/actions/{name}/${wish}`,
        summary: wish === "enable" ? "lets an action run again" : "keeps an action from running",
        need: "admin",
        problems: ["no-such-action"],
        handle: ({ params }) => operations.enableAction(params.name ?? "", wish === "enable"),
      }),
    ),
  ];
}
