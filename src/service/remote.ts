import { iso, type Millis, SECOND } from "../core/duration.ts";
import type { Home } from "../home/home.ts";
import { ask } from "./client.ts";
import type { AgentWithPing, Histories, Operations, WholeRoll } from "./operations.ts";
import { type ListPage, type PageStart, placeIn, placeQuery, type WantedPage } from "./page.ts";

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

type RollAnswer = Pick<WholeRoll, "watcher" | "counts"> & {
  readonly agents: readonly AgentWithPing[];
  readonly next?: unknown;
};

/** So many agents are asked for at first, which may be enough, and then at a time. */
const FIRST_PAGE = 1000;
const PAGE = 10_000;

/** What a host does for its hub takes as long as a command lives, and a little more. */
const BY_HOST: Millis = 75 * SECOND;

/** The operations of a watcher that runs, over its API. */
export function remoteOperations(home: Home, url: string): Operations {
  const get = async <T>(path: string, query: Query = {}, limit?: Millis) =>
    (await ask(home, url, "GET", `/api/v1${path}${queryText(query)}`, undefined, limit)) as T;
  const post = async <T>(path: string, body?: unknown, limit?: Millis) =>
    (await ask(home, url, "POST", `/api/v1${path}`, body, limit)) as T;
  const remove = async (path: string) => {
    await ask(home, url, "DELETE", `/api/v1${path}`);
  };
  const list = async <Item>(
    path: string,
    name: string,
    wanted: WantedPage,
    query: Query = {},
  ): Promise<ListPage<Item>> => {
    const asked = { ...query, limit: wanted.limit, ...placeQuery(wanted) };
    const { [name]: items, next } = await get<Record<string, unknown>>(path, asked);
    return { items: items as readonly Item[], next: nextOf(next) };
  };
  return {
    async roll({ states, group, host, text, after } = {}) {
      const query = { state: states?.join(","), group, host, text };
      const page = (from: string | undefined, limit: number) =>
        get<RollAnswer>("/agents", { ...query, after: from, limit });
      const first = await page(after, FIRST_PAGE);
      // A watcher of an older version does not count.
      const { watcher, counts = {} } = first;
      return { watcher, counts, agents: allAgents(first, (from) => page(from, PAGE)) };
    },
    async agent(id) {
      try {
        const { watcher, agents } = await get<RollAnswer>(agentPath(id));
        return { watcher, agent: agents[0] };
      } catch (error) {
        if ((error as { code?: string }).code !== "no-such-agent") throw error;
        return { watcher: await get<WholeRoll["watcher"]>("/watcher"), agent: undefined };
      }
    },
    observations: (id) => named("observations", get(`${agentPath(id)}/observations`, {}, BY_HOST)),
    rhythm: (id) => get(`${agentPath(id)}/rhythm`),
    usage: (id) => named("usage", get(id === undefined ? "/usage" : `${agentPath(id)}/usage`)),
    // The watcher sees by the socket or the token whether the owner asks.
    addAgent: (agent) => post("/agents", agent),
    removeAgent: (id) => remove(agentPath(id)),
    pauseAgent: (id) => post(`${agentPath(id)}/pause`, undefined, BY_HOST),
    resumeAgent: (id) => post(`${agentPath(id)}/resume`, undefined, BY_HOST),
    peek: (id, how) => named("screen", get(`${agentPath(id)}/screen`, { how }, BY_HOST)),
    history: <K extends keyof Histories>(kind: K, id: string, wanted: WantedPage) =>
      list<Histories[K]>(`${agentPath(id)}/${kind}`, kind, wanted),
    nextStep: (id) => named("nextStep", get(`${agentPath(id)}/recoveries`, { limit: 1 })),
    handles: (id) => get(`${agentPath(id)}/handles`),
    question: (id) => get(`${agentPath(id)}/question`),
    // The watcher sees by the socket whether the owner asks.
    answer: (id, answer) => named("note", post(`${agentPath(id)}/answer`, answer, BY_HOST)),
    takeStep: (id, step) => named("note", post(`${agentPath(id)}/${step}`, undefined, BY_HOST)),

    incidents({ about, which, openSince, ...same }, wanted) {
      const open = which === undefined ? {} : { [which]: true };
      const since = openSince === undefined ? {} : { openSince: iso(openSince) };
      return list("/incidents", "incidents", wanted, { agent: about, ...open, ...since, ...same });
    },
    incidentCounts: () => named("counts", get("/incidents", { limit: 1 })),
    incident: (id) => get(incidentPath(id)),
    acknowledge: (id, by) => post(`${incidentPath(id)}/acknowledge`, { by }),
    resolve: (id, by) => post(`${incidentPath(id)}/resolve`, { by }, BY_HOST),
    silences: () => named("silences", get("/silences")),
    addSilence: (silence) => named("silence", post("/silences", silence)),
    endSilence: (id) => remove(`/silences/${encodeURIComponent(id)}`),
    deliveries: ({ to, open }, wanted) => list("/deliveries", "deliveries", wanted, { to, open }),
    retryDelivery: (key) => post(`/deliveries/${encodeURIComponent(key)}/retry`),

    actions: () => named("actions", get("/actions")),
    nextRuns: (name, count) => named("next", get(`${actionPath(name)}/next`, { limit: count })),
    runs: (name, wanted) => list(`${actionPath(name)}/runs`, "runs", wanted),
    // A run takes as long as it takes; the daemon knows its time limit and ends it.
    runAction: (name) => named("run", post(`${actionPath(name)}/run`, undefined, 0)),
    enableAction: (name, enabled) => post(`${actionPath(name)}/${enabled ? "enable" : "disable"}`),

    tokens: () => named("tokens", get("/tokens")),
    createToken: (wish) => post("/tokens", wish),
    revokeToken: (id) => remove(`/tokens/${encodeURIComponent(id)}`),
    hosts: () => named("hosts", get("/hosts")),
    inviteHost: (wish) => post("/hosts/invitations", wish),
    revokeHost: (name) => remove(hostPath(name)),
    renameHost: (name, to) => post(`${hostPath(name)}/rename`, { to }),
    audit: (wanted) => list("/audit", "audit", wanted),
  };
}

const agentPath = (id: string) => `/agents/${encodeURIComponent(id)}`;
const actionPath = (name: string) => `/actions/${encodeURIComponent(name)}`;
const hostPath = (name: string) => `/hosts/${encodeURIComponent(name)}`;
const incidentPath = (id: string) => `/incidents/${encodeURIComponent(id)}`;

/** One field of an answer. */
async function named<T>(name: string, answer: Promise<Record<string, unknown>>): Promise<T> {
  return (await answer)[name] as T;
}

function queryText(query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? "" : `?${given}`;
}

function nextOf(address: unknown): PageStart | null {
  return typeof address === "string" ? placeIn(new URL(address, "http://localhost").searchParams) : null;
}

/** The agents of a page and of those after it. */
async function* allAgents(
  first: RollAnswer,
  pageAfter: (id: string) => Promise<RollAnswer>,
): AsyncGenerator<AgentWithPing> {
  let page = first;
  for (;;) {
    yield* page.agents;
    const last = page.agents.at(-1);
    if (typeof page.next !== "string" || last === undefined) return;
    page = await pageAfter(last.id);
  }
}
