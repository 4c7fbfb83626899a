import * as z from "zod";
import { HOUR, iso } from "../../core/duration.ts";
import type { Flip } from "../../core/liveness/verdict.ts";
import { showBeat, showCycle, showFlip, showPing } from "../show.ts";
import { placeOf } from "./agents.ts";
import type { Api } from "./api.ts";
import { next, paged, pageQuery } from "./page.ts";
import { type Route, route } from "./route.ts";
import * as shapes from "./schemas.ts";

/** What happened to an agent, newest first; and everybody's last hours at once. */
export function historyRoutes(api: Api): readonly Route[] {
  const { store, watcher } = api;
  return [
    route({
      method: "GET",
      path: "/api/v1/agents/{id}/beats",
      summary: "the beats of an agent",
      need: "read",
      query: pageQuery,
      answer: z.strictObject({ beats: z.array(shapes.beat), next }),
      problems: ["no-such-agent"],
      handle: async ({ params, query, url }) => {
        const { id } = placeOf(api, params.id).agent;
        const page = await paged(
          url,
          query,
          (asked) => store.beats(id, asked),
          (beat) => beat.receivedAt,
        );
        return { beats: page.items.map(showBeat), next: page.next };
      },
    }),
    route({
      method: "GET",
      path: "/api/v1/agents/{id}/flips",
      summary: "the changes of an agent's state",
      need: "read",
      query: pageQuery,
      answer: z.strictObject({ flips: z.array(shapes.flip), next }),
      problems: ["no-such-agent"],
      handle: async ({ params, query, url }) => {
        const { id } = placeOf(api, params.id).agent;
        const page = await paged(
          url,
          query,
          (asked) => store.flips(id, asked),
          (flip) => flip.at,
        );
        return { flips: page.items.map(showFlip), next: page.next };
      },
    }),
    route({
      method: "GET",
      path: "/api/v1/agents/{id}/cycles",
      summary: "the cycles of an agent",
      need: "read",
      query: pageQuery,
      answer: z.strictObject({ cycles: z.array(shapes.cycle), next }),
      problems: ["no-such-agent"],
      handle: async ({ params, query, url }) => {
        const { id } = placeOf(api, params.id).agent;
        const page = await paged(
          url,
          query,
          (asked) => store.cycles(id, asked),
          (cycle) => cycle.beganAt,
        );
        return { cycles: page.items.map(showCycle), next: page.next };
      },
    }),
    route({
      method: "GET",
      path: "/api/v1/agents/{id}/pings",
      summary: "the newest pings of an agent, with their bodies",
      need: "read",
      query: pageQuery,
      answer: z.strictObject({ pings: z.array(shapes.ping), next }),
      problems: ["no-such-agent"],
      handle: async ({ params, query, url }) => {
        const { id: about } = placeOf(api, params.id).agent;
        const page = await paged(
          url,
          query,
          (asked) => store.kept("ping", { ...asked, about }),
          ({ at }) => at,
        );
        return { pings: page.items.map(({ body }) => showPing(body)), next: page.next };
      },
    }),
    route({
      method: "GET",
      path: "/api/v1/strips",
      summary: "everybody's states over the last hours, as small as can be",
      need: "read",
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
          .meta({ description: "for each agent [seconds after from, the state that began then]" }),
      }),
      handle: async ({ query }) => {
        const to = api.now();
        const from = to - query.hours * HOUR;
        const strips = stripsOf(await store.flipsSince(from), from);
        const agents = [...watcher.places()].map(({ agent, entry }) => {
          const { verdict, since } = entry.standing;
          const still = [[Math.max(0, Math.round((since - from) / 1000)), verdict.state]];
          return [agent.id, strips.get(agent.id) ?? still];
        });
        return { from: iso(from), to: iso(to), agents: Object.fromEntries(agents) };
      },
    }),
  ];
}

type Strip = [at: number, state: Flip["to"]][];

/** What it was when the strip begins is where its first flip comes from; of one second only the last state counts. */
function stripsOf(flips: readonly Flip[], from: number): Map<string, Strip> {
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
