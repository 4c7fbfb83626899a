import type { Ending } from "../../core/action/finish.ts";
import { type ActionState, asJson, type Json, type SessionState } from "../../core/action/state.ts";
import { type Millis, sayDuration } from "../../core/duration.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { HeartbeatAction, HeartbeatContext, HeartbeatResult, HeartbeatSession } from "./action.ts";
import type { SettledOptions } from "./options.ts";
import { gatewayFor, logOf, problemOf, type Surroundings } from "./surroundings.ts";

/** An action with a run that is committed as begun. */
interface Begun {
  readonly action: HeartbeatAction;
  readonly settled: SettledOptions;
  readonly state: ActionState;
}

/** Executes the run that is committed as begun; `ending` says what its end means for the rules. */
export function execute(
  { action, settled, state }: Begun,
  clock: Clock,
  grace: Millis,
  log: Log,
  around: Surroundings,
): { readonly work: Attempt<unknown>; readonly ending: (attempted: Attempted<unknown>) => Ending } {
  const { running } = state;
  if (running === undefined) throw new Error(`no run of ${action.name} is begun`);
  const { session, memory } = openSession(state.session);
  const sent: string[] = [];
  const context = {
    gateway: gatewayFor(around, sent),
    runtime: around.runtime ?? { agent: { id: "rollcall" } },
    session: around.session ?? session,
    logger: around.logger ?? logOf(log, action.name),
    dueAt: running.dueAt,
  };
  const work = attempt<unknown>(clock, { timeout: settled.timeout, grace }, async (abort) => {
    abort.throwIfAborted();
    return action.execute({ ...context, abort } as HeartbeatContext);
  });
  return { work, ending: (attempted) => endingOf(attempted, [...sent], memory) };
}

/** How work came to its end. What it returns or throws after that is ignored. */
type Attempted<Result> =
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
function attempt<Result>(
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

/** A session for one run: it works on a copy, which is taken over only if the run succeeds. */
function openSession(state: SessionState): {
  readonly session: HeartbeatSession;
  readonly memory: () => Readonly<Record<string, Json>>;
} {
  const values = new Map(Object.entries(state.memory));
  return {
    session: {
      said: state.said,
      memory: {
        // A copy each time: what an action does to a value that it got is not kept unless it sets it.
        get: (key) => structuredClone(values.get(key)),
        set: (key, value) => void values.set(key, asJson(value)),
        delete: (key) => void values.delete(key),
      },
    },
    memory: () => Object.fromEntries(values),
  };
}

/** What an attempt means for the rules. A result that is none is the failure of the run, not of the scheduler. */
function endingOf(
  attempted: Attempted<unknown>,
  sent: readonly string[],
  memory: () => Readonly<Record<string, Json>>,
): Ending {
  if (attempted.kind !== "done") return attempted;
  const problem = faultIn(attempted.result);
  if (problem !== undefined) return { kind: "failed", problem };
  const { shouldNotify, message, metadata, skipped } = attempted.result as HeartbeatResult;
  try {
    return {
      kind: "done",
      ...(shouldNotify && message !== undefined ? { message } : {}),
      sent,
      ...(metadata === undefined ? {} : { metadata: asJson(metadata) }),
      memory: memory(),
      ...(skipped === undefined ? {} : { skipped }),
    };
  } catch (error) {
    return { kind: "failed", problem: `metadata of its result is not JSON: ${problemOf(error)}` };
  }
}

function faultIn(result: unknown): string | undefined {
  if (typeof result !== "object" || result === null)
    return `its result is ${result === null ? "null" : typeof result}, not {shouldNotify: …}`;
  const { shouldNotify, message, skipped } = result as Record<string, unknown>;
  if (typeof shouldNotify !== "boolean")
    return `shouldNotify of its result is ${typeof shouldNotify}, not true or false`;
  if (message !== undefined && typeof message !== "string")
    return `message of its result is ${typeof message}, not a text`;
  if (skipped !== undefined && typeof skipped !== "string")
    return `skipped of its result is ${typeof skipped}, not a reason`;
  if (shouldNotify && (message ?? "").trim() === "")
    return "its result has shouldNotify, but no message to send";
  return undefined;
}
