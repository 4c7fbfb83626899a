import * as z from "zod";
import type { Api } from "./api.ts";
import { asJson, Listed } from "./listed.ts";
import { type ApiRoute, get } from "./route.ts";
import * as shapes from "./schemas.ts";

/** The monthly ticks. */
export function tickRoutes({ ticks }: Api): readonly ApiRoute[] {
  return [
    get("/ticks", "the ticks of all agents by month, newest month first", {
      answer: z.strictObject({ months: z.array(z.string()), agents: z.array(shapes.tickRow) }),
      handle: async () => {
        const { months, agents } = await ticks();
        return new Listed("agents", asJson(agents), { head: { months } });
      },
    }),
  ];
}
