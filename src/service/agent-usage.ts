import type { Instant } from "../core/duration.ts";
import { usageIn } from "../ports/usage.ts";
import { conversationOf } from "../recoveries/restart/conversation.ts";
import { showUsage, type UsageView } from "../views/usage.ts";
import type { RollPlace } from "../watch/roll-place.ts";

/** What an agent used, and in which conversation, by what its signals remember. */
export function usageOf({ agent, entry: { memories = {} } }: RollPlace, now: Instant): UsageView {
  return showUsage(agent.id, conversationOf({ agent, memories }) ?? null, usageIn(memories), now);
}
