import * as z from "zod";
import { HOUR, iso } from "../../core/duration.ts";
import type { Flip } from "../../core/liveness/verdict.ts";
import type { Histories } from "../../service/operations.ts";
import type { WantedPage } from "../../service/page.ts";
import type { Api } from "./api.ts";
import { asJson, Listed } from "./listed.ts";
import { cursorQuery, historyQuery, listed, next } from "./page.ts";
import { type ApiRoute, get } from "./route.ts";
import * as shapes from "./schemas.ts";

/** What happened to an agent, newest first; and the months and the last hours of all agents. */
export function historyRoutes(api: Api): readonly ApiRoute[] {
  const list = (
    kind: keyof Histories,
    summary: string,
    shape: z.ZodType,
    query: z.ZodType<WantedPage>,
  ): ApiRoute =>
    get(`/agents/{id}/${kind}`, summary, {
      query,
      answer: z.strictObject({ [kind]: z.array(shape), next }),
      problems: ["no-such-agent"],
      handle: async ({ params, query, url }) =>
        listed(url, kind, await api.operations.history(kind, params.id ?? "", query)),
    });
  return [
    list("beats", "the beats of an agent", shapes.beat, historyQuery),
    list("flips", "the changes of an agent's state", shapes.flip, historyQuery),
    list("cycles", "the cycles of an agent", shapes.cycle, historyQuery),
    list("pings", "the newest pings of an agent, with their bodies", shapes.ping, cursorQuery),
    get("/ticks", "the ticks of all agents by month, newest month first", {
      answer: z.strictObject({ months: z.array(z.string()), agents: z.array(shapes.tickRow) }),
      handle: async () => {
        const { months, agents } = await api.ticks();
        return new Listed("agents", asJson(agents), { head: { months } });
      },
    }),
    get("/strips", "the states of all agents over the last hours, in a compact form", {
      query: z.object({
        hours: z.coerce
          .number({ error: "hours from 1 to 168" })
          .min(1, "hours from 1 to 168")
          .max(168, "hours from 1 to 168")
          .default(24),
      }),
      answer: z.strictObject({
        from: z.iso.datetime(),
        to: z.iso.datetime(),
        agents: z
          .record(z.string(), z.array(z.tuple([z.int(), shapes.state])))
          .describe("for each agent [seconds after from, the state that began then]"),
      }),
      handle: async ({ query }) => {
        const to = api.now();
        const from = to - query.hours * HOUR;
        const around = { head: { from: iso(from), to: iso(to) }, brackets: "{}" } as const;
        return new Listed("agents", stripsOf(api, from), around);
      },
    }),
  ];
}

type Strip = [at: number, state: Flip["to"]][];

const STRIPS_AT_ONCE = 200;
/** A strip is a few hundred pixels wide: of an agent that flips all the time it shows the end. */
const FLIPS_OF_EACH = 500;

/** The strip of each agent, as it stands in the object of all of them. */
async function* stripsOf({ watcher, store }: Api, from: number): AsyncGenerator<string> {
  const places = [...watcher.reader.places()];
  for (let i = 0; i < places.length; i += STRIPS_AT_ONCE) {
    const some = places.slice(i, i + STRIPS_AT_ONCE);
    const ids = some.map(({ agent }) => agent.id);
    const strips = stripsFrom(await store.flipsSince(from, ids, FLIPS_OF_EACH), from);
    for (const { agent, entry } of some) {
      const { verdict, since } = entry.standing;
      const still = [[Math.max(0, Math.round((since - from) / 1000)), verdict.state]];
      yield `${JSON.stringify(agent.id)}:${JSON.stringify(strips.get(agent.id) ?? still)}`;
    }
  }
}

/** What it was when the strip begins is where its first flip comes from; of one second only the last state counts. */
function stripsFrom(flips: readonly Flip[], from: number): Map<string, Strip> {
  const strips = new Map<string, Strip>();
  for (const flip of flips) {
    let strip = strips.get(flip.agent);
    if (strip === undefined) {
      // Before its first day nobody was there.
      strip = flip.from === "new" ? [] : [[0, flip.from]];
      strips.set(flip.agent, strip);
    }
    const at = Math.max(0, Math.round((flip.at - from) / 1000));
    if (strip.at(-1)?.[0] === at) strip.pop();
    strip.push([at, flip.to]);
  }
  return strips;
}
