import * as z from "zod";
import { ProblemError } from "../kit/problem.ts";
import type { Api } from "./api.ts";
import { type ApiRoute, route } from "./route.ts";
import * as shapes from "./schemas.ts";

/** The watcher itself, and what the API is. */
export function watcherRoutes(api: Api, document: () => object): readonly ApiRoute[] {
  return [
    route({
      method: "GET",
      path: "/api/v1/watcher",
      summary: "the watcher itself",
      need: "read",
      answer: shapes.watcher,
      handle: () => api.info(),
    }),
    route({
      method: "POST",
      path: "/api/v1/watcher/reload",
      summary: "reads the config file again; with yes also one that takes most of the agents away",
      need: "admin",
      body: z.object(
        { yes: z.boolean({ error: "true or false" }).optional() },
        { error: "expected an object" },
      ),
      answer: z.strictObject({ needsRestart: z.array(z.string()) }),
      problems: ["config-refused"],
      handle: async ({ body }) => {
        const reloaded = await api.reload(body.yes ?? false);
        if ("refused" in reloaded) throw new ProblemError("config-refused", reloaded.refused);
        return reloaded;
      },
    }),
    route({
      method: "GET",
      path: "/api/v1/config",
      summary: "the settings in force, and where each came from; nothing secret",
      need: "read",
      answer: z.strictObject({
        file: z.string().nullable(),
        values: z.array(z.strictObject({ path: z.string(), value: z.unknown(), from: z.string() })),
      }),
      handle: async () => ({ file: api.info().configFile, values: await api.settings() }),
    }),
    route({
      method: "GET",
      path: "/api/v1/openapi.json",
      summary: "this document",
      need: "read",
      answer: z.looseObject({ openapi: z.string() }),
      handle: () => document(),
    }),
  ];
}
