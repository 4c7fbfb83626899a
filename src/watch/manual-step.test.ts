import { describe, expect, it } from "vitest";
import {
  DEFAULT_BACKOFF,
  DEFAULT_BUDGET,
  type Ladder,
  type Restart,
  type Step,
} from "../core/recovery/ladder.ts";
import type { Acted } from "../ports/recovery.ts";
import type { RecoveryChange } from "../ports/store.ts";
import { byHand, restartEnds } from "./manual-step.ts";
import type { RollPlace } from "./roll-place.ts";

const rung = { when: { states: [] }, budget: DEFAULT_BUDGET, backoff: DEFAULT_BACKOFF } as const;
const restartBy = (how: Restart, kill = false): Step => ({ ...rung, do: "restart", with: how, kill });
const restart = restartBy({ by: "run", command: ["./agent.sh"] });
const place = { agent: { id: "bot" }, entry: { observations: [] } } as unknown as RollPlace;

/** A person at a watcher whose steps end as they are told to. */
function person(ladder: Ladder, acted: Acted = { outcome: "done", note: "a new life" }) {
  const kept: RecoveryChange[] = [];
  const did: string[] = [];
  const ask = byHand({
    watcher: {
      reader: {
        place: (id) => (id === "bot" ? place : undefined),
        verdict: () => ({ agent: "bot", state: "dead", reason: "gone", at: 1 }) as never,
      },
      persist: async ({ recoveries = [] }) => {
        kept.push(...recoveries);
      },
    },
    now: () => 1000,
    lookAgain: async (id) => {
      did.push(`looked at ${id}`);
    },
    ladder: () => ladder,
    open: () => ({
      act: async ({ why }) => {
        did.push(`acted after ${kept.length} on record: ${why}`);
        return acted;
      },
    }),
  });
  return { ask, kept, did };
}

it("only a restart that may kill, or of a unit, is said to end a process that runs", () => {
  const unit: Restart = { by: "unit", unit: "bot.service", user: true };
  const steps = [restartBy({ by: "respawn" }), restartBy({ by: "respawn" }, true), restartBy(unit)];
  expect(steps.map((each) => restartEnds([each]))).toEqual([...[false, true, true]]);
  expect(restartEnds([])).toBe(false);
});

describe("a step that somebody asks for", () => {
  it("is taken after another look, on record before and after, and does not count as one of ours", async () => {
    const { ask, kept, did } = person([restart]);
    expect(await ask("bot", "restart")).toEqual({ outcome: "done", note: "a new life" });
    expect(did).toEqual(["looked at bot", "acted after 1 on record: requested by hand"]);
    expect(kept).toMatchObject([
      { recovery: { agent: "bot", state: "acting", do: "restart" }, counts: false },
      { counts: false, recovery: { state: "done", why: "by hand: a new life", endedAt: 1000 } },
    ]);
    expect(new Set(kept.map(({ recovery }) => recovery.id)).size).toBe(1);
  });

  it.each([
    [{ outcome: "failed", problem: "no such program" }, "by hand: no such program"],
    [{ outcome: "dropped", why: "somebody types" }, "by hand: somebody types"],
  ] as const)("that came to nothing is on record with its reason: %j", async (acted, why) => {
    const { ask, kept } = person([restart], acted);
    expect(await ask("bot", "wake")).toEqual(acted);
    expect(kept.at(-1)).toMatchObject({ recovery: { state: acted.outcome, why } });
  });

  it.each([
    ["nudge", "its recovery steps (recover in the config) have no nudge step, such as "],
    ["wake", "its recovery steps (recover in the config) have no restart step with run: true, such as "],
  ] as const)("that the config does not name is refused: %s", async (what, why) => {
    const { ask, kept } = person([restartBy({ by: "respawn" })]);
    expect(await ask("bot", what)).toEqual({ outcome: "dropped", why: expect.stringContaining(why) });
    expect(kept).toEqual([]);
  });

  it("on somebody who left the roll is refused", async () => {
    expect(await person([restart]).ask("gone", "restart")).toMatchObject({ outcome: "dropped" });
  });
});
