import { asJson, type Json } from "../../core/action/json.ts";
import type { SessionState } from "../../core/action/state.ts";
import type { HeartbeatSession } from "./action.ts";

/** A session for one run: it works on a copy, which is taken over only if the run succeeds. */
export function openSession(state: SessionState): {
  readonly session: HeartbeatSession;
  readonly memory: () => Readonly<Record<string, Json>>;
} {
  const values = new Map(Object.entries(state.memory));
  return {
    session: {
      said: state.said,
      memory: {
        // A copy each time: what an action does to a value that it got is not kept unless it sets it.
        get: (key) => structuredClone(values.get(key)),
        set: (key, value) => void values.set(key, asJson(value)),
        delete: (key) => void values.delete(key),
      },
    },
    memory: () => Object.fromEntries(values),
  };
}
