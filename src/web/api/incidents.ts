import * as z from "zod";
import { parseDuration } from "../../core/duration.ts";
import { cursorOf } from "../../ports/repositories.ts";
import { countOpen, messagesAbout } from "../../service/incident-lists.ts";
import { showDelivery, showIncident, showSilence, showWithMessages } from "../../views/show.ts";
import { ProblemError } from "../kit/problem.ts";
import type { Api } from "./api.ts";
import { asJson, Listed } from "./listed.ts";
import { cursorQuery, listed, next, pagedByCursor } from "./page.ts";
import { type Route, route } from "./route.ts";
import * as shapes from "./schemas.ts";

const flag = z.enum(["true", "false"], { error: "true or false" }).default("false");
const kind = z.enum(["agent", "group", "reboot"], { error: "agent, group or reboot" }).optional();
const text = (most: number) => z.string({ error: "text" }).max(most, `text of at most ${most} characters`);
const by = text(200).optional().meta({ description: "who says so" });

const silenceBody = z.object(
  {
    agents: z
      .string({ error: 'an agent or a pattern such as "build-*"' })
      .min(1, 'an agent or a pattern such as "build-*"')
      .max(1000, "a pattern of at most 1000 characters"),
    for: z.string({ error: "a duration such as 2h" }),
    why: text(1000).default(""),
    by,
  },
  { error: "expected an object" },
);

/** Incidents, deliveries and silences: what happens about the roll. */
export function incidentRoutes(api: Api): readonly Route[] {
  const { watcher, store } = api;
  return [
    route({
      method: "GET",
      path: "/api/v1/incidents",
      summary: "incidents, newest first",
      need: "read",
      query: cursorQuery
        .extend({
          agent: z.string().optional(),
          open: flag.meta({ description: "only those that are open" }),
          over: flag.meta({ description: "only those that are over" }),
          kind,
          grouped: flag.meta({ description: "without those that a group's incident speaks for" }),
        })
        .refine(({ open, over }) => open === "false" || over === "false", {
          path: ["over"],
          error: "only one of open and over",
        }),
      answer: z.strictObject({
        incidents: z.array(shapes.incident),
        next,
        counts: z
          .strictObject({ open: z.int(), spokenFor: z.int() })
          .meta({ description: "how many are open in all, and how many of them a group speaks for" }),
      }),
      handle: async ({ query, url }) => {
        const { agent: subject, open, over, kind } = query;
        const state = open === "true" ? ("open" as const) : over === "true" ? ("over" as const) : undefined;
        const only = { subject, state, kind, grouped: query.grouped === "true" };
        const page = await pagedByCursor(
          url,
          query,
          (asked) => store.incidents.page({ ...asked, ...only }),
          cursorOf.incident,
          showIncident,
        );
        return listed("incidents", page, { counts: countOpen(watcher.desk.incidents) });
      },
    }),
    route({
      method: "GET",
      path: "/api/v1/incidents/{id}",
      summary: "one incident, and whom it was told",
      need: "read",
      answer: z.strictObject({
        incident: shapes.incident,
        told: z.array(shapes.told),
        deliveries: z.array(shapes.delivery),
      }),
      problems: ["no-such-incident"],
      handle: async ({ params }) => {
        const id = params.id ?? "";
        const found = await store.incidents.one(id);
        if (found === undefined) throw new ProblemError("no-such-incident", `there is no incident "${id}"`);
        return showWithMessages(found, await messagesAbout(store, found));
      },
    }),
    ...(["acknowledge", "resolve"] as const).map((wish) =>
      route({
        method: "POST",
        path: `/api/v1/incidents/{id}/${wish}`,
        summary: wish === "acknowledge" ? "somebody looks after it" : "it is over, says somebody",
        need: "admin",
        body: z.object({ by }, { error: "expected an object" }),
        problems: ["no-such-incident"],
        handle: ({ params, body, caller }) =>
          watcher.wish({ wish, id: params.id ?? "", by: body.by || caller.name }),
      }),
    ),
    route({
      method: "GET",
      path: "/api/v1/deliveries",
      summary: "the outbox, newest first",
      need: "read",
      query: cursorQuery.extend({ to: z.string().optional(), open: flag }),
      answer: z.strictObject({ deliveries: z.array(shapes.delivery), next }),
      handle: async ({ query, url }) => {
        const { to } = query;
        const state = query.open === "true" ? ("under-way" as const) : undefined;
        const page = await pagedByCursor(
          url,
          query,
          (asked) => store.deliveries.page({ ...asked, to, state }),
          cursorOf.delivery,
          showDelivery,
        );
        return listed("deliveries", page);
      },
    }),
    route({
      method: "POST",
      path: "/api/v1/deliveries/{key}/retry",
      summary: "tries a delivery that failed once more",
      need: "admin",
      problems: ["no-such-delivery", "already-sent"],
      handle: async ({ params }) => {
        const key = params.key ?? "";
        const found = await store.deliveries.one(key);
        if (found === undefined) throw new ProblemError("no-such-delivery", `there is no delivery "${key}"`);
        if (found.state === "sent") throw new ProblemError("already-sent", `"${key}" was sent`);
        const { problem: _, endedAt: __, ...rest } = found;
        const now = api.now();
        const again = { ...rest, state: "pending" as const, createdAt: now, dueAt: now, attempts: 0 };
        await watcher.persist({ deliveries: [again] });
      },
    }),
    route({
      method: "GET",
      path: "/api/v1/silences",
      summary: "the silences that have not ended",
      need: "read",
      answer: z.strictObject({ silences: z.array(shapes.silence) }),
      handle: () => new Listed("silences", asJson([...watcher.desk.silences], showSilence)),
    }),
    route({
      method: "POST",
      path: "/api/v1/silences",
      summary: "withholds deliveries about agents for a while",
      need: "admin",
      body: silenceBody,
      badBody: "bad-silence",
      answer: z.strictObject({ silence: shapes.silence }),
      status: 201,
      problems: ["bad-silence"],
      handle: async ({ body, caller }) => {
        const length = parseDuration(body.for);
        if (length === undefined)
          throw new ProblemError("bad-silence", "for: expected a duration such as 2h");
        const from = api.now();
        const { agents, why } = body;
        const silence = {
          id: api.newId(),
          agents,
          from,
          until: from + length,
          why,
          by: body.by || caller.name,
        };
        await watcher.wish({ wish: "silence", silence });
        return { silence: showSilence(silence) };
      },
    }),
    route({
      method: "DELETE",
      path: "/api/v1/silences/{id}",
      summary: "ends a silence",
      need: "admin",
      problems: ["no-such-silence"],
      handle: ({ params }) => watcher.wish({ wish: "end-silence", id: params.id ?? "" }),
    }),
  ];
}
