import { stripVTControlCharacters } from "node:util";
import { listWork, type Work } from "../../agent/work.ts";
import type { Instant } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import { grouped } from "../../core/grouped.ts";
import { shown } from "../../core/hook/words.ts";
import type { Observation, WorkMark } from "../../core/liveness/observation.ts";
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
    // Asked for thousands in a row, and mostly there is none at all.
    return listed.size === 0 ? NONE : (listed.get(agent) ?? NONE);
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
      return factsOf(list, now);
    },
    close() {},
  };
}

/** That there is work or none, and when it last went on. */
function factsOf(list: readonly Work[], now: Instant): readonly Observation[] {
  const mark = markOf(list, now);
  if (list.length === 0) return [mark];
  const updated = Math.max(...list.map(({ updatedAt }) => Date.parse(updatedAt)));
  return [mark, { kind: "activity", signal: "work", at: updated, seenAt: now, context: "unknown" }];
}

/** What is recorded of an agent's work, oldest first. */
function markOf(list: readonly Work[], now: Instant): WorkMark {
  const [oldest] = list;
  if (oldest === undefined) return { kind: "work", signal: "work", at: now, seenAt: now, open: false };
  const wentOn = list.filter(({ startedAt, updatedAt }) => updatedAt !== startedAt);
  const updatedAt = Math.max(...wentOn.map((work) => Date.parse(work.updatedAt)));
  return {
    ...{ kind: "work", signal: "work", at: Date.parse(oldest.startedAt), seenAt: now, open: true },
    ...given({ updatedAt: wentOn.length === 0 ? undefined : updatedAt, notProven: notProven(list) }),
  };
}

/**
 * The same for agents without signals, in which no round looks: of all of them that have work on record, or had some.
 * `known`: the agents of whose work it was told before the last restart.
 */
export function workWithoutSignals(
  home: string,
  known: Iterable<string>,
): (now: Instant) => readonly { readonly agent: string; readonly facts: readonly Observation[] }[] {
  const told = new Map<string, string>([...known].map((agent) => [agent, ""]));
  return (now) => {
    const listed = grouped(listWork(home), ({ agent }) => agent);
    return [...new Set([...told.keys(), ...listed.keys()])].flatMap((agent) => {
      const list = listed.get(agent) ?? NONE;
      const says = JSON.stringify(list);
      if (told.get(agent) === says) return [];
      if (list.length === 0) told.delete(agent);
      else told.set(agent, says);
      return [{ agent, facts: factsOf(list, now) }];
    });
  };
}

/** The last of the work that was said to be done and whose check failed. Its last words are the agent's own, so secrets are removed. */
function notProven(list: readonly Work[]): WorkMark["notProven"] {
  const claims = list.flatMap(({ what, failed }) => (failed === undefined ? [] : [{ what, ...failed }]));
  const [first, ...rest] = claims;
  if (first === undefined) return undefined;
  const { at, what, check, problem, output } = rest.reduce((a, b) => (b.at > a.at ? b : a), first);
  const words = lastWords(output);
  const says = `"${shown(what)}" was reported as done, but its check ${problem}: ${shown(check)}`;
  return { at: Date.parse(at), says: words === "" ? says : `${says}; it wrote last: ${words}` };
}

/** The end of what a check wrote, as people read it. */
function lastWords(output: string): string {
  const lines = stripVTControlCharacters(output)
    .split("\n")
    .filter((line) => line.trim() !== "");
  return shown(lines.slice(-3).join(" / ")).slice(-300);
}
