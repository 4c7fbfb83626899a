import * as z from "zod";
import { allows } from "../../core/access/token.ts";
import { STATES, type State } from "../../core/liveness/state.ts";
import { redact } from "../../core/redact.ts";
import { noSuchAgent } from "../../service/operation-error.ts";
import type { AgentWithPing } from "../../service/operations.ts";
import { HAND_STEPS } from "../../watch/manual-step.ts";
import { type Caller, SOCKET } from "../access/authenticator.ts";
import { problem } from "../kit/problem.ts";
import type { Api } from "./api.ts";
import { Listed } from "./listed.ts";
import { addressOf, bodyOf, cursorQuery, limit, listed, next } from "./page.ts";
import { type ApiRoute, get, post, remove } from "./route.ts";
import * as shapes from "./schemas.ts";

/** The ping UUID lets beat, so that only who may beat sees it. */
function shownTo(caller: Caller, agent: AgentWithPing): AgentWithPing {
  return allows(caller.standing, "beat") ? agent : { ...agent, pingUuid: null };
}

const rollQuery = z.object({
  state: z
    .string()
    .optional()
    .describe(`only these states, with commas: ${Object.keys(STATES).join(", ")}`),
  group: z.string().optional().describe("only this group"),
  host: z.string().optional().describe("only this host"),
  text: z.string().optional().describe("only where this stands in id, name, why, action or message"),
  limit: limit.unwrap().default(1000).describe("how many at most, by id"),
  after: z.string().optional().describe("only ids after this one"),
});

/** The roll, the agents on it, and the steps that are taken for them. */
export function agentRoutes({ operations }: Api): readonly ApiRoute[] {
  return [
    get("/agents", "the roll", {
      query: rollQuery,
      answer: z.strictObject({
        watcher: shapes.watcher,
        counts: shapes.counts,
        agents: z.array(shapes.agent),
        next,
      }),
      handle: async ({ query, caller, url }) => {
        const { state, limit, after = "", ...filter } = query;
        const wanted = { ...filter, states: statesIn(state), after };
        const { watcher, counts, agents } = await operations.roll(wanted);
        const shown = { last: "", isAll: true };
        const texts = textsOf(agents, caller, limit, shown);
        const tail = () => ({ next: shown.isAll ? null : addressOf(url, { after: shown.last }) });
        return new Listed("agents", texts, { head: { watcher, counts }, tail });
      },
    }),
    get("/agents/{id}", "one agent, with its evidence and its outlook", {
      answer: z.strictObject({ watcher: shapes.watcher, agents: z.array(shapes.agent) }),
      problems: ["no-such-agent"],
      handle: async ({ params: { id = "" }, caller }) => {
        const { watcher, agent } = await operations.agent(id);
        if (agent === undefined) throw noSuchAgent(id);
        return { watcher, agents: [shownTo(caller, agent)] };
      },
    }),
    get("/agents/{id}/observations", "what is known of an agent, newest first", {
      answer: z.strictObject({ observations: z.array(shapes.evidence) }),
      problems: ["no-such-agent"],
      handle: async ({ params }) => ({ observations: await operations.observations(params.id ?? "") }),
    }),
    get(
      "/agents/{id}/rhythm",
      "which silence is normal for an agent, learnt from its own gaps, in milliseconds",
      {
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
        handle: ({ params }) => operations.rhythm(params.id ?? ""),
      },
    ),
    get("/agents/{id}/screen", "the rendered screen of its pane or log, or its raw tail", {
      query: z.object({ how: z.enum(["screen", "raw"], { error: "screen or raw" }).default("screen") }),
      answer: z.strictObject({ screen: z.string() }),
      problems: ["no-such-agent", "not-found", "host-did-not"],
      handle: async ({ params, query }) => ({ screen: await operations.peek(params.id ?? "", query.how) }),
    }),
    post("/agents", "adds an agent; the same keys as in the config file", {
      body: bodyOf({ id: z.string({ error: "an agent id" }) }).loose(),
      badBody: "bad-agent",
      problems: ["bad-agent", "agent-exists", "declared-in-config"],
      audited: ({ body }) => redact(JSON.stringify(body)),
      handle: ({ body, caller }) => operations.addAgent(body, caller.owner === true),
    }),
    remove("/agents/{id}", "removes an agent from the roll", {
      problems: ["no-such-agent", "declared-in-config"],
      handle: ({ params }) => operations.removeAgent(params.id ?? ""),
    }),
    ...(["pause", "resume"] as const).map((wish) =>
      post(`/agents/{id}/${wish}`, wish === "pause" ? "stops judging an agent" : "judges an agent again", {
        problems: ["no-such-agent", "host-did-not"],
        handle: ({ params }) => operations[`${wish}Agent`](params.id ?? ""),
      }),
    ),
    get("/agents/{id}/recoveries", "the recovery steps of an agent, newest first, and the next step", {
      query: cursorQuery,
      answer: z.strictObject({
        recoveries: z.array(shapes.recovery),
        nextStep: shapes.nextStep.nullable(),
        next,
      }),
      problems: ["no-such-agent"],
      handle: async ({ params, query, url }) => {
        const id = params.id ?? "";
        const page = await operations.history("recoveries", id, query);
        return listed(url, "recoveries", page, { nextStep: await operations.nextStep(id) });
      },
    }),
    post("/agents/{id}/next-step", "takes the nudge or restart that is next for an agent, now", {
      answer: z.strictObject({ note: z.string() }),
      problems: ["no-such-agent", "step-refused", "host-did-not"],
      handle: async ({ params }) => ({ note: await operations.takeStep(params.id ?? "", "next-step") }),
    }),
    get("/agents/{id}/handles", "the steps that can be taken for an agent, and the way to its tmux pane", {
      answer: z.strictObject({
        steps: z.array(z.enum(HAND_STEPS)),
        restartEnds: z.boolean().describe("whether a restart ends a process that still runs"),
        attach: z.string().nullable().describe("a shell command on the agent's host"),
        byHost: z.boolean().describe("whether its host takes its next step if the hub asks"),
        question: z.boolean().describe("whether its question may be read"),
      }),
      problems: ["no-such-agent"],
      handle: ({ params }) => operations.handles(params.id ?? ""),
    }),
    get("/agents/{id}/question", "what an agent that waits asks in its pane, in its own words", {
      answer: z.strictObject({
        text: z.string(),
        choices: z.array(z.strictObject({ number: z.int(), label: z.string() })),
        fingerprint: z.string(),
      }),
      problems: ["no-such-agent", "step-refused"],
      handle: ({ params }) => operations.question(params.id ?? ""),
    }),
    post("/agents/{id}/answer", "answers that question by the number of a choice", {
      body: bodyOf({
        fingerprint: z.string({ error: "the fingerprint of the question" }),
        choice: z.int({ error: "the number of a choice" }).optional(),
        text: z.string({ error: "text, which only the owner may send" }).optional(),
      }),
      answer: z.strictObject({ note: z.string() }),
      problems: ["no-such-agent", "step-refused"],
      audited: ({ body }) => redact(JSON.stringify(body)),
      handle: async ({ params, body, caller }) => ({
        note: await operations.answer(params.id ?? "", body, caller.from === SOCKET),
      }),
    }),
    ...HAND_STEPS.map((what) =>
      post(`/agents/{id}/${what}`, `takes the ${what} step that the config declares for an agent, now`, {
        answer: z.strictObject({ note: z.string() }),
        problems: ["no-such-agent", "step-refused", "host-did-not"],
        handle: async ({ params }) => ({ note: await operations.takeStep(params.id ?? "", what) }),
      }),
    ),
  ];
}

/** Agents as JSON, each when it is its turn, up to a limit; notes the last one and whether there would be more. */
async function* textsOf(
  agents: AsyncIterable<AgentWithPing>,
  caller: Caller,
  limit: number,
  shown: { last: string; isAll: boolean },
): AsyncGenerator<string> {
  let count = 0;
  for await (const agent of agents) {
    shown.isAll = count < limit;
    if (!shown.isAll) return;
    count += 1;
    shown.last = agent.id;
    yield JSON.stringify(shownTo(caller, agent));
  }
}

function statesIn(text: string | undefined): readonly State[] | undefined {
  const states = text?.split(",").map((each) => each.trim());
  if (states?.every((state): state is State => state in STATES) !== false) return states as readonly State[];
  throw problem("bad-request", `state: expected some of ${Object.keys(STATES).join(", ")}`);
}
