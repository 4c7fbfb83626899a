import type { Authenticator } from "../access/authenticator.ts";
import { accessRoutes } from "./access.ts";
import { actionRoutes } from "./actions.ts";
import { agentRoutes } from "./agents.ts";
import type { Api } from "./api.ts";
import { channelRoutes } from "./channels.ts";
import { historyRoutes } from "./history.ts";
import { hostRoutes } from "./hosts.ts";
import { incidentRoutes } from "./incidents.ts";
import { openApi } from "./openapi.ts";
import { PLAIN } from "./plain.ts";
import { rangeRoutes } from "./ranges.ts";
import type { ApiRoute } from "./route.ts";
import { usageRoutes } from "./usage.ts";
import { watcherRoutes } from "./watcher.ts";

/** The whole API, in one table. */
export function routesOf(api: Api, gate: Authenticator): readonly ApiRoute[] {
  let document: object | undefined;
  const routes: readonly ApiRoute[] = [
    ...agentRoutes(api),
    ...usageRoutes(api),
    ...historyRoutes(api),
    ...rangeRoutes(api),
    ...incidentRoutes(api),
    ...channelRoutes(api),
    ...actionRoutes(api),
    ...hostRoutes(api),
    ...accessRoutes(api, gate),
    ...watcherRoutes(api, () => {
      document ??= openApi(routes, Object.values(PLAIN), api.info().version);
      return document;
    }),
  ];
  return routes;
}
