import type { Ending } from "../../core/action/finish.ts";
import type { Millis } from "../../core/duration.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { HeartbeatContext } from "./action.ts";
import { type Attempt, type Attempted, attempt } from "./attempt.ts";
import { endingOf } from "./ending.ts";
import type { Entry } from "./entry.ts";
import { logOf } from "./log.ts";
import { openSession } from "./session.ts";
import { gatewayFor, type Surroundings } from "./surroundings.ts";

/** Executes the run that is committed as begun; `ending` says what its end means for the rules. */
export function execute(
  { action, settled, state }: Entry,
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
