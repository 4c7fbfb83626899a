import * as z from "zod";
import type { RecoveryAdapter } from "../kit/adapter.ts";
import { word } from "../kit/way.ts";

const PLACES = "a list of the names of channels";

const settings = z.object({
  to: z.array(word(PLACES), { error: PLACES }).meta({ description: "whom an escalation tells" }).optional(),
});

/** People are told by the loop itself, through the outbox. */
export const escalateStep: RecoveryAdapter<"escalate", typeof settings> = {
  kind: "escalate",
  settings,
  read: ({ to = [] }) => ({ do: "escalate", to }),
  open: () => ({ act: async () => ({ outcome: "dropped", why: "there is nothing to do but to tell" }) }),
};
