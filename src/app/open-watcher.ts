import { type Instant, iso } from "../core/duration.ts";
import { policyOf } from "../features/policy.ts";
import type { IncidentResponse } from "../features/telling/incident-response.ts";
import { crashNow } from "../home/crashes.ts";
import { hostName, putBackSecrets } from "../home/home.ts";
import { BeatFiles } from "../home/intake/beat-files.ts";
import type { Spool } from "../home/intake/spool.ts";
import { takeFiles } from "../home/intake/take-files.ts";
import type { AgentSnapshot } from "../ports/store.ts";
import { systemClock } from "../system/clock.ts";
import { RollError } from "../watch/intent.ts";
import { Watcher } from "../watch/watcher.ts";
import { Metrics } from "../web/metrics/metrics.ts";
import { openStanding } from "./open-store.ts";
import type { Starting } from "./take-home.ts";

export type Watching = Awaited<ReturnType<typeof openWatcher>>;

/** Opens the store and loads the watcher from it. Nobody is judged yet. */
export async function openWatcher(
  { options, home, first, closers, step, writer, pidFile, log, crashes, secrets, term }: Starting,
  response: IncidentResponse,
) {
  let onLost: (problem: Error) => void = () => {};
  // Two watchers must not go on beside each other: this ends us as any other error that nobody can mend.
  const end = (error: Error) =>
    setImmediate(() => {
      throw error;
    });
  const { standing, snapshot } = await openStanding(first, {
    ...{ home, writer, log, strict: options.strict === true },
    onLost: (problem) => onLost(problem),
    restoreFiles: () => {
      putBackSecrets(home, secrets.token, secrets.pingSecret);
      pidFile.publish();
    },
    onTaken: end,
    onFenced: term?.onFenced ?? end,
    takeFrom: term?.takeFrom,
  });
  const metrics = new Metrics();
  const store = metrics.measured(standing.store);
  closers.add(() => store.close());
  step("store");
  const before = pidFile.takeBefore();
  if (before !== undefined) {
    // Whoever leaves its PID file behind did not end cleanly.
    const crash = crashNow(before.incarnation, snapshot.mark?.at ?? Date.parse(before.startedAt));
    crashes.record(crash);
    log.warn({ pid: before.incarnation.pid, at: crash.at }, "the daemon before this one did not end cleanly");
  }
  const { bootId } = pidFile.record.incarnation;
  const watcher = await Watcher.load(
    { store, clock: systemClock, log, bootId, host: hostName() },
    response.routed(policyOf(first, systemClock.wall())),
    snapshot,
  );
  closers.add(() => watcher.stop());
  onLost = (problem) => watcher.cannotStore(problem);
  standing.start();
  closers.add(() => standing.stop());
  step("watcher");
  // The config may have changed while nobody watched.
  const removed = removedSince(snapshot, watcher);
  // Until the recoverers start, nobody else changes what counts.
  return { store, watcher, removed, metrics, recoveries: snapshot.recoveries };
}

/** The agents that are no longer on the roll, and when each had last beaten. */
function removedSince(
  { agents, entries, unflushed }: AgentSnapshot,
  { reader }: Watcher,
): Map<string, Instant> {
  const gone = agents.filter(({ id }) => reader.place(id) === undefined);
  const removed = new Map<string, Instant>(gone.map(({ id }) => [id, 0]));
  if (removed.size === 0) return removed;
  for (const beat of [...entries.flatMap(({ lastBeat }) => lastBeat ?? []), ...unflushed]) {
    const last = removed.get(beat.agent);
    if (last !== undefined) removed.set(beat.agent, Math.max(last, beat.sentAt));
  }
  return removed;
}

/** Takes up what waited for us: an agent that beat while we were down is not overdue. */
export async function openIntake(
  { options, home, closers, step, log }: Starting,
  { watcher, removed }: Pick<Watching, "watcher" | "removed">,
): Promise<Spool> {
  const beatFiles = new BeatFiles(home.beats, log);
  for (const [id, heardAt] of removed) beatFiles.forget(id, heardAt);
  closers.add(() => beatFiles.stop());
  watcher.onCommitted((changes) => {
    beatFiles.note(changes.beats ?? []);
    for (const id of changes.removed ?? []) beatFiles.forget(id);
    for (const flip of changes.flips ?? []) {
      log.info({ agent: flip.agent, from: flip.from, to: flip.to, at: iso(flip.at), why: flip.why }, "flip");
      options.onFlip?.(flip);
    }
  });
  const isFinal = (error: unknown) => error instanceof RollError;
  const { spool, stop } = await takeFiles({ home, log, accept: watcher.accept.bind(watcher), isFinal });
  closers.add(stop);
  step("intake");
  return spool;
}
