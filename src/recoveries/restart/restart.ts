import * as z from "zod";
import type { Incarnation } from "../../core/beat.ts";
import { type Millis, SECOND } from "../../core/duration.ts";
import type { Command, Restart } from "../../core/recovery/ladder.ts";
import type { Acted, Recoverer, Target } from "../../ports/recovery.ts";
import { yesNo } from "../../ports/setting-forms.ts";
import type { Ran } from "../../system/exec.ts";
import type { RecoveryAdapter, RecoveryDeps } from "../kit/adapter.ts";
import { argvOf, start } from "../kit/command.ts";
import { endLife } from "../kit/end-process.ts";
import { isProven, livingOf, sayUnproven } from "../kit/living.ts";
import { AgentPane } from "../kit/tmux.ts";
import { commandOf, way } from "../kit/way.ts";
import { inConversation } from "./conversation.ts";
import { inPane } from "./pane.ts";

/** A command that cannot do its work says so within this; one that runs on is the agent. */
const SAYS_WITHIN: Millis = 2 * SECOND;

/** Starts an agent again. One whose process lives is replaced only if the config allows it, and only that process. */
export function restart(how: Restart, kill: boolean, means: RecoveryDeps): Recoverer {
  return {
    async act(target, abort) {
      const living = livingOf(target, means);
      if (living !== undefined && !kill) {
        const why = `its process ${living.pid} is still running, and the step does not have kill: true`;
        return { outcome: "dropped", why };
      }
      if (how.by === "respawn") return respawn(target, living, means, abort);
      // A unit's own processes are ended by systemd, in the way that the unit says.
      if (how.by === "unit") return restartUnit(how, means, abort);
      if (living !== undefined && !isProven(living, target)) {
        return { outcome: "dropped", why: sayUnproven(living) };
      }
      if (living !== undefined && !(await endLife(living, means)))
        return { outcome: "failed", problem: `its process ${living.pid} does not end` };
      if (abort.aborted) return { outcome: "failed", problem: "no time was left to start it" };
      if (how.by === "resume") return resume(how, target, means, abort);
      return started(how.by === "run" ? runOf(how, target, means) : how, target, means, abort);
    },
  };
}

/** `rollcall run` finds the crashed cycle by itself, and hands it over. */
function runOf(
  { command, ...rest }: Command,
  { agent }: Target,
  { rollcall, home, configFile }: RecoveryDeps,
): Command {
  const config = configFile === undefined ? [] : ["--config", configFile];
  const [program, ...script] = rollcall;
  const line = [...script, "run", "--home", home, ...config, agent.id, "--", ...argvOf(command)];
  return { ...rest, command: [program, ...line] };
}

/** In its pane if it has one; else as any other command. */
async function resume(how: Command, target: Target, means: RecoveryDeps, abort: AbortSignal): Promise<Acted> {
  const { command, words } = inConversation(how, target);
  const acted =
    (await inPane(command, target, means, abort)) ?? (await started(command, target, means, abort));
  return acted.outcome === "done" ? { ...acted, note: `${acted.note} ${words}` } : acted;
}

async function started(
  command: Command,
  target: Target,
  { home }: RecoveryDeps,
  abort: AbortSignal,
): Promise<Acted> {
  const went = await start(command, target, { home, kind: "restart", wait: SAYS_WITHIN, ends: false, abort });
  if (went.how === "unstarted")
    return { outcome: "failed", problem: `the command could not be started: ${went.problem}` };
  if (went.how === "runs") return { outcome: "done", note: `started process ${went.pid}` };
  if (went.ok) return { outcome: "done", note: "the command ended with exit 0" };
  const problem = `the command ended with ${went.exit}; see logs/${target.agent.id}.restart.log`;
  return { outcome: "failed", problem };
}

async function restartUnit(
  { unit, user }: Extract<Restart, { by: "unit" }>,
  { run }: RecoveryDeps,
  abort: AbortSignal,
): Promise<Acted> {
  // Whether it comes up is told by what is seen of it, so nobody waits for that here.
  const args = [...(user ? ["--user"] : []), "restart", "--no-block", "--", unit];
  const ran = await run("systemctl", args, abort);
  if (ran.how === "ended" && ran.status === 0)
    return { outcome: "done", note: `asked systemd to restart ${unit}` };
  return { outcome: "failed", problem: `systemctl did not restart ${unit}${said(ran)}` };
}

/** What a program said about its failure, for the end of a sentence. */
function said(ran: Ran): string {
  if (ran.how === "missing") return " (it is not installed)";
  if (ran.how === "failed") return ` (${ran.problem})`;
  return ran.stderr === "" ? "" : ` (${ran.stderr})`;
}

/** Somebody may be typing there. */
const STILL_IN_USE =
  "its pane runs another program, such as the shell from which the agent was started; start the agent there by hand";

/** Another try does not mend this, so it counts as a failure, and a message with the fix is sent. */
function noPane({ agent }: Target): string {
  return agent.signals?.tmux === undefined
    ? "a respawn needs a tmux pane, and Rollcall watches none of this agent; name its pane (tmux: { session: … }), or give the restart step a command"
    : "Rollcall has not seen its tmux pane yet, so it cannot respawn it; start the agent there by hand";
}

/** Starts the program of the agent's pane again. */
async function respawn(
  target: Target,
  living: Incarnation | undefined,
  means: RecoveryDeps,
  abort: AbortSignal,
): Promise<Acted> {
  const pane = AgentPane.of(target, means.run);
  const found = await pane?.find(abort);
  if (pane === undefined || found === undefined) return { outcome: "failed", problem: noPane(target) };
  if ("missing" in found) {
    const needs = (await pane.hasSession(abort))
      ? `a respawn needs panes that stay when their program ends: ${pane.server} set-option -g remain-on-exit on`
      : "its tmux session is gone, and a respawn cannot create one; start the agent in a new session, or give the restart step a command";
    return { outcome: "failed", problem: `${found.missing}; ${needs}` };
  }
  const { id, pid, dead } = found.pane;
  if (!dead && living?.pid !== pid) return { outcome: "dropped", why: STILL_IN_USE };
  // The program of a living pane is named by tmux itself. Beside a dead pane, a beat may name any process.
  if (dead && living !== undefined && !isProven(living, target))
    return { outcome: "dropped", why: sayUnproven(living) };
  // Without -k tmux refuses by itself if the pane has come to life meanwhile.
  const told = await pane.tmux.respawn(id, !dead, abort);
  if (told.how !== "answered")
    return { outcome: "failed", problem: `tmux did not restart its pane (${told.problem})` };
  // The old one lost its terminal with that; one that does not mind is ended as any other.
  if (living !== undefined && !(await endLife(living, means)))
    return {
      outcome: "failed",
      problem: `the pane ${id} is restarted, but process ${living.pid} does not end`,
    };
  return { outcome: "done", note: `restarted the pane ${id}` };
}

const WAYS = "one of command (with run: true for a cycle, or resume: true), unit or respawn: true";

const settings = z.object({
  with: way,
  kill: yesNo.meta({ description: "a restart may end a process that is still running" }).optional(),
});

export const restartStep: RecoveryAdapter<"restart", typeof settings> = {
  kind: "restart",
  settings,
  read({ with: written = {}, kill = false }) {
    const command = commandOf(written);
    if (command !== undefined && "path" in command) return command;
    const { run, resume, unit, user = false, respawn, webhook } = written;
    const named = [command, unit, respawn].filter((each) => each !== undefined);
    const how = [run, resume].filter((each) => each !== undefined);
    if (named.length !== 1 || webhook !== undefined || how.length > (command === undefined ? 0 : 1))
      return { path: "with", message: WAYS };
    if (command !== undefined)
      return { do: "restart", with: { by: resume ? "resume" : run ? "run" : "command", ...command }, kill };
    return { do: "restart", with: unit === undefined ? { by: "respawn" } : { by: "unit", unit, user }, kill };
  },
  open: ({ with: how, kill }, deps) => restart(how, kill, deps),
};
