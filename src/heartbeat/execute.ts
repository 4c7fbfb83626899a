import type { Ending } from "../core/action/finish.ts";
import type { Millis } from "../core/duration.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { HeartbeatGateway, HeartbeatRuntime } from "./action.ts";
import { type Attempt, type Attempted, attempt } from "./attempt.ts";
import { endingOf } from "./ending.ts";
import type { Entry } from "./entry.ts";
import { logOf } from "./log.ts";
import { openSession } from "./session.ts";

/** What the actions are handed, as far as the program that schedules them says. */
interface Surroundings {
  readonly gateway?: Partial<HeartbeatGateway>;
  readonly runtime?: HeartbeatRuntime;
}

/** Executes the run that is committed as begun; `ending` says what its end means for the rules. */
export function execute(
  { action, settled, state }: Entry,
  clock: Clock,
  grace: Millis,
  log: Log,
  { gateway, runtime = { agent: { id: "rollcall" } } }: Surroundings,
): { readonly work: Attempt<unknown>; readonly ending: (attempted: Attempted<unknown>) => Ending } {
  const { running } = state;
  if (running === undefined) throw new Error(`no run of ${action.name} is begun`);
  const { session, memory } = openSession(state.session);
  const sent: string[] = [];
  const context = {
    gateway: {
      send: gateway?.send ?? ((text: string) => void sent.push(String(text))),
      roll: gateway?.roll ?? (async () => []),
    },
    runtime,
    session,
    logger: logOf(log, action.name),
    dueAt: running.dueAt,
  };
  const work = attempt<unknown>(clock, { timeout: settled.timeout, grace }, async (abort) => {
    abort.throwIfAborted();
    return action.execute({ ...context, abort });
  });
  return { work, ending: (attempted) => endingOf(attempted, [...sent], memory) };
}
