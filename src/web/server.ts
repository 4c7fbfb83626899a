import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type Millis, SECOND } from "../core/duration.ts";
import type { Log } from "../ports/log.ts";
import { reachableAt } from "./access/exposure.ts";
import { type Caller, Gate, isRefusal, type Refusal } from "./access/gate.ts";
import { Guard } from "./access/guard.ts";
import { headsOf } from "./access/heads.ts";
import { Keys, keptAudit } from "./access/keys.ts";
import type { Api } from "./api/api.ts";
import { register } from "./api/register.ts";
import { routesOf } from "./api/routes.ts";
import { type BeatIntake, postBeats, simpleBeat } from "./beats.ts";
import { sendHealth, sendMetrics } from "./figures.ts";
import { listen, makeRoom, refuseBadRequest, stop, urlOf } from "./listen.ts";
import { Streams } from "./live/streams.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { PingIds } from "./pings/ids.ts";
import { Pings } from "./pings/pings.ts";
import { sendProblem } from "./problem.ts";
import { Static } from "./static.ts";

export interface WebServer {
  readonly url: string;
  /** Takes other names under which it may be asked. */
  configure(names: Pick<WebOptions, "hosts">): void;
  /** Takes no new requests and resolves when those under way are answered. */
  stop(): Promise<void>;
}

/** How long a sender may take, and how many may be connected. */
export interface WebLimits {
  readonly headers: Millis;
  readonly request: Millis;
  readonly connections: number;
}

const LIMITS: WebLimits = { headers: 10 * SECOND, request: 30 * SECOND, connections: 10_000 };

export interface WebOptions extends BeatIntake, Omit<Api, "keys" | "pingIds"> {
  readonly host: string;
  readonly port: number;
  /** Names besides loopback's under which it may be asked. */
  readonly hosts: readonly string[];
  /** The token in the home, and the secret that ping UUIDs are made with. */
  readonly token: string;
  readonly pingSecret: string;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Where the built dashboard is. */
  readonly pages: string;
  readonly limits?: WebLimits;
}

/** Listens, and sends beats, pings and streams down their own short ways and everything else to the API or the page. */
export async function serve(options: WebOptions): Promise<WebServer> {
  const { watcher, store, now, newId, metrics, log } = options;
  const kept = (
    await Promise.all([
      store.kept("token", { limit: Number.MAX_SAFE_INTEGER, open: true }),
      store.kept("session", { limit: Number.MAX_SAFE_INTEGER, open: true }),
    ])
  ).flat();
  const keys = new Keys(options.token, kept, (things) => watcher.keep(things));
  const reachable = reachableAt(options.host, keys.any);
  let guard = new Guard(options.hosts, reachable);
  const gate = new Gate(keys, now, reachable);
  const pingIds = new PingIds(options.pingSecret, () => [...watcher.places()].map(({ agent }) => agent.id));
  const api: Api = { ...options, keys, pingIds };
  const pings = await Pings.load({ ...api, gate });
  const streams = new Streams({
    life: newId().replaceAll("-", ""),
    show: (id) => {
      const place = watcher.place(id);
      return place === undefined ? undefined : watcher.view(place);
    },
    onCommitted: (listener) => watcher.onCommitted(listener),
  });
  const callers = new WeakMap<IncomingMessage, Caller>();
  const nobody: Caller = { standing: "nobody", name: "somebody", from: "" };
  const app = register({
    routes: routesOf(api, gate),
    gate,
    callerOf: (request) => callers.get(request) ?? nobody,
    audit: ({ name, from }, what) => watcher.keep([keptAudit({ at: now(), who: name, what, from }, newId())]),
    log: (error) => log.error({ problem: String(error) }, "a request failed"),
  });
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const pages = new Static(options.pages);
  const unsubscribe = watcher.onCommitted((changes) => {
    metrics.note(changes);
    const { agents = [], removed = [] } = changes;
    if (agents.length + removed.length > 0) pingIds.changed(removed);
  });

  /** Whether the caller may not: then it has been told so. */
  const refused = (response: ServerResponse, refusal: Refusal | undefined): boolean => {
    if (refusal === undefined) return false;
    sendProblem(response, refusal.code, refusal.detail, { retryAfter: refusal.retryAfter });
    return true;
  };

  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url ?? "/";
    // The address of a ping is its secret, so that neither names nor pages matter.
    if (url.startsWith("/ping/")) return pings.take(request, response);
    const heads = headsOf(request);
    const why = guard.refusal(heads);
    if (why !== undefined) return sendProblem(response, "not-allowed", why);
    const caller = gate.caller(request, heads);
    if (isRefusal(caller)) {
      refused(response, caller);
      return;
    }
    if (url === "/api/v1/beats" || url.startsWith("/beat/")) {
      if (refused(response, gate.refusal(caller, "beat"))) return;
      const unproven = caller.standing === "local";
      if (url === "/api/v1/beats") postBeats(options, request, response, caller.agent, unproven);
      else beatByAddress(options, request, response, caller.agent, unproven);
    } else if (isAt(url, "/api/v1/events")) {
      if (!refused(response, gate.refusal(caller, "read"))) streams.take(request, response);
    } else if (isAt(url, "/metrics")) {
      if (refused(response, gate.refusal(caller, "read"))) return;
      void sendMetrics({ ...options, streams: () => streams.size }, request, response);
    } else if (isAt(url, "/healthz")) sendHealth(watcher, request, response);
    else if (url.startsWith("/api/")) {
      callers.set(request, caller);
      void listener(request, response);
    } else pages.serve(request, response);
  };

  const limits = options.limits ?? LIMITS;
  const server = createServer(
    { maxHeaderSize: 16 * 1024, connectionsCheckingInterval: Math.min(5 * SECOND, limits.headers) },
    take,
  );
  server.headersTimeout = limits.headers;
  server.requestTimeout = limits.request;
  server.keepAliveTimeout = 65 * SECOND;
  server.maxConnections = limits.connections;
  server.maxHeadersCount = 100;
  makeRoom(server, limits.connections);
  server.on("clientError", refuseBadRequest);
  await listen(server, options);
  return {
    url: urlOf(server.address() as AddressInfo),
    configure: ({ hosts }) => {
      guard = new Guard(hosts, reachable);
    },
    stop: () => {
      unsubscribe();
      streams.stop();
      return stop(server);
    },
  };
}

function isAt(url: string, path: string): boolean {
  return url.startsWith(path) && (url.length === path.length || url[path.length] === "?");
}

function beatByAddress(
  intake: BeatIntake,
  request: IncomingMessage,
  response: ServerResponse,
  only: string | undefined,
  unproven: boolean,
): void {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  let agent: string;
  try {
    agent = decodeURIComponent(path.slice("/beat/".length));
  } catch {
    sendProblem(response, "bad-request", "the address holds a broken percent sign");
    return;
  }
  simpleBeat(intake, agent, new URLSearchParams(query), request, response, only, unproven);
}
