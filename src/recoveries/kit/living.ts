import { type Incarnation, sameIncarnation } from "../../core/beat.ts";
import type { Target } from "../../ports/recovery.ts";
import { environmentOf } from "../../system/proc.ts";
import type { RecoveryDeps } from "./adapter.ts";

/** The very process that was judged, if it lives. */
export function livingOf(
  { aim: { incarnation } }: Target,
  { lifeOf }: RecoveryDeps,
): Incarnation | undefined {
  if (incarnation === undefined) return undefined;
  return sameIncarnation(lifeOf(incarnation.pid), incarnation) ? incarnation : undefined;
}

/** Anybody can name a process in a beat: it must have been seen by us, or carry the agent's name from `rollcall run`. */
export function isProven({ pid }: Incarnation, { agent, aim }: Target): boolean {
  return aim.seen === true || environmentOf(pid)?.ROLLCALL_AGENT === agent.id;
}

export function sayUnproven({ pid }: Incarnation): string {
  return `its process ${pid} is known only from beats; to end it, watch it with process or tmux`;
}
