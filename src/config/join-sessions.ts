import type { Millis } from "../core/duration.ts";
import type { Clock } from "../ports/clock.ts";
import type { DeclaredAgent } from "./declared-agent.ts";
import { findSessions, type SessionPattern } from "./sessions.ts";

interface Joining {
  readonly clock: Pick<Clock, "after">;
  readonly config: () => {
    readonly agents: readonly DeclaredAgent[];
    readonly sessions: readonly SessionPattern[];
    readonly livenessInterval: Millis;
  };
  readonly join: (agents: readonly DeclaredAgent[]) => Promise<void>;
  readonly onProblem: (error: unknown) => void;
}

/** Looks once a round for session logs that are new, and lets their agents join. The answer ends it. */
export function joinSessions({ clock, config, join, onProblem }: Joining): () => Promise<void> {
  let stopped = false;
  let cancel = () => {};
  let under: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    const { agents, sessions } = config();
    if (sessions.length === 0) return;
    const known = new Map(agents.map((agent) => [agent.id, agent]));
    const found = await findSessions(sessions, known);
    if (found.agents.length > 0 && !stopped) await join(found.agents);
  };
  const arm = () => {
    if (stopped) return;
    cancel = clock.after(config().livenessInterval, () => {
      under = look().catch(onProblem).finally(arm);
    });
  };
  arm();
  return async () => {
    stopped = true;
    cancel();
    await under;
  };
}
