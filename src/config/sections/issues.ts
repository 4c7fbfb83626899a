import * as z from "zod";
import { FORGES } from "../../forges/registry.ts";
import { KINDS } from "../../forges/settings.ts";
import { channels, duration, mapping, yesNo } from "./kit.ts";

const STATES = ["dead", "stalled", "failing", "waiting", "limited"] as const;

const incidents = mapping({
  states: z
    .array(z.enum(STATES, { error: `one of ${STATES.join(", ")}` }), {
      error: `a list of states, such as ${STATES.join(", ")}`,
    })
    .describe("incidents in these states become issues; none: []")
    .default(["dead", "stalled"]),
  after: duration.describe("how long one must last before it does").prefault("15m"),
});

const more = {
  incidents: incidents.describe("which incidents become root-cause issues").prefault({}),
  escalateTo: channels
    .describe("the channels for an issue that nobody resolves; all channels unless given")
    .optional(),
  closeOnRecovery: yesNo.describe("whether an issue is closed when its agent is well again").default(false),
};

const [first, ...others] = FORGES;

/** Where issues are filed, of which incidents, and what becomes of them. */
export const issueSettings = z.discriminatedUnion(
  "kind",
  [first.settings.safeExtend(more), ...others.map(({ settings }) => settings.safeExtend(more))],
  { error: KINDS },
);
