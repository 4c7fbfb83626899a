// A small watcher on a real socket that has a made-up fleet, for what a real one cannot show at will: a thousand agents,
// a day of history, an outage. It answers in the shapes of the API, and judges beats just enough for the page's specs.
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { countStates } from "../../src/core/liveness/state.ts";
import type { HostView } from "../../src/views/host.ts";
import type { DeliveryView, FailingView, IncidentView, SilenceView, ToldView } from "../../src/views/show.ts";
import type { RollView } from "../../src/watch/view.ts";
import {
  actionsOf,
  auditOf,
  CONFIG,
  channelsOf,
  NO_STEP,
  QUESTION,
  RAW_SCREEN,
  RHYTHM,
  rangeOf,
  recoveriesOf,
  runsOf,
  SCREEN,
  ticksOf,
  tokensOf,
} from "./extras.ts";
import {
  beatsOf,
  cyclesOf,
  deliveryOf,
  type Fleet,
  fleetOf,
  flipsOf,
  incidentOf,
  iso,
  onHub,
} from "./fleet.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'";
const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

export class FakeWatcher {
  readonly token = "a-token-of-the-test";
  readonly #page: string;
  readonly #fleet: Fleet;
  readonly #agents: Map<string, RollView>;
  #incidents: IncidentView[];
  #deliveries: DeliveryView[];
  #silences: SilenceView[] = [];
  /** Set on a hub. */
  #hosts: readonly HostView[] | undefined;
  readonly #streams = new Set<ServerResponse>();
  readonly #server = createServer((request, response) => void this.#take(request, response));
  blindSince: string | null = null;
  /** The channels that deliver nothing. */
  failing: FailingView[] = [];
  /** What was answered: the agent, the choice and the fingerprint. */
  readonly answers: string[] = [];
  /** While set, nothing is answered but with 503: the watcher is out of reach. */
  away = false;

  constructor(page: string, size: number, is: "alone" | "hub" = "alone") {
    this.#page = page;
    const fleet = fleetOf(size, Date.now());
    const hub = is === "hub" ? onHub(fleet) : undefined;
    this.#hosts = hub?.hosts;
    this.#fleet = hub ?? fleet;
    this.#agents = new Map(this.#fleet.agents.map((agent) => [agent.id, agent]));
    const troubled = this.#fleet.agents
      .filter(({ state }) => /dead|stalled|failing|waiting/.test(state))
      .slice(0, 8);
    const open = troubled.map((agent, i) =>
      incidentOf(agent, i === 1 ? { acknowledged: { at: iso(Date.now() - 60_000), by: "ada" } } : {}),
    );
    this.#incidents = [...open, ...troubled.slice(0, 3).map(overOf)];
    this.#deliveries = this.#incidents.map((incident, i) =>
      i === 2
        ? deliveryOf(incident, {
            state: "refused",
            attempts: 5,
            problem: "ntfy answered 403: this topic is reserved",
          })
        : deliveryOf(
            incident,
            i === 0
              ? { to: "mail", state: "pending", attempts: 0, endedAt: null, dueAt: iso(Date.now() + 20_000) }
              : {},
          ),
    );
  }

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.dropStreams();
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  dropStreams(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  #tell(event: string, data: unknown): void {
    for (const stream of this.#streams) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://x");
    if (this.away) return send(request, response, 503, { title: "away", detail: "", code: "away" });
    if (!url.pathname.startsWith("/api/v1/")) return this.#serve(request, response, url.pathname);
    const parts = url.pathname.slice("/api/v1/".length).split("/").map(decodeURIComponent);
    if (parts[0] === "events") return this.#open(response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body =
      chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>);
    if (parts[0] === "session") return this.#session(request, response, body);
    const mayChange = request.headers.cookie?.includes(`session=${this.token}`) === true;
    if (request.method !== "GET" && parts[0] !== "beats" && !mayChange) {
      return send(request, response, 401, {
        title: "a token is needed",
        detail: "sign in",
        code: "needs-token",
      });
    }
    const answer = request.method === "GET" ? this.#read(parts, url) : this.#change(parts, body);
    if (answer !== undefined) return send(request, response, 200, answer);
    send(request, response, 404, { title: "not found", detail: url.pathname, code: "not-found" });
  }

  #session(request: IncomingMessage, response: ServerResponse, body: Record<string, string>): void {
    if (request.method === "GET") {
      return send(request, response, 200, {
        signedIn: request.headers.cookie?.includes(this.token) === true,
        may: { read: true, change: true },
      });
    }
    const right = request.method === "DELETE" || body.token === this.token;
    if (!right)
      return send(request, response, 401, { title: "a token is needed", detail: "", code: "needs-token" });
    const value = request.method === "DELETE" ? "; Max-Age=0" : this.token;
    response.setHeader("set-cookie", `session=${value}; HttpOnly; SameSite=Strict; Path=/`);
    send(request, response, 200, { signedIn: request.method === "POST" });
  }

  #open(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write("retry: 200\nevent: hello\ndata: {}\n\n");
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
  }

  #read([kind, id, what]: string[], url: URL): unknown {
    const now = Date.now();
    const agent = this.#agents.get(id ?? "");
    if (kind === "watcher") return this.#watcher();
    if (kind === "agents" && id === undefined) return this.#roll();
    if (kind === "agents" && agent !== undefined) return this.#readAgent(agent, what, url, now);
    if (kind === "strips")
      return { from: iso(this.#fleet.now - 86_400_000), to: iso(now), agents: this.#fleet.strips };
    if (kind === "uptime") {
      const ids = [...this.#agents.keys()];
      return {
        agents: Object.fromEntries(
          ids.map((each, i) => [each, [10_000 - ((i * 37) % 300), 9980, 9912 - (i % 7) * 90]]),
        ),
      };
    }
    if (kind === "channels") return { channels: channelsOf(now) };
    if (kind === "tokens") return { tokens: tokensOf(now) };
    if (kind === "audit") return { audit: auditOf(now), next: null };
    if (kind === "incidents" && id === undefined) {
      return this.#list(url.searchParams);
    }
    const incident = this.#incidents.find((each) => each.id === id);
    if (kind === "incidents" && incident !== undefined) {
      const deliveries = this.#deliveries.filter((each) => each.incident === id);
      return { incident, told: deliveries.map(toldOf), deliveries };
    }
    if (kind === "deliveries") {
      const to = url.searchParams.get("to");
      return { deliveries: this.#deliveries.filter((each) => to === null || each.to === to) };
    }
    if (kind === "silences") return { silences: this.#silences };
    if (kind === "hosts" && this.#hosts !== undefined) return { hosts: this.#hosts };
    if (kind === "actions") return id === undefined ? { actions: actionsOf(now) } : { runs: runsOf(id, now) };
    if (kind === "ticks") return ticksOf([...this.#agents.keys()].slice(0, 14), now);
    return kind === "config" ? CONFIG : undefined;
  }

  #list(asked: URLSearchParams): unknown {
    const open = this.#incidents.filter((each) => each.open);
    const found = this.#incidents.filter(
      (each) =>
        (asked.get("agent") ?? each.subject) === each.subject &&
        (asked.get("kind") ?? each.kind) === each.kind &&
        (asked.get("open") !== "true" || each.open) &&
        (asked.get("over") !== "true" || !each.open) &&
        (asked.get("grouped") !== "true" || each.spokenForBy === null),
    );
    const limit = Number(asked.get("limit") ?? 100);
    const spokenFor = open.filter((each) => each.spokenForBy !== null).length;
    return {
      incidents: found.slice(0, limit),
      next: found.length > limit ? "/api/v1/incidents?cursor=1_x" : null,
      counts: { open: open.length, spokenFor },
    };
  }

  #readAgent(agent: RollView, what: string | undefined, url: URL, now: number): unknown {
    if (what === "beats") return { beats: beatsOf(agent, now) };
    if (what === "flips") return { flips: flipsOf(this.#fleet, agent, now) };
    if (what === "cycles") return { cycles: cyclesOf(agent, now) };
    if (what === "rhythm") return RHYTHM;
    if (what === "recoveries")
      return { recoveries: recoveriesOf(now), nextStep: agent.state === "waiting" ? NO_STEP : null };
    if (what === "screen") {
      const screen = url.searchParams.get("how") === "raw" ? RAW_SCREEN : SCREEN;
      return agent.state === "new" ? undefined : { screen };
    }
    if (what === "range") return rangeOf(url.searchParams.get("hours") ?? "24", now);
    if (what === "handles") {
      const steps = agent.state === "alive" ? ["nudge", "restart", "wake"] : ["nudge", "restart"];
      return { steps, attach: `tmux attach -t ${agent.id}`, byHost: false, question: true };
    }
    if (what === "question") return agent.state === "waiting" ? QUESTION : undefined;
    const evidence = [
      {
        signal: "beat",
        at: iso(now - 12_000),
        says: `${agent.action ?? "a beat"}, cycle ${agent.cycle ?? "–"}`,
      },
      { signal: "tmux", at: iso(now - 31_000), says: "shows working (Refactoring…)" },
      { signal: "process", at: iso(now - 40_000), says: "pid 4711 runs since 9 h" },
    ];
    const outlook = [
      { at: iso(now + 14 * 60_000), state: "late", reason: "overdue" },
      { at: iso(now + 19 * 60_000), state: "dead", reason: "no-beat" },
    ];
    const detail = { ...agent, evidence, row: 10, outlook: agent.state === "alive" ? outlook : [] };
    return what === undefined ? { watcher: this.#watcher(), agents: [detail] } : undefined;
  }

  #change([kind, id = "", wish]: string[], body: Record<string, string>): unknown {
    if (kind === "beats") return this.#beat(body);
    const now = iso(Date.now());
    if (kind === "hosts") {
      this.#hosts = this.#hosts?.filter(({ name }) => name !== id);
      return {};
    }
    if (kind === "incidents") {
      this.#incidents = this.#incidents.map((each) => {
        if (each.id !== id) return each;
        if (wish === "acknowledge") return { ...each, acknowledged: { at: now, by: body.by ?? "somebody" } };
        return { ...each, open: false, resolved: { at: now, how: "by-hand", why: "resolved by hand" } };
      });
      this.#tell(
        "incidents",
        this.#incidents.filter((each) => each.id === id),
      );
      return {};
    }
    if (kind === "silences") {
      const until = iso(Date.now() + 2 * 3_600_000);
      const silence = {
        id: "s1",
        agents: body.agents ?? "",
        from: now,
        until,
        why: body.why ?? "",
        by: body.by ?? "",
      };
      this.#silences = id === "" ? [silence] : [];
      this.#tell("silences", this.#silences);
      return {};
    }
    const agent = this.#agents.get(id);
    if (agent === undefined) return undefined;
    if (wish === "answer") {
      const well = { state: "alive", reason: "working", why: "made progress just now" } as const;
      this.answers.push(`${id}: ${body.choice} ${body.fingerprint}`);
      this.#put({ ...agent, ...well, since: now });
      return { note: "answered" };
    }
    if (wish !== "pause" && wish !== "resume") return undefined;
    const paused = { state: "paused", reason: "paused", why: "paused by an operator; not judged" } as const;
    const well = { state: "alive", reason: "beat", why: "beat just now; expected every 15 min" } as const;
    this.#put({ ...agent, ...(wish === "pause" ? paused : well), since: now });
    return {};
  }

  /** A beat that says error makes an agent failing and opens an incident; any other makes it alive. */
  #beat({ agent: id = "", status, message, action }: Record<string, string>): unknown {
    const agent = this.#agents.get(id);
    if (agent === undefined) return undefined;
    const now = iso(Date.now());
    const failing = status === "error";
    const next: RollView = {
      ...agent,
      state: failing ? "failing" : "alive",
      reason: failing ? "says-error" : "beat",
      why: failing
        ? `its last beat reports an error: ${message}`
        : "beat just now; expected every 15 min, 5 min of grace",
      since: now,
      lastBeatAt: now,
      action: action ?? agent.action,
    };
    this.#put(next);
    if (failing) {
      this.#incidents = [incidentOf(next), ...this.#incidents];
      this.#tell("incidents", [this.#incidents[0]]);
    }
    return {};
  }

  #put(agent: RollView): void {
    this.#agents.set(agent.id, agent);
    this.#tell("agents", [agent]);
  }

  #roll() {
    const agents = [...this.#agents.values()];
    return { watcher: this.#watcher(), counts: countStates(agents), agents };
  }

  #watcher() {
    const startedAt = iso(this.#fleet.now - 9 * 86_400_000);
    return {
      ...{
        running: true,
        pid: 812,
        host: "studio",
        version: "0.1.0",
        startedAt,
        url: "http://127.0.0.1:7766",
        hub: this.#hosts !== undefined,
      },
      ...{
        home: "/srv/rollcall",
        configFile: "/srv/rollcall/rollcall.yaml",
        configLoadedAt: startedAt,
        lastCrash: null,
      },
      ...{
        blindSince: this.blindSince,
        storeEvents: [],
        badSpoolFiles: 0,
        refusedBeat: null,
        failingChannels: this.failing,
        hooks: [],
      },
    };
  }

  #serve(request: IncomingMessage, response: ServerResponse, path: string): void {
    const file = join(this.#page, extname(path) === "" ? "index.html" : path);
    if (!existsSync(file)) return send(request, response, 404, { title: "not found", detail: path });
    response.setHeader("content-security-policy", POLICY);
    response.setHeader("content-encoding", "br");
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" });
    response.end(readFileSync(`${file}.br`));
  }
}

function overOf(agent: RollView): IncidentView {
  const openedAt = iso(Date.parse(agent.since) - 9 * 3_600_000);
  const resolved = {
    at: iso(Date.parse(openedAt) + 1_320_000),
    how: "recovered",
    why: "it beats again",
  } as const;
  return incidentOf(agent, { id: `${agent.id}-before`, openedAt, open: false, resolved, issue: null });
}

function toldOf({ to, state, createdAt, endedAt, attempts, problem }: DeliveryView): ToldView {
  const sent = state === "sent";
  return {
    ...{ place: to, deliveredAt: sent ? endedAt : null, delivered: sent ? 1 : 0 },
    ...{ undelivered: sent ? 0 : 1, since: sent ? null : createdAt, attempts: sent ? 0 : attempts, problem },
    dueAt: null,
    held: null,
  };
}

function send(request: IncomingMessage, response: ServerResponse, status: number, body: unknown): void {
  const text = gzipSync(JSON.stringify(body), { level: 5 });
  if (status >= 400) response.setHeader("content-type", "application/problem+json");
  else response.setHeader("content-type", "application/json");
  response.writeHead(status, { "content-encoding": "gzip", "content-length": text.length });
  response.end(request.method === "HEAD" ? undefined : text);
}
