import * as z from "zod";
import { allows } from "../../core/access/token.ts";
import { isAgentId } from "../../core/agent.ts";
import { STATES } from "../../core/liveness/state.ts";
import { redact } from "../../core/redact.ts";
import { NothingToShow } from "../../ports/signal.ts";
import type { RollPlace } from "../../watch/roll-place.ts";
import type { AgentView } from "../../watch/view.ts";
import type { Caller } from "../access/authenticator.ts";
import { ProblemError } from "../kit/problem.ts";
import type { Api } from "./api.ts";
import { Listed } from "./listed.ts";
import { limit, next } from "./page.ts";
import { type Route, route } from "./route.ts";
import * as shapes from "./schemas.ts";

/** An agent as the API shows it. The ping UUID lets beat, so that only who may beat sees it. */
type ShownAgent = AgentView & { readonly pingUuid: string | null };

function showAgent({ watcher, pingIds }: Api, caller: Caller, place: RollPlace, detail = false): ShownAgent {
  const mayBeat = allows(caller.standing, "beat");
  return { ...watcher.reader.view(place, detail), pingUuid: mayBeat ? pingIds.uuidOf(place.agent.id) : null };
}

const rollQuery = z.object({
  state: z
    .string()
    .optional()
    .meta({ description: `only these states, with commas: ${Object.keys(STATES).join(", ")}` }),
  group: z.string().optional().meta({ description: "only this group" }),
  host: z.string().optional().meta({ description: "only this host" }),
  text: z
    .string()
    .optional()
    .meta({ description: "only where this stands in id, name, why, action or message" }),
  limit: limit.unwrap().optional().meta({ description: "how many at most, by id; without it all of them" }),
  after: z.string().optional().meta({ description: "only ids after this one" }),
});

/** The roll, and who is on it. */
export function agentRoutes(api: Api): readonly Route[] {
  const { watcher } = api;
  return [
    route({
      method: "GET",
      path: "/api/v1/agents",
      summary: "the roll",
      need: "read",
      query: rollQuery,
      answer: z.strictObject({
        watcher: shapes.watcher,
        agents: z.array(shapes.agent),
        next: next.optional(),
      }),
      handle: ({ query, caller, url }) => {
        const fits = filterOf(query);
        const show = (place: RollPlace) => showAgent(api, caller, place);
        const head = { watcher: api.info() };
        const { limit, after } = query;
        if (limit === undefined && after === undefined) {
          return new Listed("agents", rollOf([...watcher.reader.places()], show, fits), { head });
        }
        const sorted = [...watcher.reader.places()]
          .filter(({ agent }) => agent.id > (after ?? ""))
          .sort((a, b) => (a.agent.id < b.agent.id ? -1 : 1));
        const shown: { last?: string; more: boolean } = { more: false };
        const tail = () => {
          const address = new URLSearchParams(url.searchParams);
          address.set("after", shown.last ?? "");
          return { next: shown.more ? `${url.pathname}?${address}` : null };
        };
        return new Listed("agents", rollOf(sorted, show, fits, limit, shown), { head, tail });
      },
    }),
    route({
      method: "GET",
      path: "/api/v1/agents/{id}",
      summary: "one agent, with its evidence and its outlook",
      need: "read",
      answer: z.strictObject({ watcher: shapes.watcher, agents: z.array(shapes.agent) }),
      problems: ["no-such-agent"],
      handle: ({ params, caller }) => ({
        watcher: api.info(),
        agents: [showAgent(api, caller, placeOf(api, params.id), true)],
      }),
    }),
    route({
      method: "GET",
      path: "/api/v1/agents/{id}/observations",
      summary: "what is known of an agent, newest first",
      need: "read",
      answer: z.strictObject({ observations: z.array(shapes.evidence) }),
      problems: ["no-such-agent"],
      handle: ({ params }) => ({
        observations: watcher.reader.view(placeOf(api, params.id), true).evidence ?? [],
      }),
    }),
    route({
      method: "GET",
      path: "/api/v1/agents/{id}/rhythm",
      summary: "which silence is normal for an agent, learnt from its own gaps, in milliseconds",
      need: "read",
      answer: z.strictObject({
        contexts: z.record(
          z.string(),
          z.strictObject({
            limitMs: z.number(),
            from: z.string(),
            gaps: z.int(),
            longest: z.array(z.number()),
          }),
        ),
        margin: z.number().nullable(),
      }),
      problems: ["no-such-agent"],
      handle: ({ params }) =>
        watcher.reader.rhythm(placeOf(api, params.id)) ?? { contexts: {}, margin: null },
    }),
    route({
      method: "GET",
      path: "/api/v1/agents/{id}/screen",
      summary: "the rendered screen of its pane or log, or its raw tail",
      need: "read",
      query: z.object({ how: z.enum(["screen", "raw"], { error: "screen or raw" }).default("screen") }),
      answer: z.strictObject({ screen: z.string() }),
      problems: ["no-such-agent", "not-found"],
      handle: async ({ params, query }) => {
        const { id } = placeOf(api, params.id).agent;
        const screen = await api.peek(id, query.how).catch((error: unknown) => {
          if (error instanceof NothingToShow) throw new ProblemError("not-found", error.message);
          throw error;
        });
        if (screen !== undefined) return { screen };
        throw new ProblemError("not-found", `"${id}" names no log and no tmux pane that could be shown`);
      },
    }),
    route({
      method: "POST",
      path: "/api/v1/agents",
      summary: "adds an agent; the same keys as in the config file",
      need: "admin",
      body: z.looseObject({ id: z.string({ error: "an agent id" }) }, { error: "expected an object" }),
      badBody: "bad-agent",
      problems: ["bad-agent", "agent-exists", "declared-in-config"],
      audited: ({ body }) => redact(JSON.stringify(body)),
      handle: async ({ body, caller }) => {
        const read = api.readAgent(body, caller.owner === true);
        if ("problem" in read) throw new ProblemError("bad-agent", read.problem);
        await watcher.add(read.agent);
      },
    }),
    route({
      method: "DELETE",
      path: "/api/v1/agents/{id}",
      summary: "takes an agent off the roll",
      need: "admin",
      problems: ["no-such-agent", "declared-in-config"],
      handle: ({ params }) => watcher.remove(params.id ?? ""),
    }),
    ...(["pause", "resume"] as const).map((wish) =>
      route({
        method: "POST",
        path: `/api/v1/agents/{id}/${wish}`,
        summary: wish === "pause" ? "stops judging an agent" : "judges an agent again",
        need: "admin",
        problems: ["no-such-agent"],
        handle: ({ params }) => watcher[wish](params.id ?? ""),
      }),
    ),
  ];
}

/** The agents that fit, each as JSON, when it is its turn; notes the last one and whether there would be more. */
function* rollOf(
  places: readonly RollPlace[],
  show: (place: RollPlace) => ShownAgent,
  fits: (agent: AgentView) => boolean,
  limit = Number.POSITIVE_INFINITY,
  shown: { last?: string; more: boolean } = { more: false },
): Generator<string> {
  let count = 0;
  for (const place of places) {
    const view = show(place);
    if (!fits(view)) {
      yield "";
      continue;
    }
    if (count >= limit) {
      shown.more = true;
      return;
    }
    count += 1;
    shown.last = view.id;
    yield JSON.stringify(view);
  }
}

/** The place of an agent that was asked for. */
export function placeOf({ watcher }: Api, id = ""): RollPlace {
  const place = watcher.reader.place(id);
  if (place !== undefined) return place;
  const why = isAgentId(id) ? `there is no agent "${id}"` : "that is not an agent id";
  throw new ProblemError("no-such-agent", why);
}

function filterOf(query: z.output<typeof rollQuery>): (agent: AgentView) => boolean {
  const states = query.state?.split(",").map((each) => each.trim());
  const unknown = states?.find((each) => !(each in STATES));
  if (unknown !== undefined) {
    throw new ProblemError("bad-request", `state: expected some of ${Object.keys(STATES).join(", ")}`);
  }
  const text = query.text?.toLowerCase();
  return (agent) => {
    if (states !== undefined && !states.includes(agent.state)) return false;
    if (query.group !== undefined && agent.group !== query.group) return false;
    if (query.host !== undefined && agent.host !== query.host) return false;
    if (text === undefined) return true;
    const { id, name, why, action, message } = agent;
    return [id, name, why, action, message].some((each) => each?.toLowerCase().includes(text) === true);
  };
}
