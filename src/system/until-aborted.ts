/** Who waits for a signal: one listener each, however many look in the same round. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Waits for `work`, but no longer than until the signal says that the time is over; then it is `otherwise`. */
export function untilAborted<T>(work: Promise<T>, abort: AbortSignal, otherwise: T): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = () => resolve(otherwise);
    const waiters = waitersOf(abort);
    waiters.add(giveUp);
    work.then(resolve, reject).finally(() => waiters.delete(giveUp));
    if (abort.aborted) giveUp();
  });
}

function waitersOf(abort: AbortSignal): Set<() => void> {
  const known = waiting.get(abort);
  if (known !== undefined) return known;
  const waiters = new Set<() => void>();
  waiting.set(abort, waiters);
  abort.addEventListener(
    "abort",
    () => {
      for (const giveUp of waiters) giveUp();
    },
    { once: true },
  );
  return waiters;
}
