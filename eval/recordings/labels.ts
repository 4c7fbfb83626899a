import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Label } from "./score.ts";

/** The recordings call our `spinning` "spinner-only". */
const state = z
  .enum([
    ...["working", "waiting", "login", "limited", "retrying", "idle"],
    ...["exited", "looping", "spinning", "spinner-only"],
  ] as const)
  .transform((name) => (name === "spinner-only" ? "spinning" : name));
const schema = z.object({
  client: z.string().default("unknown"),
  labels: z.array(z.object({ from: z.number(), to: z.number(), state, alt: z.array(state).nullish() })),
});

/** What a recording is known to show. Only the scoring looks at it, never the reading. */
export function labelsOf(folder: string, name: string): { client: string; labels: Label[] } {
  const file = join(folder, `${name}.json`);
  if (!existsSync(file)) return { client: "unknown", labels: [] };
  const { client, labels } = schema.parse(JSON.parse(readFileSync(file, "utf8")));
  return { client, labels: labels.map(({ alt, ...label }) => ({ ...label, alt: alt ?? [] })) };
}
