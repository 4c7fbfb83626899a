import * as z from "zod";
import { DAY, HOUR, iso, MINUTE } from "../../core/duration.ts";
import { type StateTimes, timesOfOne, upOf } from "../../core/liveness/state-times.ts";
import { noSuchAgent } from "../../service/operation-error.ts";
import type { Api } from "./api.ts";
import { Listed } from "./listed.ts";
import { type ApiRoute, get } from "./route.ts";
import * as shapes from "./schemas.ts";
import { UptimeBook, type Uptimes } from "./uptime.ts";

/** The ranges that are drawn, and how wide their parts are: about a hundred parts each. */
const WIDTHS = { 24: 15 * MINUTE, 168: 2 * HOUR, 720: 6 * HOUR, 2160: DAY } as const;
type Hours = keyof typeof WIDTHS;
const HOURS = "24, 168, 720 or 2160";

/** The past of agents, added up by the store: however much happened, the answer is as long as the picture needs. */
export function rangeRoutes(api: Api): readonly ApiRoute[] {
  const { watcher, store, now } = api;
  const book = new UptimeBook({ store, places: () => watcher.reader.places(), now });
  return [
    get("/uptime", "the uptime of all agents over 7, 30 and 90 days", {
      answer: z.strictObject({
        agents: z
          .record(z.string(), z.array(z.int().nullable()))
          .describe("of 10,000 parts of the judged time how many it was up; null if nothing was judged"),
      }),
      handle: async () => {
        const all = await book.uptimes();
        return new Listed("agents", uptimeTexts(all), { brackets: "{}" });
      },
    }),
    get("/agents/{id}/range", "the last hours of an agent in about a hundred parts", {
      query: z.object({
        hours: z
          .enum(Object.keys(WIDTHS) as [`${Hours}`, ...`${Hours}`[]], { error: HOURS })
          .default("24")
          .describe(`how far back: ${HOURS}`),
      }),
      answer: z.strictObject({
        from: shapes.time,
        to: shapes.time,
        width: z.int().describe("how long each part is, in milliseconds"),
        states: z
          .array(z.partialRecord(shapes.state, z.number()))
          .describe("of each part the time in each state"),
        beats: z.array(z.int()).describe("how many beats arrived in each part"),
        uptime: z.int().nullable().describe("of 10,000 parts of the judged time how many it was up"),
      }),
      problems: ["no-such-agent"],
      handle: async ({ params: { id = "" }, query }) => {
        const place = watcher.reader.place(id);
        if (place === undefined) throw noSuchAgent(id);
        const hours = Number(query.hours) as Hours;
        const cuts = { from: now() - hours * HOUR, until: now(), width: WIDTHS[hours] };
        const [[times], beats] = await Promise.all([
          store.stateTimes([id], cuts),
          store.beatCounts(id, cuts),
        ]);
        const { verdict, since } = place.entry.standing;
        const states = (times ?? timesOfOne(verdict.state, since, cuts)).map(rounded);
        const { up, judged } = upOf(states);
        return {
          ...{ from: iso(cuts.from), to: iso(cuts.until), width: cuts.width, states, beats },
          uptime: judged === 0 ? null : Math.floor((up / judged) * 10_000),
        };
      },
    }),
  ];
}

/** Each as JSON, when it is its turn. */
function* uptimeTexts(all: ReadonlyMap<string, Uptimes>): Generator<string> {
  for (const [id, uptimes] of all) yield `${JSON.stringify(id)}:${JSON.stringify(uptimes)}`;
}

function rounded(times: StateTimes): StateTimes {
  return Object.fromEntries(Object.entries(times).map(([state, length]) => [state, Math.round(length)]));
}
