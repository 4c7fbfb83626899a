import { expect, it } from "vitest";
import { newState, type Outgoing } from "../../core/action/state.ts";
import { actionStoreContract } from "../../ports/action-store.contract.ts";
import { memoryActionStore } from "./memory-store.ts";

actionStoreContract("memory", async () => {
  const queued: Outgoing[] = [];
  return { store: memoryActionStore((message) => queued.push(message)), queued: async () => queued };
});

it("memory keeps a bounded history of each action", async () => {
  const store = memoryActionStore();
  const state = newState("scan", "every 1s", 0);
  for (let n = 0; n < 1100; n++) {
    await store.commit({ state, runs: [{ action: "scan", id: String(n), dueAt: n, outcome: "done" }] });
  }
  const runs = await store.runs("scan", { limit: 5000 });
  expect([runs.length, runs.at(0)?.id, runs.at(-1)?.id]).toEqual([1000, "1099", "100"]);
});
