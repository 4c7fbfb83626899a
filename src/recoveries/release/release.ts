import * as z from "zod";
import { MINUTE } from "../../core/duration.ts";
import type { Release } from "../../core/recovery/ladder.ts";
import type { Acted, Recoverer, Target } from "../../ports/recovery.ts";
import { askHttp, isGood } from "../../system/http.ts";
import type { RecoveryAdapter, RecoveryDeps } from "../kit/adapter.ts";
import { start } from "../kit/command.ts";
import { commandOf, way } from "../kit/way.ts";

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
  const headers = { "content-type": "application/json", "idempotency-key": key };
  const body = JSON.stringify({ event: "release", key, agent: agent.id, incident, state, reason, why });
  const answer = await askHttp({ url, method: "POST", headers, body, most: 0, abort });
  if ("failure" in answer) {
    const why = answer.failure === "aborted" ? "time-out" : answer.failure;
    return { outcome: "failed", problem: `the webhook did not answer (${why})` };
  }
  const said = `the webhook answered ${answer.status}`;
  return isGood(answer) ? { outcome: "done", note: said } : { outcome: "failed", problem: said };
}

const settings = z.object({ with: way });

export const releaseStep: RecoveryAdapter<"release", typeof settings> = {
  kind: "release",
  settings,
  read({ with: written = {} }) {
    const command = commandOf(written);
    if (command !== undefined && "path" in command) return command;
    const { run, unit, respawn, webhook } = written;
    if ((run ?? unit ?? respawn) === undefined) {
      if (command !== undefined && webhook === undefined)
        return { do: "release", with: { by: "command", ...command } };
      if (command === undefined && webhook !== undefined)
        return { do: "release", with: { by: "webhook", url: webhook } };
    }
    return { path: "with", message: "exactly one of command and webhook" };
  },
  open: ({ with: how }, deps) => release(how, deps),
};
