import * as z from "zod";
import type { Incarnation } from "../../core/beat.ts";
import type { Acted, Recoverer, Target } from "../../ports/recovery.ts";
import type { RecoveryAdapter, RecoveryDeps } from "../kit/adapter.ts";
import { endLife } from "../kit/end-process.ts";
import { isProven, livingOf, sayUnproven } from "../kit/living.ts";
import { AgentPane } from "../kit/tmux.ts";

// What stops an agent that goes on although it should not: one that is over its budget, or in a loop.

const settings = z.object({});

/** Presses Esc in its pane: a coding agent then ends its turn and waits for words. */
export const interruptStep: RecoveryAdapter<"interrupt", typeof settings> = {
  kind: "interrupt",
  settings,
  read: () => ({ do: "interrupt" }),
  open: (_, { run }) => ({
    async act(target, abort): Promise<Acted> {
      const pane = AgentPane.of(target, run);
      const found = await pane?.find(abort);
      if (pane === undefined || found === undefined)
        return { outcome: "dropped", why: "it has no tmux pane" };
      if ("missing" in found) return { outcome: "failed", problem: found.missing };
      const { id, dead, deaf } = found.pane;
      if (dead) return { outcome: "dropped", why: "its program has ended" };
      if (deaf !== undefined) return { outcome: "dropped", why: deaf };
      const told = await pane.tmux.sendKeys(id, ["Escape"]);
      return told.how === "answered"
        ? { outcome: "done", note: `pressed Esc in its pane ${id}` }
        : { outcome: "failed", problem: told.problem };
    },
  }),
};

/** Stops its process until somebody lets it go on. */
export const pauseStep: RecoveryAdapter<"pause", typeof settings> = {
  kind: "pause",
  settings,
  read: () => ({ do: "pause" }),
  open: (_, deps) =>
    onProcess(deps, async ({ pid }) => {
      process.kill(pid, "SIGSTOP");
      return { outcome: "done", note: `stopped its process ${pid}; it goes on with: kill -CONT ${pid}` };
    }),
};

/** Ends its process. */
export const endStep: RecoveryAdapter<"end", typeof settings> = {
  kind: "end",
  settings,
  read: () => ({ do: "end" }),
  open: (_, deps) =>
    onProcess(deps, async (life) =>
      (await endLife(life, deps))
        ? { outcome: "done", note: `ended its process ${life.pid}` }
        : { outcome: "failed", problem: `its process ${life.pid} does not end` },
    ),
};

/** Only the very process that was judged, and only if it was seen to be the agent's. */
function onProcess(deps: RecoveryDeps, act: (life: Incarnation) => Promise<Acted>): Recoverer {
  return {
    async act(target: Target) {
      const living = livingOf(target, deps);
      if (living === undefined)
        return { outcome: "dropped", why: "no process of it is known that is running" };
      if (!isProven(living, target)) return { outcome: "dropped", why: sayUnproven(living) };
      return act(living);
    },
  };
}
