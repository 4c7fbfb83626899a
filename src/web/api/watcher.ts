import * as z from "zod";
import { problem } from "../kit/problem.ts";
import type { Api } from "./api.ts";
import { bodyOf } from "./page.ts";
import { type ApiRoute, get, post } from "./route.ts";
import * as shapes from "./schemas.ts";

/** The watcher itself, and what the API is. */
export function watcherRoutes(api: Api, document: () => object): readonly ApiRoute[] {
  return [
    get("/watcher", "the watcher itself", {
      answer: shapes.watcher,
      handle: () => api.info(),
    }),
    post("/watcher/reload", "reloads the config file; with yes also if it removes most of the agents", {
      body: bodyOf({ yes: z.boolean({ error: "true or false" }).optional() }),
      answer: z.strictObject({ needsRestart: z.array(z.string()) }),
      problems: ["config-refused"],
      handle: async ({ body }) => {
        const reloaded = await api.reload(body.yes ?? false);
        if ("refused" in reloaded) throw problem("config-refused", reloaded.refused);
        return reloaded;
      },
    }),
    get("/config", "the settings in force, and where each came from; nothing secret", {
      answer: z.strictObject({
        file: z.string().nullable(),
        values: z.array(z.strictObject({ path: z.string(), value: z.unknown(), from: z.string() })),
      }),
      handle: async () => ({ file: api.info().configFile, values: await api.settings() }),
    }),
    get("/openapi.json", "this document", {
      answer: z.looseObject({ openapi: z.string() }),
      handle: () => document(),
    }),
  ];
}
