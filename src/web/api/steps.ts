import * as z from "zod";
import type { Api } from "./api.ts";
import { cursorQuery, listed, next } from "./page.ts";
import { type ApiRoute, route } from "./route.ts";
import * as shapes from "./schemas.ts";

/** What is done about an agent: the steps that were taken, and those that a person may ask for. */
export function stepRoutes({ operations }: Api): readonly ApiRoute[] {
  return [
    route({
      method: "GET",
      path: "/api/v1/agents/{id}/recoveries",
      summary: "the steps that were taken to bring an agent back, newest first, and what comes next",
      need: "read",
      query: cursorQuery,
      answer: z.strictObject({
        recoveries: z.array(shapes.recovery),
        nextStep: shapes.nextStep.nullable(),
        next,
      }),
      problems: ["no-such-agent"],
      handle: async ({ params, query, url }) => {
        const id = params.id ?? "";
        const page = await operations.history("recoveries", id, query);
        return listed(url, "recoveries", page, { nextStep: await operations.nextStep(id) });
      },
    }),
    ...(["nudge", "restart", "wake"] as const).map((what) =>
      route({
        method: "POST",
        path: `/api/v1/agents/{id}/${what}`,
        summary: `takes the ${what} step that the config declares for an agent, now`,
        need: "admin",
        answer: z.strictObject({ note: z.string() }),
        problems: ["no-such-agent", "step-refused"],
        handle: async ({ params }) => ({ note: await operations.takeStep(params.id ?? "", what) }),
      }),
    ),
  ];
}
