import * as z from "zod";
import { parseDuration } from "../../core/duration.ts";
import { FORGES } from "../../forges/registry.ts";
import { KINDS } from "../../forges/settings.ts";

const AFTER = "a duration such as 15m";
const STATES = ["dead", "stalled", "failing", "waiting", "limited"] as const;

const incidents = z.strictObject(
  {
    states: z
      .array(z.enum(STATES, { error: `one of ${STATES.join(", ")}` }), {
        error: `a list of states, such as ${STATES.join(", ")}`,
      })
      .meta({ description: "incidents in these states become issues; none: []" })
      .default(["dead", "stalled"]),
    after: z
      .string({ error: AFTER })
      .meta({ description: "how long one must last before it does" })
      .transform((value, context) => {
        const length = parseDuration(value);
        if (length !== undefined) return length;
        context.addIssue({ code: "custom", message: AFTER });
        return z.NEVER;
      })
      .prefault("15m"),
  },
  { error: "a mapping of keys to values" },
);

const more = {
  incidents: incidents.meta({ description: "which incidents become root-cause issues" }).prefault({}),
  escalateTo: z
    .array(z.string({ error: "the name of a channel" }), { error: "a list of channels" })
    .meta({ description: "who is told of an issue that nobody resolves; all channels unless given" })
    .optional(),
  closeOnRecovery: z
    .boolean({ error: "true or false" })
    .meta({ description: "whether an issue is closed when its agent is well again" })
    .default(false),
};

const [first, ...others] = FORGES;

/** Where issues are filed, of which incidents, and what becomes of them. */
export const issueSettings = z.discriminatedUnion(
  "kind",
  [first.settings.safeExtend(more), ...others.map(({ settings }) => settings.safeExtend(more))],
  { error: KINDS },
);
