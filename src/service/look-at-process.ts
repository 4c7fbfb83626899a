import { existsSync } from "node:fs";
import { journalPath } from "../agent/journal.ts";
import { beatAt } from "../core/beat.ts";
import type { Instant } from "../core/duration.ts";
import { lastSeen } from "../core/liveness/last-seen.ts";
import type { Gone } from "../core/liveness/observation.ts";
import { FULL_TRUST } from "../core/liveness/trust.ts";
import { ownId } from "../features/own-beat/own-id.ts";
import type { Home } from "../home/home.ts";
import { runningWatcher } from "../home/running-watcher.ts";
import type { ProcessSettings } from "../signals/process/settings.ts";
import type { Proc } from "../system/proc.ts";
import { notice, type RollPlace, verdictAt } from "../watch/roll-place.ts";

/**
 * An agent whose process may have ended since anybody watched. What its settings name is looked at, and the process of a
 * cycle that `rollcall run` left open. A pattern is not looked for: whoever asks has it on the command line as well.
 */
export async function lookAtProcess(
  place: RollPlace,
  home: Home,
  proc: Proc,
  now: Instant,
  watchedAt?: Instant,
): Promise<RollPlace> {
  const { agent, entry } = place;
  if (agent.id === ownId()) return lookAtWatcher(place, home, now, watchedAt);
  const declared = await processOf(agent);
  if (declared?.match !== undefined) return place;
  const inHome = declared === undefined || declared.journal === true;
  const journal = journalPath(agent.id, home.path);
  // Most agents have neither, and so need none of the code that looks.
  if (declared === undefined && entry.memories?.process === undefined && !existsSync(journal)) return place;
  const { processSignal } = await import("../signals/process/signal.ts");
  const settings = inHome ? { journal } : declared;
  const reader = processSignal(settings, entry.memories?.process, proc);
  const found = await reader.look({ now, abort: new AbortController().signal, fresh: true });
  // Where no process is declared, the watcher counts none either: only its end is news.
  const news = declared === undefined ? found.filter(({ kind }) => kind === "gone") : found;
  const facts = news.map((fact) => (fact.kind === "gone" ? lastSeen(fact, entry.lastBeat) : fact));
  return notice(place, facts, {}, FULL_TRUST, now);
}

/** Settings are checked by a large library, which agents without any do not need. */
async function processOf({ signals }: RollPlace["agent"]): Promise<ProcessSettings | undefined> {
  if (signals?.process === undefined) return undefined;
  const { signalSettings } = await import("../signals/settings.ts");
  return signalSettings.safeParse(signals).data?.process;
}

/** The watcher's own agent: while no watcher runs, its last beat proves nothing, however fresh it is. */
function lookAtWatcher(place: RollPlace, home: Home, now: Instant, watchedAt: Instant = 0): RollPlace {
  const { lastBeat } = place.entry;
  if (lastBeat === undefined || runningWatcher(home) !== undefined) return place;
  const isUnmarked = watchedAt <= beatAt(lastBeat);
  if (isUnmarked && verdictAt(place, now, FULL_TRUST).state === "dead") return place;
  // It beats only every few minutes; with each commit it notes that it watches.
  const at = Math.min(Math.max(beatAt(lastBeat), watchedAt), now);
  const life = lastBeat.incarnation === undefined ? {} : { incarnation: lastBeat.incarnation };
  const gone: Gone = { kind: "gone", signal: "process", at, seenAt: now, clean: false, ...life };
  return notice(place, [gone], {}, FULL_TRUST, now);
}
