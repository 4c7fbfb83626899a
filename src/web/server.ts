import type { IncomingMessage, ServerResponse } from "node:http";
import { reachableAt } from "../core/access/exposure.ts";
import { auditRecord } from "../service/access/token-store.ts";
import { type AccessRefusal, Authenticator, type Caller, isRefusal } from "./access/authenticator.ts";
import { headsOf } from "./access/heads.ts";
import { OriginCheck } from "./access/origin-check.ts";
import type { TakeBeats } from "./access/raw-beats.ts";
import { SIGN_IN, signInByCode, signInUrl } from "./access/sign-in.ts";
import type { Api } from "./api/api.ts";
import type { ApiListener } from "./api/listener.ts";
import { PLAIN } from "./api/plain.ts";
import { sendBadge } from "./badge.ts";
import { type BeatIntake, postBeats, simpleBeat, takeBody } from "./beats.ts";
import { type Door, type DoorOptions, openDoor } from "./door.ts";
import { sendHealth, sendMetrics } from "./health.ts";
import { postHook, type TakeHook } from "./hooks.ts";
import { type HubService, hubWire } from "./hub/wire.ts";
import { sendProblem, sendStoreFailed } from "./kit/problem.ts";
import { missedSince } from "./live/missed.ts";
import { Streams } from "./live/streams.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { type PingOptions, Pings } from "./pings/pings.ts";
import { Static } from "./static.ts";

export interface WebServer {
  readonly url: string;
  /** Makes an address that signs one browser in as the home's owner, once, within a minute. */
  signInUrl(): string;
  /** Other names under which it may be asked, and whether beats need a token. The answer puts them in force. */
  prepare(settings: Pick<WebOptions, "names" | "access">): () => void;
  /** Takes no new requests and resolves when those under way are answered. */
  stop(): Promise<void>;
}

export interface WebOptions extends BeatIntake, Api, DoorOptions {
  /** Where it listens already; without one it opens its own, and closes it when it stops. */
  readonly door?: Door | undefined;
  /** Names besides loopback's under which it may be asked. */
  readonly names: readonly string[];
  /** Whether this machine may send beats without a token; it may unless told otherwise. */
  readonly access?: { readonly unprovenBeats: boolean; readonly badges?: readonly string[] };
  /** Makes an agent of what a ping names. */
  readonly readAgent: PingOptions["readAgent"];
  readonly metrics: Metrics;
  /** Takes what the clients of coding agents say; without it nothing is taken. */
  readonly takeHook?: TakeHook;
  /** Set on a hub. */
  readonly hub?: HubService;
  readonly pages: string;
}

/** Listens, and sends beats, pings and streams down their own short ways and everything else to the API or the page. */
export async function serve(options: WebOptions): Promise<WebServer> {
  const { watcher, keys, pingIds, now, newId, metrics, log } = options;
  const reachable = reachableAt(
    options.host,
    keys.any || (options.hub !== undefined && options.tls !== undefined),
  );
  let badges = options.access?.badges ?? [];
  let guard = new OriginCheck(options.names, reachable);
  const gate = new Authenticator(keys, now, reachable);
  if (options.access !== undefined) gate.configure(options.access);
  const pings = await Pings.load({ ...options, gate });
  const show = (id: string) => {
    const place = watcher.reader.place(id);
    return place === undefined ? undefined : watcher.reader.view(place);
  };
  const streams = new Streams({
    show,
    number: () => watcher.number,
    missed: (since) => missedSince(options.store, since, show, watcher.unwritten),
    onCommitted: (listener) => watcher.onCommitted(listener),
  });
  const callers = new WeakMap<IncomingMessage, Caller>();
  const nobody: Caller = { standing: "nobody", name: "somebody", from: "" };
  let api: Promise<ApiListener> | undefined;
  /** The API is loaded when it is asked for the first time: a watcher that nobody asks starts sooner, and needs less memory. */
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    api ??= import("./api/listener.ts").then(({ apiListener }) =>
      apiListener(options, {
        gate,
        callerOf: (asked) => callers.get(asked) ?? nobody,
        audit: ({ name, from }, what) =>
          watcher.persist({ records: [auditRecord({ at: now(), who: name, what, from }, newId())] }),
        log: (error) => log.error({ problem: String(error) }, "a request failed"),
      }),
    );
    await (await api)(request, response);
  };
  const pages = new Static(options.pages);
  const unsubscribe = watcher.onCommitted((changes) => {
    metrics.note(changes);
    const { agents = [], removed = [] } = changes;
    if (agents.length + removed.length > 0) pingIds.changed(removed);
  });

  /** Whether the caller may not: then it has been told so. */
  const refused = (response: ServerResponse, refusal: AccessRefusal | undefined): boolean => {
    if (refusal === undefined) return false;
    sendProblem(response, refusal.code, refusal.detail, { retryAfter: refusal.retryAfter });
    return true;
  };

  const wire = options.hub === undefined ? undefined : hubWire(options.hub, gate);
  const byHost = (
    asked: "join" | "facts" | "commands" | "owner",
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
  ): void => {
    if (wire === undefined)
      return sendProblem(response, "not-found", "this is not a hub; start one with `rollcall up --hub`");
    wire[asked](request, response, caller).catch((error: unknown) => {
      log.error({ problem: String(error) }, "a host's request failed");
      if (!response.headersSent) sendStoreFailed(response, error);
    });
  };

  const hosts = async () => (options.hub === undefined ? [] : options.operations.hosts());

  /** Each way past the table of routes; what it needs stands in `PLAIN`. */
  const ways: Record<Way, (request: IncomingMessage, response: ServerResponse, caller: Caller) => void> = {
    beats: (request, response, { agent, standing }) =>
      postBeats(options, request, response, agent, standing === "local"),
    beat: (request, response, { agent, standing }) =>
      beatByAddress(options, request, response, agent, standing === "local"),
    hook: (request, response) => postHook(options.takeHook ?? (async () => {}), request, response),
    events: (request, response) => streams.take(request, response),
    metrics: (_, response) => void sendMetrics({ ...options, streams: () => streams.size, hosts }, response),
    healthz: (_, response) => sendHealth(watcher, response),
    readyz: (_, response) => sendHealth(watcher, response),
    badge: (request, response) => sendBadge(watcher, badges, request, response),
    join: (request, response, caller) => byHost("join", request, response, caller),
    facts: (request, response, caller) => byHost("facts", request, response, caller),
    commands: (request, response, caller) => byHost("commands", request, response, caller),
    owner: (request, response, caller) => byHost("owner", request, response, caller),
    signIn: (request, response, caller) => void signInByCode({ keys, gate, now }, caller, request, response),
  };

  const take = (request: IncomingMessage, response: ServerResponse, bySocket: boolean): void => {
    const url = request.url ?? "/";
    // The address of a ping is its secret, so that neither names nor pages matter.
    if (url.startsWith("/ping/")) return pings.take(request, response);
    const way = wayOf(url);
    const heads = headsOf(request);
    // Hosts show a token or a code of their own, which no page has: by which name they reach us does not matter.
    // A badge stands on pages of others: whoever named the agent in the config wants that.
    const byName =
      way !== "badge" && way !== "join" && way !== "facts" && way !== "commands" && way !== "owner";
    const why = byName ? guard.refusal(heads, way === "page" || way === "signIn") : undefined;
    if (why !== undefined) return sendProblem(response, "not-allowed", why);
    const caller = gate.caller(request, heads, bySocket);
    if (isRefusal(caller)) refused(response, caller);
    else if (way === "page") pages.serve(request, response);
    else if (way === "api") {
      callers.set(request, caller);
      void listener(request, response);
    } else if (!refused(response, gate.refusal(caller, PLAIN[way].need)))
      ways[way](request, response, caller);
  };

  /** The same for beats that need no node:http: the checks of `take`, in their order. */
  const takeBeats: TakeBeats = (request, answer, bySocket) => {
    const why = guard.refusal(request.heads);
    if (why !== undefined) return answer.problem("not-allowed", why);
    const caller = gate.caller(request, request.heads, bySocket);
    const refusal = isRefusal(caller) ? caller : gate.refusal(caller, PLAIN.beats.need);
    if (refusal !== undefined) return answer.problem(refusal.code, refusal.detail, refusal);
    const { agent, standing } = caller as Caller;
    takeBody(options, request.body, answer, agent, standing === "local");
  };

  const own = options.door === undefined ? await openDoor(options, take, takeBeats) : undefined;
  const leave = options.door?.enter(take, takeBeats);
  const { url = "" } = own ?? options.door ?? {};
  return {
    url,
    signInUrl: () => signInUrl(url, keys.makeCode(keys.owner, now()).code),
    prepare: ({ names, access }) => {
      const next = new OriginCheck(names, reachable);
      return () => {
        guard = next;
        if (access !== undefined) gate.configure(access);
        badges = access?.badges ?? [];
      };
    },
    stop: async () => {
      unsubscribe();
      streams.stop();
      leave?.();
      await own?.stop();
    },
  };
}

type Way =
  | ("beats" | "beat" | "hook" | "join" | "facts" | "commands" | "owner" | "events")
  | ("metrics" | "healthz" | "readyz" | "badge" | "signIn");

function wayOf(url: string): Way | "api" | "page" {
  if (url === PLAIN.beats.path) return "beats";
  if (url.startsWith("/beat/")) return "beat";
  if (url.startsWith("/hook/")) return "hook";
  if (isAt(url, PLAIN.events.path)) return "events";
  if (isAt(url, PLAIN.metrics.path)) return "metrics";
  if (isAt(url, PLAIN.healthz.path)) return "healthz";
  if (isAt(url, PLAIN.readyz.path)) return "readyz";
  if (url.startsWith("/badge/")) return "badge";
  if (isAt(url, SIGN_IN)) return "signIn";
  if (url === PLAIN.facts.path) return "facts";
  if (url === PLAIN.join.path) return "join";
  if (isAt(url, PLAIN.commands.path)) return "commands";
  if (isAt(url, PLAIN.owner.path)) return "owner";
  return url.startsWith("/api/") ? "api" : "page";
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
    sendProblem(response, "bad-request", "the address contains a broken percent escape");
    return;
  }
  simpleBeat(intake, agent, new URLSearchParams(query), request, response, only, unproven);
}
