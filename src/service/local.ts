import { actionOperations } from "./actions.ts";
import { agentOperations } from "./agents.ts";
import { historyOperations } from "./history.ts";
import { hostOperations } from "./hosts.ts";
import { incidentOperations } from "./incidents.ts";
import type { Operations } from "./operations.ts";
import type { LocalParts } from "./parts.ts";
import { tokenOperations } from "./tokens.ts";

/** The operations on a watcher and a store in this process. */
export function localOperations(parts: LocalParts): Operations {
  return {
    ...agentOperations(parts),
    ...historyOperations(parts),
    ...incidentOperations(parts),
    ...actionOperations(parts),
    ...tokenOperations(parts),
    ...hostOperations(parts),
  };
}
