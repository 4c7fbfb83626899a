import { useEffect, useRef, useState } from "preact/hooks";
import { Problem, read } from "./ask.ts";

export interface ReadState<T> {
  readonly value?: T;
  readonly problem?: Problem;
  /** True where the watcher has no such thing: an older one, or a part that is not set up. */
  readonly absent: boolean;
  readonly again: () => void;
}

/** An agent that beats many times a second is not read as often. */
const PAUSE = 1000;

/**
 * Reads an address, again when `version` changes, and every so often while the page is looked at. What was read before
 * stays on the page while it is read again, and when that fails.
 */
export function useRead<T>(
  path: string | undefined,
  options: { version?: unknown; every?: number; patience?: number } = {},
): ReadState<T> {
  const [state, set] = useState<{ path?: string; value?: T; problem?: Problem }>({});
  const ask = useRef(() => {});
  const { every, version, patience } = options;

  useEffect(() => {
    if (path === undefined) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let [busy, wanted, last] = [false, false, 0];
    const run = async () => {
      timer = undefined;
      last = Date.now();
      busy = true;
      try {
        const value = await read<T>(path, abort.signal, patience);
        if (!abort.signal.aborted) set({ path, value });
      } catch (error) {
        if (abort.signal.aborted) return;
        const problem = error instanceof Problem ? error : new Problem(0, "unreadable", String(error));
        set((before) => ({ ...(before.path === path ? before : { path }), problem }));
      }
      busy = false;
      if (wanted) ask.current();
    };
    // One at a time, and never one that is under way broken off by the next: a busy agent would never be read.
    ask.current = () => {
      wanted = busy;
      if (!busy) timer ??= setTimeout(run, Math.max(0, last + PAUSE - Date.now()));
    };
    ask.current();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [path, patience]);

  useEffect(() => ask.current(), [version]);

  useEffect(() => {
    if (every === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") ask.current();
    }, every);
    return () => clearInterval(timer);
  }, [every]);

  const current = state.path === path ? state : {};
  return { ...current, absent: current.problem?.status === 404, again: () => ask.current() };
}

/** The same, with what was read last while a longer list is read: the page does not jump. */
export function useReadOn<T>(
  path: string | undefined,
  options: { version?: unknown; every?: number; patience?: number } = {},
): ReadState<T> {
  const reading = useRead<T>(path, options);
  const last = useRef(reading.value);
  last.current = reading.value ?? last.current;
  return last.current === undefined ? reading : { ...reading, value: last.current };
}
