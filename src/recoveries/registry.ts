import type * as z from "zod";
import type { Step } from "../core/recovery/ladder.ts";
import type { Recoverer } from "../ports/recovery.ts";
import { escalateStep } from "./escalate/adapter.ts";
import { endStep, interruptStep, pauseStep } from "./halt/halt.ts";
import type { RecoveryAdapter, RecoveryDeps } from "./kit/adapter.ts";
import { nudgeStep } from "./nudge/nudge.ts";
import { releaseStep } from "./release/release.ts";
import { restartStep } from "./restart/restart.ts";

/** Every kind of step. */
export const RECOVERIES = [
  nudgeStep,
  restartStep,
  releaseStep,
  escalateStep,
  interruptStep,
  pauseStep,
  endStep,
] as const;

type AnyRecovery = RecoveryAdapter<Step["do"], z.ZodObject>;

/** The adapter of a kind that has been checked before. */
export function recoveryOf(kind: Step["do"]): AnyRecovery {
  const all: readonly AnyRecovery[] = RECOVERIES;
  const found = all.find((step) => step.kind === kind);
  if (found === undefined) throw new TypeError(`there is no step ${kind}`);
  return found;
}

/** Opens what takes a step. */
export function recovererOpener(deps: RecoveryDeps): (step: Step) => Recoverer {
  return (step) => recoveryOf(step.do).open(step, deps);
}
