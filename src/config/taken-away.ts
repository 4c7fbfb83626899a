import type { Config } from "./load.ts";
import { isOver } from "./sessions.ts";

/** A reload would take so many agents off the roll that it looks like a mistake. */
export class TakesAwayError extends Error {
  override readonly name = "TakesAwayError";
  readonly code = "takes-away-agents";
}

/** Fewer are a matter of course. */
const MANY = 3;
const NAMED = 10;

/** Refuses a config that no longer declares more than half, and at least three, of the agents in force. */
export function refuseTakingAway(running: Config, next: Config): void {
  const left = new Set(next.agents.map(({ id }) => id));
  // A session whose log is gone is over: no config takes it away.
  const declared = running.agents.filter((agent) => !isOver(agent));
  const gone = declared.map(({ id }) => id).filter((id) => !left.has(id));
  const all = declared.length;
  if (gone.length < MANY || gone.length * 2 <= all) return;
  const named = gone.slice(0, NAMED).join(", ");
  const rest = gone.length > NAMED ? ` and ${gone.length - NAMED} more` : "";
  throw new TakesAwayError(
    `${next.file ?? "the config"} removes ${gone.length} of ${all} declared agents (${named}${rest}), ` +
      "so the old config stays in force; if you mean it: rollcall daemon reload --yes",
  );
}
