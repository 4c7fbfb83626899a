import * as z from "zod";
import type { Api } from "./api.ts";
import { type ApiRoute, get } from "./route.ts";
import * as shapes from "./schemas.ts";

/** What the agents used. */
export function usageRoutes({ operations }: Api): readonly ApiRoute[] {
  const answer = z.strictObject({ usage: z.array(shapes.usage) });
  return [
    get("/usage", "tokens, cost, context, compactions and limits of all agents that tell of them", {
      answer,
      handle: async () => ({ usage: await operations.usage() }),
    }),
    get("/agents/{id}/usage", "the same of one agent", {
      answer,
      problems: ["no-such-agent"],
      handle: async ({ params }) => ({ usage: await operations.usage(params.id ?? "") }),
    }),
  ];
}
