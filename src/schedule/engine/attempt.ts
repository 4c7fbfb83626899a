import type { Millis } from "../../core/duration.ts";
import { sayDuration } from "../../core/duration.ts";
import type { Clock } from "../../ports/clock.ts";

/** How work came to its end. What it returns or throws after that is ignored. */
export type Attempted<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "failed" | "timed-out" | "abandoned"; readonly problem: string }
  | { readonly kind: "stopped" };

export interface Attempt<Result> {
  readonly ended: Promise<Attempted<Result>>;
  /** Asks it to stop because we go down, and waits as long as it takes. */
  stop(): void;
}

/**
 * Work with an end. When its time is over it is told to stop; if it has not stopped after the grace, nobody waits
 * for it any more.
 *
 *   working ──returns──▶ done        ──throws──▶ failed
 *      └─time over─▶ aborted ──returns or throws──▶ timed-out
 *                       └─grace over─▶ abandoned
 */
export function attempt<Result>(
  clock: Clock,
  limits: { readonly timeout: Millis; readonly grace: Millis },
  work: (abort: AbortSignal) => Promise<Result>,
): Attempt<Result> {
  const controller = new AbortController();
  let late = false;
  let cancel = () => {};
  const ended = new Promise<Attempted<Result>>((end) => {
    const over = (ending: Attempted<Result>) => {
      cancel();
      end(ending);
    };
    const timedOut = {
      kind: "timed-out",
      problem: `it took longer than ${sayDuration(limits.timeout)}`,
    } as const;
    cancel = clock.after(limits.timeout, () => {
      late = true;
      const problem = `${timedOut.problem}, did not stop when told to, and was abandoned`;
      cancel = clock.after(limits.grace, () => over({ kind: "abandoned", problem }));
      controller.abort(new Error(timedOut.problem));
    });
    // An action may throw before it returns its promise.
    Promise.resolve()
      .then(() => work(controller.signal))
      .then(
        (result) => over(late ? timedOut : { kind: "done", result }),
        (error: unknown) => {
          if (late) over(timedOut);
          else if (controller.signal.aborted) over({ kind: "stopped" });
          else over({ kind: "failed", problem: problemOf(error) });
        },
      );
  });
  return { ended, stop: () => controller.abort(new Error("the scheduler is stopping")) };
}

/** What went wrong, for people: without the stack, whatever was thrown. */
export function problemOf(error: unknown): string {
  try {
    return (error instanceof Error && error.message) || String(error);
  } catch {
    return "something that cannot be shown was thrown";
  }
}
