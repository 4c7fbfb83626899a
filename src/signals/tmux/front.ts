import type { Incarnation } from "../../core/beat.ts";
import { type Instant, type Millis, SECOND } from "../../core/duration.ts";
import type { Machine } from "../../core/screen/machine.ts";
import type { Proc } from "../../system/proc.ts";
import type { Pane } from "../../system/tmux-pane.ts";
import { isIdleShell, isShell, nameOf } from "./shell.ts";

/** What the machine tells of a pane's terminal, and the program that was last in its foreground. */
export interface Fronted {
  readonly machine: Machine;
  readonly job?: Incarnation;
}

/** Programs that start a shell for somebody else. */
const LOGINS = new Set(["su", "sudo", "doas", "login", "runuser", "newgrp"]);

/**
 * Which program is in the foreground of a pane's terminal, by the group that the kernel names and the command that tmux
 * names. `job` is the one that was there last. Undefined where they do not tell: no /proc, processes that we do not see,
 * or a change between our two questions.
 */
export function frontOf(pane: Pane, proc: Proc, now: Instant, job?: Incarnation): Fronted | undefined {
  const leader = proc.stat(pane.pid)?.foreground ?? 0;
  if (leader <= 0) return undefined;
  const program = pane.command;
  if (!isAtPrompt(leader, pane.pid, proc)) return runs(leader, pane, proc, now);
  if (!isShell(program)) return undefined;
  const left = job !== undefined && proc.isAlive(job) ? proc.stat(job.pid) : undefined;
  if (left === undefined) return { machine: { front: "shell", program } };
  return { machine: { front: left.isStopped ? "suspended" : "background", program }, job: left.life };
}

/** A script that prepares what is to run in a pane takes less; what goes on for longer is a program itself. */
const PREPARES: Millis = 5 * SECOND;

function runs(leader: number, pane: Pane, proc: Proc, now: Instant): Fronted | undefined {
  const [name = ""] = proc.command(leader);
  const job = proc.stat(leader)?.life;
  const isYoung = () => now - ((job && proc.startedAt(job)) ?? now) < PREPARES;
  const prepares = () => isShell(name) && !runsInGroup(leader, proc) && isYoung();
  // tmux has not started the pane's program yet; or a script prepares what is to run there.
  if (leader === pane.pid && (nameOf(name).startsWith("tmux") || prepares())) return undefined;
  return { machine: { front: "program", program: pane.command }, ...(job && leader !== pane.pid && { job }) };
}

/** A shell that reads commands leads the group in front, and no program opened it. */
function isAtPrompt(leader: number, panePid: number, proc: Proc): boolean {
  if (!isIdleShell(proc.command(leader))) return false;
  if (leader === panePid) return true;
  // A subshell, as in `(cd app && agent)`, is called as the shell; but what it runs is in its own group.
  if (runsInGroup(leader, proc)) return false;
  for (let pid = leader; pid !== panePid; ) {
    pid = proc.stat(pid)?.parent ?? 0;
    const [name = ""] = proc.command(pid);
    if (!isShell(name) && !LOGINS.has(nameOf(name))) return false;
  }
  return true;
}

function runsInGroup(leader: number, proc: Proc): boolean {
  return proc.descendants(leader).some(({ group }) => group === leader);
}
