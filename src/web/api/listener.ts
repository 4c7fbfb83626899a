import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Api } from "./api.ts";
import { type Registry, register } from "./register.ts";
import { routesOf } from "./routes.ts";

export type ApiListener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** What answers requests to the API. */
export function apiListener(api: Api, registry: Omit<Registry, "routes">): ApiListener {
  const app = register({ ...registry, routes: routesOf(api, registry.gate) });
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}
