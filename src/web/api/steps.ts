import * as z from "zod";
import { cursorOf } from "../../ports/repositories.ts";
import { showNextStep, showRecovery } from "../../views/show.ts";
import { ProblemError } from "../kit/problem.ts";
import { placeOf } from "./agents.ts";
import type { Api } from "./api.ts";
import { cursorQuery, listed, next, pagedByCursor } from "./page.ts";
import { type Route, route } from "./route.ts";
import * as shapes from "./schemas.ts";

/** What is done about an agent: the steps that were taken, and those that a person may ask for. */
export function stepRoutes(api: Api): readonly Route[] {
  const { store } = api;
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
        const agent = placeOf(api, params.id).agent.id;
        const page = await pagedByCursor(
          url,
          query,
          (asked) => store.recoveries.page({ ...asked, agent }),
          cursorOf.recovery,
          showRecovery,
        );
        const nextStep = api.nextStep(agent);
        return listed("recoveries", page, {
          nextStep: nextStep === undefined ? null : showNextStep(nextStep),
        });
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
        handle: async ({ params }) => {
          const acted = await api.takeStep(placeOf(api, params.id).agent.id, what);
          if (acted.outcome === "done") return { note: acted.note };
          throw new ProblemError("step-refused", acted.outcome === "failed" ? acted.problem : acted.why);
        },
      }),
    ),
  ];
}
