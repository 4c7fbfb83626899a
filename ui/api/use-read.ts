import { useEffect, useState } from "preact/hooks";
import { Problem, read } from "./ask.ts";

export interface Reading<T> {
  readonly value?: T;
  readonly problem?: Problem;
  /** True where the watcher has no such thing: an older one, or a part that is not set up. */
  readonly absent: boolean;
  readonly again: () => void;
}

/**
 * Reads an address, again when it or `version` changes, and every so often while the page is looked at. What was read
 * before stays on the page while it is read again, and when that fails.
 */
export function useRead<T>(
  path: string | undefined,
  options: { version?: unknown; every?: number } = {},
): Reading<T> {
  const [state, set] = useState<{ path?: string; value?: T; problem?: Problem }>({});
  const [round, setRound] = useState(0);
  const { every, version } = options;

  // A new version or round is a reason to read again.
  useEffect(() => {
    if (path === undefined) return;
    const abort = new AbortController();
    read<T>(path, abort.signal).then(
      (value) => set({ path, value }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const problem = error instanceof Problem ? error : new Problem(0, "unreadable", String(error));
        set((before) => ({ ...(before.path === path ? before : { path }), problem }));
      },
    );
    return () => abort.abort();
  }, [path, version, round]);

  useEffect(() => {
    if (every === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") setRound((count) => count + 1);
    }, every);
    return () => clearInterval(timer);
  }, [every]);

  const current = state.path === path ? state : {};
  return {
    ...current,
    absent: current.problem?.status === 404,
    again: () => setRound((count) => count + 1),
  };
}
