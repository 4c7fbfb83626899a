import * as z from "zod";
import type { Api } from "./api.ts";
import { cursorQuery, listed, next } from "./page.ts";
import { type ApiRoute, get, post } from "./route.ts";
import * as shapes from "./schemas.ts";

/** What is done about an agent: the steps that were taken, and those that a person may ask for. */
export function stepRoutes({ operations }: Api): readonly ApiRoute[] {
  return [
    get("/agents/{id}/recoveries", "the recovery steps of an agent, newest first, and the next step", {
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
      post(`/agents/{id}/${what}`, `takes the ${what} step that the config declares for an agent, now`, {
        answer: z.strictObject({ note: z.string() }),
        problems: ["no-such-agent", "step-refused"],
        handle: async ({ params }) => ({ note: await operations.takeStep(params.id ?? "", what) }),
      }),
    ),
  ];
}
