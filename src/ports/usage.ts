import * as z from "zod";
import { bestOf, sumOf, type Usage } from "../core/usage/usage.ts";

const number = z.number();
const text = z.string();

/** Usage as a signal remembers it. */
export const usageShape = z.object({
  days: z.array(
    z.object({
      day: text,
      ...{ input: number, output: number, cacheRead: number, cacheWrite: number },
      ...{ cost: number, compactions: number },
    }),
  ),
  context: number.optional(),
  limits: z.array(
    z.object({
      name: z.enum(["5h", "7d"]),
      ...{ used: number, at: number },
      resetsAt: number.optional(),
      earlier: z.array(z.tuple([number, number])),
    }),
  ),
  at: number,
});

const written = z.object({ ledger: z.object({ usage: usageShape }) });
const told = z.array(z.object({ usage: usageShape.optional() }).catch({}));

/** What an agent used, by what its signals remember; undefined if nothing tells of it. */
export function usageIn(memories: Readonly<Record<string, unknown>>): Usage | undefined {
  const transcript = written.safeParse(memories.transcript).data?.ledger.usage as Usage | undefined;
  const sessions = told.safeParse(memories.hook).data ?? [];
  const hook = sumOf(sessions.flatMap(({ usage }) => (usage === undefined ? [] : [usage as Usage])));
  const known = [transcript, hook].filter((each) => each !== undefined && each.at > 0);
  return bestOf(known as Usage[]);
}
