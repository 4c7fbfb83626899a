import { MINUTE } from "../../core/duration.ts";
import type { Release } from "../../core/recovery/ladder.ts";
import type { Acted, Recoverer, Target } from "../../ports/recovery.ts";
import { start } from "../kit/command.ts";
import type { RecoveryDeps } from "../kit/deps.ts";

/** Says that the work of a dead agent is free, so that another may take it. */
export function release(how: Release, { home }: Pick<RecoveryDeps, "home">): Recoverer {
  return {
    act: (target, abort) =>
      how.by === "webhook" ? post(how.url, target, abort) : command(how, target, home, abort),
  };
}

async function command(
  how: Extract<Release, { by: "command" }>,
  target: Target,
  home: string,
  abort: AbortSignal,
): Promise<Acted> {
  const went = await start(how, target, { home, kind: "release", wait: MINUTE, ends: true, abort });
  if (went.how === "unstarted")
    return { outcome: "failed", problem: `the command could not be started: ${went.problem}` };
  if (went.how === "ended" && went.ok) return { outcome: "done", note: "the command ended with exit 0" };
  const exit = went.how === "ended" ? went.exit : "did not end";
  return { outcome: "failed", problem: `the command: ${exit}; see logs/${target.agent.id}.release.log` };
}

/** The address may hold a secret: it is never said. */
async function post(
  url: string,
  { key, agent, incident, aim, why }: Target,
  abort: AbortSignal,
): Promise<Acted> {
  const { state, reason } = aim;
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ event: "release", key, agent: agent.id, incident, state, reason, why }),
      redirect: "manual",
      signal: abort,
    });
    await answer.body?.cancel();
    if (answer.ok) return { outcome: "done", note: `the webhook answered ${answer.status}` };
    return { outcome: "failed", problem: `the webhook answered ${answer.status || "with a redirect"}` };
  } catch (error) {
    return {
      outcome: "failed",
      problem: `the webhook did not answer (${abort.aborted ? "time-out" : codeOf(error)})`,
    };
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === "string" ? cause.code : "no connection";
}
