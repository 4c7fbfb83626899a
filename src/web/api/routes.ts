import type { Gate } from "../access/gate.ts";
import { accessRoutes } from "./access.ts";
import { actionRoutes } from "./actions.ts";
import { agentRoutes } from "./agents.ts";
import type { Api } from "./api.ts";
import { historyRoutes } from "./history.ts";
import { incidentRoutes } from "./incidents.ts";
import { openApi, type Plain } from "./openapi.ts";
import type { Route } from "./route.ts";
import { stepRoutes } from "./steps.ts";
import { tickRoutes } from "./ticks.ts";
import { watcherRoutes } from "./watcher.ts";

/** What the server answers without the table, for the document. */
export const PLAIN: readonly Plain[] = [
  {
    methods: ["POST"],
    path: "/api/v1/beats",
    summary: "one beat or a list of them, all or nothing; answered when they are on disk",
    need: "beat",
    answers: [204],
    problems: [
      "bad-beat",
      "bad-json",
      "too-large",
      "no-such-agent",
      "wrong-scope",
      "too-many-agents",
      "cannot-store",
    ],
  },
  {
    methods: ["GET", "HEAD", "POST"],
    path: "/beat/{agent}",
    summary: "one beat; its fields as query parameters, a POST's body is the message",
    need: "beat",
    answers: [200, "text/plain"],
    problems: [
      "bad-beat",
      "bad-request",
      "too-large",
      "no-such-agent",
      "wrong-scope",
      "too-many-agents",
      "cannot-store",
    ],
  },
  ...["/ping/{uuid}", "/ping/{uuid}/{what}", "/ping/{key}/{slug}/{what}"].map(
    (path): Plain => ({
      methods: ["GET", "HEAD", "POST"],
      path,
      summary: "a ping as clients of Healthchecks send it (docs/pings.md)",
      need: "secret address",
      answers: [200, "text/plain"],
    }),
  ),
  {
    methods: ["GET"],
    path: "/api/v1/events",
    summary: "changes as they are committed, as server-sent events",
    need: "read",
    answers: [200, "text/event-stream"],
    problems: ["needs-token", "wrong-scope", "too-many-streams"],
  },
  {
    methods: ["GET"],
    path: "/metrics",
    summary: "figures for Prometheus (docs/metrics.md)",
    need: "read",
    answers: [200, "text/plain"],
    problems: ["needs-token", "wrong-scope", "cannot-store"],
  },
  {
    methods: ["GET", "HEAD"],
    path: "/healthz",
    summary: "200 while the watcher can store, 503 while it cannot",
    need: "nothing",
    answers: [200, "application/json"],
  },
];

/** The whole API, in one table. */
export function routesOf(api: Api, gate: Gate): readonly Route[] {
  let document: object | undefined;
  const routes: readonly Route[] = [
    ...agentRoutes(api),
    ...historyRoutes(api),
    ...incidentRoutes(api),
    ...actionRoutes(api),
    ...stepRoutes(api),
    ...tickRoutes(api),
    ...accessRoutes(api, gate),
    ...watcherRoutes(api, () => {
      document ??= openApi(routes, PLAIN, api.info().version);
      return document;
    }),
  ];
  return routes;
}
