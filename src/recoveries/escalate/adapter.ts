import * as z from "zod";
import { text } from "../../ports/setting-forms.ts";
import type { RecoveryAdapter } from "../kit/adapter.ts";

const PLACES = "a list of channel names";

const settings = z.object({
  to: z
    .array(text(PLACES), { error: PLACES })
    .meta({ description: "the channels that an escalation sends to" })
    .optional(),
});

/** People are told by the loop itself, through the outbox. */
export const escalateStep: RecoveryAdapter<"escalate", typeof settings> = {
  kind: "escalate",
  settings,
  read: ({ to = [] }) => ({ do: "escalate", to }),
  open: () => ({ act: async () => ({ outcome: "dropped", why: "an escalation only sends messages" }) }),
};
