import * as z from "zod";
import type { Api } from "./api.ts";
import { cursorQuery, listed, next, pageQuery } from "./page.ts";
import { type ApiRoute, get, post } from "./route.ts";
import * as shapes from "./schemas.ts";

export function actionRoutes({ operations }: Api): readonly ApiRoute[] {
  return [
    get("/actions", "the scheduled actions with their next run and last result", {
      answer: z.strictObject({ actions: z.array(shapes.action) }),
      handle: async () => ({ actions: await operations.actions() }),
    }),
    get("/actions/{name}/next", "the moments at which an action runs next", {
      query: pageQuery,
      answer: z.strictObject({ next: z.array(z.iso.datetime()) }),
      problems: ["no-such-action"],
      handle: async ({ params, query }) => ({
        next: await operations.nextRuns(params.name ?? "", Math.min(query.limit, 1000)),
      }),
    }),
    get("/actions/{name}/runs", "the runs of an action, and why it did not run, newest first", {
      query: cursorQuery,
      answer: z.strictObject({ runs: z.array(shapes.run), next }),
      problems: ["no-such-action"],
      handle: async ({ params, query, url }) =>
        listed(url, "runs", await operations.runs(params.name ?? "", query)),
    }),
    post("/actions/{name}/run", "runs an action now; answered when it has ended", {
      answer: z.strictObject({ run: shapes.run }),
      problems: ["no-such-action"],
      handle: async ({ params }) => ({ run: await operations.runAction(params.name ?? "") }),
    }),
    ...(["enable", "disable"] as const).map((wish) =>
      post(`/actions/{name}/${wish}`, wish === "enable" ? "enables an action" : "disables an action", {
        problems: ["no-such-action"],
        handle: ({ params }) => operations.enableAction(params.name ?? "", wish === "enable"),
      }),
    ),
  ];
}
