import * as z from "zod";
import type { Caller } from "../access/authenticator.ts";
import type { Api } from "./api.ts";
import { asJson, Listed } from "./listed.ts";
import { bodyOf, cursorQuery, listed, next } from "./page.ts";
import { type ApiRoute, get, post, remove } from "./route.ts";
import * as shapes from "./schemas.ts";

const flag = z.enum(["true", "false"], { error: "true or false" }).default("false");
const kind = z.enum(["agent", "group", "reboot"], { error: "agent, group or reboot" }).optional();
const text = (most: number) => z.string({ error: "text" }).max(most, `text of at most ${most} characters`);
const by = text(200).optional().describe("who says so");

/** Who does it. A person who is known by their token speaks for nobody else. */
function who(caller: Caller, said: string | undefined): string {
  return caller.person ?? (said || caller.name);
}

const silenceBody = bodyOf({
  agents: z
    .string({ error: 'an agent or a pattern such as "build-*"' })
    .min(1, 'an agent or a pattern such as "build-*"')
    .max(1000, "a pattern of at most 1000 characters"),
  group: text(200).optional().describe("only the agents of this group"),
  for: z.string({ error: "a duration such as 2h" }),
  why: text(1000).default(""),
  by,
});

/** Incidents, deliveries and silences: what happens about the roll. */
export function incidentRoutes({ operations }: Api): readonly ApiRoute[] {
  return [
    get("/incidents", "incidents, newest first", {
      query: cursorQuery
        .extend({
          agent: z.string().optional(),
          host: z.string().optional().describe("only of the agents of this host, and of the host itself"),
          open: flag.describe("only those that are open"),
          over: flag.describe("only those that are over"),
          kind,
          grouped: flag.describe("without those that a group's incident speaks for"),
          openSince: z.iso.datetime().optional().describe("only those that were open at this time or later"),
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
          .describe("how many are open in all, and how many of them a group speaks for"),
      }),
      handle: async ({ query, url }) => {
        const { agent: about, host, open, over, kind, grouped } = query;
        const which = open === "true" ? "open" : over === "true" ? "over" : undefined;
        const openSince = query.openSince === undefined ? undefined : Date.parse(query.openSince);
        const filter = { about, which, kind, host, grouped: grouped === "true", openSince } as const;
        const page = await operations.incidents(filter, query);
        return listed(url, "incidents", page, { counts: await operations.incidentCounts() });
      },
    }),
    get("/incidents/{id}", "one incident with its messages", {
      answer: z.strictObject({
        incident: shapes.incident,
        told: z.array(shapes.told),
        deliveries: z.array(shapes.delivery),
      }),
      problems: ["no-such-incident"],
      handle: ({ params }) => operations.incident(params.id ?? ""),
    }),
    ...(["acknowledge", "resolve"] as const).map((wish) =>
      post(
        `/incidents/{id}/${wish}`,
        wish === "acknowledge" ? "acknowledges an incident" : "resolves an incident",
        {
          body: bodyOf({ by }),
          problems: ["no-such-incident", ...(wish === "acknowledge" ? (["told-by-hub"] as const) : [])],
          handle: ({ params, body, caller }) => operations[wish](params.id ?? "", who(caller, body.by)),
        },
      ),
    ),
    get("/deliveries", "the outbox, newest first", {
      query: cursorQuery.extend({ to: z.string().optional(), open: flag }),
      answer: z.strictObject({ deliveries: z.array(shapes.delivery), next }),
      handle: async ({ query, url }) => {
        const filter = { to: query.to, open: query.open === "true" };
        return listed(url, "deliveries", await operations.deliveries(filter, query));
      },
    }),
    post("/deliveries/{key}/retry", "sends a failed delivery again", {
      problems: ["no-such-delivery", "already-sent"],
      handle: ({ params }) => operations.retryDelivery(params.key ?? ""),
    }),
    get("/silences", "the silences that have not ended", {
      answer: z.strictObject({ silences: z.array(shapes.silence) }),
      handle: async () => new Listed("silences", asJson(await operations.silences())),
    }),
    post("/silences", "mutes messages about agents for a while", {
      body: silenceBody,
      badBody: "bad-silence",
      answer: z.strictObject({ silence: shapes.silence }),
      status: 201,
      problems: ["bad-silence", "told-by-hub"],
      handle: async ({ body, caller }) => {
        const wish = { ...body, by: who(caller, body.by) };
        return { silence: await operations.addSilence(wish) };
      },
    }),
    remove("/silences/{id}", "ends a silence", {
      problems: ["no-such-silence"],
      handle: ({ params }) => operations.endSilence(params.id ?? ""),
    }),
  ];
}
