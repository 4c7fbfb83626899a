import { listWork } from "../../agent/work.ts";
import type { Observation } from "../../core/liveness/observation.ts";
import type { Look, SignalReader } from "../../ports/signal.ts";

/** What is recorded as under way of one agent: that there is some, since when, and when it last went on. */
export function workSignal(agent: string, home: string): SignalReader {
  let told = "";
  return {
    signal: "work",
    async look({ now, fresh }: Look): Promise<readonly Observation[]> {
      const list = listWork(home, agent);
      const state = JSON.stringify(list);
      if (state === told && !fresh) return [];
      // An agent that never had any work on record is not said to have finished it.
      if (list.length === 0 && (told === "" || told === "[]")) return [];
      told = state;
      const [oldest] = list;
      if (oldest === undefined) return [{ kind: "work", signal: "work", at: now, open: false }];
      const updated = Math.max(...list.map(({ updatedAt }) => Date.parse(updatedAt)));
      return [
        { kind: "work", signal: "work", at: Date.parse(oldest.startedAt), open: true },
        { kind: "activity", signal: "work", at: updated, seenAt: now, context: "unknown" },
      ];
    },
    close() {},
  };
}
