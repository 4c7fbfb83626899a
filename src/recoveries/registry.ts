import type { Step } from "../core/recovery/ladder.ts";
import type { Recoverer } from "../ports/recovery.ts";
import type { RecoveryDeps } from "./kit/deps.ts";
import { nudge } from "./nudge/nudge.ts";
import { release } from "./release/release.ts";
import { restart } from "./restart/restart.ts";

/** Opens what takes a step. People are told by the loop itself, through the outbox. */
export function recovererOpener(means: RecoveryDeps): (step: Step) => Recoverer {
  return (step) => {
    switch (step.do) {
      case "nudge":
        return nudge(step.text, means);
      case "restart":
        return restart(step.with, step.kill, means);
      case "release":
        return release(step.with, means);
      case "escalate":
        return { act: async () => ({ outcome: "dropped", why: "an escalation only sends messages" }) };
    }
  };
}
