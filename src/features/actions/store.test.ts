import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { newState, type Outgoing } from "../../core/action/state.ts";
import { actionStoreContract } from "../../ports/action-store.contract.ts";
import type { Store } from "../../ports/store.ts";
import { memoryStore } from "../../store/memory/memory.ts";
import { openSqlite } from "../../store/sqlite/index.ts";
import { storedActions } from "./store.ts";

const actionsIn = (store: Store, places: readonly string[] = ["phone"]) =>
  storedActions({
    store,
    persist: async (parts) => {
      await store.commit(parts);
    },
    placesFor: () => places,
  });

/** What waits in the outbox, in the words of the actions. */
async function queuedIn(store: Store): Promise<readonly Outgoing[]> {
  const found = await store.deliveries.page({ limit: 100 });
  return found
    .map(({ key, to, about, message, createdAt }): Outgoing => {
      const { text } = message.data as { text: string };
      const severity = message.severity === "info" ? "info" : "error";
      return { key: key.slice(0, -`:${to}`.length), action: about, text, severity, at: createdAt };
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** In a folder of its own; everything that was opened is closed before the folder goes. */
function database(): { readonly open: () => Promise<Store> } {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-actions-"));
  const opened: Store[] = [];
  onTestFinished(async () => {
    for (const store of opened) await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const open = async () => {
    const store = await openSqlite(join(folder, "rollcall.db"));
    opened.push(store);
    return store;
  };
  return { open };
}

actionStoreContract("the fleet's store in memory", async () => {
  const store = memoryStore();
  return { store: actionsIn(store), queued: () => queuedIn(store) };
});

actionStoreContract("the fleet's store in SQLite", async () => {
  const { open } = database();
  let store = await open();
  return {
    store: actionsIn(store),
    queued: () => queuedIn(store),
    reopen: async () => {
      await store.close();
      store = await open();
      return actionsIn(store);
    },
  };
});

it("a message goes to each place once, also to a place that was added after its first commit", async () => {
  const store = await database().open();
  const state = newState("scan", "every 5m", 0);
  const say: Outgoing[] = [{ key: "k", action: "scan", text: "Found 2", severity: "info", at: 1 }];
  await actionsIn(store, ["phone", "mail"]).commit({ state, say });
  await actionsIn(store, ["phone", "mail", "pager"]).commit({ state, say });
  const found = await store.deliveries.page({ limit: 10 });
  expect(found.map(({ key }) => key)).toEqual(["k:phone", "k:pager", "k:mail"]);
});

it("a delivery that is under way is not touched by a commit that says the same again", async () => {
  const store = await database().open();
  const state = newState("scan", "every 5m", 0);
  const say: Outgoing[] = [{ key: "k", action: "scan", text: "Found 2", severity: "info", at: 1 }];
  await actionsIn(store).commit({ state, say });
  const [queued] = await store.deliveries.page({ limit: 1 });
  if (queued === undefined) throw new Error("nothing was queued");
  const sent = { ...queued, state: "sent" as const, attempts: 1 };
  await store.commit({ deliveries: [sent] });
  await actionsIn(store).commit({ state, say });
  expect(await store.deliveries.page({ limit: 10 })).toEqual([sent]);
});

it("of a run and its repetition, which have one instant, the repetition comes first", async () => {
  const store = await database().open();
  const state = newState("scan", "every 5m", 0);
  const run = { action: "scan", dueAt: 5, outcome: "done" } as const;
  const actions = actionsIn(store);
  await actions.commit({ state, runs: [{ ...run, id: "scan@5", outcome: "crashed" }] });
  await actions.commit({ state, runs: [{ ...run, id: "scan@5#2" }] });
  const runs = await actions.runs("scan", { limit: 10 });
  expect(runs.map(({ outcome }) => outcome)).toEqual(["done", "crashed"]);
});
