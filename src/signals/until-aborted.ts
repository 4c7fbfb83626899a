/** Waits for `work`, but no longer than until the signal says that the time is over; then it is `undefined`. */
export async function untilAborted<T>(work: Promise<T>, abort: AbortSignal): Promise<T | undefined> {
  if (abort.aborted) {
    // Nobody waits for it any more, and that it may fail is no news.
    work.catch(() => undefined);
    return undefined;
  }
  return await new Promise<T | undefined>((resolve, reject) => {
    const onAbort = () => resolve(undefined);
    abort.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => abort.removeEventListener("abort", onAbort));
  });
}
