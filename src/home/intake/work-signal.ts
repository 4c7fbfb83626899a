import { listWork, type Work } from "../../agent/work.ts";
import type { Instant } from "../../core/duration.ts";
import { grouped } from "../../core/grouped.ts";
import type { Observation } from "../../core/liveness/observation.ts";
import type { Look, SignalReader } from "../../ports/signal.ts";

const NONE: readonly Work[] = [];

/** Opens readers of what is recorded as under way. All of them share one look at the folder a round. */
export function workSignals(home: string): (agent: string) => SignalReader {
  let listedAt: Instant | undefined;
  let listed: ReadonlyMap<string, readonly Work[]> = new Map();
  const workOf = (agent: string, now: Instant): readonly Work[] => {
    if (listedAt !== now) {
      listedAt = now;
      listed = grouped(listWork(home), (work) => work.agent);
    }
    return listed.get(agent) ?? NONE;
  };
  return (agent) => workSignal(agent, workOf);
}

/** What is recorded as under way of one agent: that there is some, since when, and when it last went on. */
function workSignal(agent: string, workOf: (agent: string, now: Instant) => readonly Work[]): SignalReader {
  let told: string | undefined;
  return {
    signal: "work",
    glance(now) {
      const list = workOf(agent, now);
      // An agent that never had any work on record is not said to have finished it.
      return list.length === 0 ? told === undefined || told === "[]" : JSON.stringify(list) === told;
    },
    async look({ now, fresh }: Look): Promise<readonly Observation[]> {
      if (this.glance?.(now) === true && (!fresh || workOf(agent, now).length === 0)) return [];
      const list = workOf(agent, now);
      told = JSON.stringify(list);
      const [oldest] = list;
      if (oldest === undefined) return [{ kind: "work", signal: "work", at: now, open: false }];
      const updated = Math.max(...list.map(({ updatedAt }) => Date.parse(updatedAt)));
      const wentOn = list.filter(({ startedAt, updatedAt }) => updatedAt !== startedAt);
      const updatedAt = Math.max(...wentOn.map((work) => Date.parse(work.updatedAt)));
      const mark = { kind: "work", signal: "work", at: Date.parse(oldest.startedAt), open: true } as const;
      return [
        wentOn.length === 0 ? mark : { ...mark, updatedAt },
        { kind: "activity", signal: "work", at: updated, seenAt: now, context: "unknown" },
      ];
    },
    close() {},
  };
}
