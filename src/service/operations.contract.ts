import { describe, expect, it } from "vitest";
import type { Run } from "../core/action/state.ts";
import type { Beat } from "../core/beat.ts";
import type { Delivery } from "../core/delivery/delivery.ts";
import { HOUR } from "../core/duration.ts";
import type { StoredRecord } from "../ports/repositories.ts";
import type { Store } from "../ports/store.ts";
import type { Watcher } from "../watch/watcher.ts";
import type { Operations } from "./operations.ts";
import { firstOf } from "./page.ts";

/**
 * What the contract works on: a fleet that registers itself, an action `sweep`, an agent `seen` that can be peeked at, and
 * no ladder.
 */
export interface Operated {
  readonly operations: Operations;
  readonly watcher: Watcher;
  readonly store: Store;
}

/** Both ways to operate a watcher must pass: in its process, and over its API. */
export function operationsContract(way: string, open: () => Promise<Operated>): void {
  describe(`operations ${way}`, () => {
    it("call the roll, all of it, filtered, or one agent in detail", async () => {
      const { operations, watcher } = await open();
      await watcher.accept([beat("bob"), beat("ann", { host: "studio" }), beat("eve", SICK)]);
      const ids = async (filter?: Parameters<Operations["roll"]>[0]) =>
        (await all((await operations.roll(filter)).agents)).map(({ id }) => id);
      expect((await ids()).sort()).toEqual(["ann", "bob", "eve"]);
      expect(await ids({ after: "" })).toEqual(["ann", "bob", "eve"]);
      expect(await ids({ after: "ann", states: ["alive", "failing"] })).toEqual(["bob", "eve"]);
      expect(await ids({ host: "studio" })).toEqual(["ann"]);
      expect(await ids({ text: "NO DISK" })).toEqual(["eve"]);
      expect(await ids({ group: "none" })).toEqual([]);
      expect((await operations.roll({ group: "none" })).counts).toMatchObject({ alive: 2, failing: 1 });
      const { watcher: info, agent } = await operations.agent("eve");
      expect(info).toMatchObject({ running: true });
      expect(agent).toMatchObject({ id: "eve", state: "failing", pingUuid: expect.any(String) });
      expect(agent?.outlook).toBeDefined();
      const signals = (await operations.observations("eve")).map(({ signal }) => signal);
      expect(signals).toEqual(agent?.evidence?.map(({ signal }) => signal));
      expect(await operations.rhythm("eve")).toMatchObject({ contexts: expect.any(Object) });
      expect(await operations.agent("nobody")).toMatchObject({
        watcher: { running: true },
        agent: undefined,
      });
      await fails(operations.observations("nobody"), "no-such-agent", 'there is no agent "nobody"');
      await fails(operations.rhythm("no/body"), "no-such-agent", "that is not an agent id");
    });

    it("add agents, pause and resume them, and take them off the roll", async () => {
      const { operations, watcher } = await open();
      await operations.addAgent({ id: "bob" }, true);
      expect(watcher.reader.place("bob")?.agent.origin).toBe("added");
      await operations.pauseAgent("bob");
      expect((await operations.agent("bob")).agent?.state).toBe("paused");
      await operations.resumeAgent("bob");
      expect((await operations.agent("bob")).agent?.state).not.toBe("paused");
      await fails(operations.addAgent({ id: "bob" }, true), "agent-exists");
      await fails(operations.addAgent({ id: "/" }, true), "bad-agent", "id: expected an agent id");
      await operations.removeAgent("bob");
      expect(watcher.reader.place("bob")).toBeUndefined();
      for (const gone of [operations.removeAgent, operations.pauseAgent, operations.resumeAgent])
        await fails(gone("bob"), "no-such-agent", 'there is no agent "bob"');
    });

    it("read the history of an agent page by page, and lose nothing of one moment", async () => {
      const { operations, watcher } = await open();
      for (let cycle = 0; cycle < 9; cycle++) await watcher.accept([beat("bob", { cycle })]);
      const whole = await operations.history("beats", "bob", { limit: 100 });
      expect(whole).toMatchObject({ items: { length: 9 }, next: null });
      const first = await operations.history("beats", "bob", { limit: 2 });
      expect(first.items).toEqual(whole.items.slice(0, 2));
      const rest = await operations.history("beats", "bob", { limit: 100, ...first.next });
      expect([...first.items, ...rest.items]).toEqual(whole.items);
      expect(await firstOf(5, (wanted) => operations.history("beats", "bob", wanted))).toHaveLength(5);
      expect((await operations.history("flips", "bob", { limit: 1 })).items).toMatchObject([{ to: "alive" }]);
      expect((await operations.history("cycles", "bob", { limit: 1 })).items).toMatchObject([{ number: 8 }]);
      for (const kind of ["pings", "recoveries"] as const)
        expect(await operations.history(kind, "bob", { limit: 1 })).toEqual({ items: [], next: null });
      await fails(operations.history("beats", "nobody", { limit: 1 }), "no-such-agent");
    });

    it("list incidents, show one with its messages, acknowledge and resolve it", async () => {
      const { operations, watcher } = await open();
      await watcher.accept([beat("ann", SICK), beat("bob", SICK), beat("eve", SICK)]);
      expect(await operations.incidentCounts()).toEqual({ open: 3, spokenFor: 0 });
      const first = await operations.incidents({ which: "open" }, { limit: 2 });
      const rest = await operations.incidents({ which: "open" }, { limit: 2, ...first.next });
      const subjects = [...first.items, ...rest.items].map(({ subject }) => subject);
      expect(subjects.sort()).toEqual(["ann", "bob", "eve"]);
      expect(rest.next).toBeNull();
      const [ann] = (await operations.incidents({ about: "ann", kind: "agent" }, { limit: 9 })).items;
      const id = ann?.id ?? "";
      await operations.acknowledge(id, "Sue");
      expect((await operations.incident(id)).incident).toMatchObject({ acknowledged: { by: "Sue" } });
      expect((await operations.agent("ann")).agent).toMatchObject({ acknowledgedBy: "Sue" });
      await operations.resolve(id, "Sue");
      const over = await operations.incidents({ which: "over", grouped: true }, { limit: 9 });
      expect(over.items).toMatchObject([{ id, open: false, resolved: { how: expect.any(String) } }]);
      const lately = await operations.incidents({ about: "ann", openSince: 0 }, { limit: 9 });
      expect(lately.items).toMatchObject([{ id, open: false }]);
      const later = Date.parse(over.items[0]?.resolved?.at ?? "") + 1;
      expect((await operations.incidents({ about: "ann", openSince: later }, { limit: 9 })).items).toEqual(
        [],
      );
      expect(await operations.incidentCounts()).toEqual({ open: 2, spokenFor: 0 });
      await fails(operations.incident("none"), "no-such-incident", 'there is no incident "none"');
      await fails(operations.acknowledge("none", "Sue"), "no-such-incident");
      await fails(operations.resolve("none", "Sue"), "no-such-incident");
    });

    it("add silences, list and end them", async () => {
      const { operations } = await open();
      const wish = { agents: "build-*", for: "1h", why: "upgrade", by: "Sue" };
      const made = await operations.addSilence(wish);
      expect(made).toMatchObject({ agents: "build-*", why: "upgrade", by: "Sue" });
      expect(Date.parse(made.until) - Date.parse(made.from)).toBe(HOUR);
      expect(await operations.silences()).toEqual([made]);
      await operations.endSilence(made.id);
      await fails(operations.endSilence(made.id), "no-such-silence");
      await fails(
        operations.addSilence({ ...wish, for: "soon" }),
        "bad-silence",
        "for: expected a duration such as 2h",
      );
    });

    it("say what holds a message back, and until when", async () => {
      const { operations, watcher } = await open();
      await watcher.accept([beat("ann", SICK)]);
      const [ann] = (await operations.incidents({ about: "ann", kind: "agent" }, { limit: 9 })).items;
      const incident = ann?.id ?? "";
      await watcher.persist({ deliveries: [delivery("a", { about: "ann", incident })] });
      const { until } = await operations.addSilence({ agents: "ann", for: "1h", why: "", by: "Sue" });
      const held = { until, by: "mute" };
      const agents = await all((await operations.roll()).agents);
      expect(agents.filter(({ mutedUntil }) => mutedUntil === until).map(({ id }) => id)).toEqual(["ann"]);
      const { items } = await operations.deliveries({ open: true, to: "team" }, { limit: 9 });
      expect(items.find(({ key }) => key === "a")).toMatchObject({ held });
      expect((await operations.incident(incident)).told).toMatchObject([{ held }]);
    });

    it("list deliveries, and send again those that failed", async () => {
      const { operations, watcher } = await open();
      await watcher.persist({
        deliveries: [
          delivery("a", { state: "refused", attempts: 3, problem: "no" }),
          delivery("b", { state: "sent", to: "other" }),
        ],
      });
      const keys = async (filter: Parameters<Operations["deliveries"]>[0]) =>
        (await operations.deliveries(filter, { limit: 9 })).items.map(({ key }) => key).sort();
      expect(await keys({})).toEqual(["a", "b"]);
      expect(await keys({ to: "other" })).toEqual(["b"]);
      expect(await keys({ open: true })).toEqual([]);
      await operations.retryDelivery("a");
      expect((await operations.deliveries({ open: true }, { limit: 9 })).items).toMatchObject([
        { key: "a", state: "pending", attempts: 0, problem: null },
      ]);
      await fails(operations.retryDelivery("b"), "already-sent", 'delivery "b" was already sent');
      await fails(operations.retryDelivery("none"), "no-such-delivery", 'there is no delivery "none"');
    });

    it("list scheduled actions, run and disable them", async () => {
      const { operations, watcher } = await open();
      expect(await operations.actions()).toMatchObject([{ name: "sweep", enabled: true, lastRun: null }]);
      expect(await operations.nextRuns("sweep", 2)).toEqual([iso(1), iso(2)]);
      expect(await operations.runAction("sweep")).toMatchObject({ action: "sweep", outcome: "done" });
      await operations.enableAction("sweep", false);
      expect(await operations.actions()).toMatchObject([{ name: "sweep", enabled: false }]);
      await operations.enableAction("sweep", true);
      expect(await operations.actions()).toMatchObject([{ enabled: true }]);
      await watcher.persist({ runs: [run("old", 1), run("old", 2)] });
      expect((await operations.runs("old", { limit: 9 })).items.map(({ id }) => id)).toEqual(["2", "1"]);
      expect(await operations.runs("sweep", { limit: 9 })).toEqual({ items: [], next: null });
      const unknown = 'there is no action "swep"; did you mean "sweep"?';
      await fails(operations.runAction("swep"), "no-such-action", unknown);
      await fails(operations.enableAction("swep", true), "no-such-action", unknown);
      await fails(operations.nextRuns("swep", 1), "no-such-action", unknown);
      await fails(operations.runs("swep", { limit: 1 }), "no-such-action", unknown);
    });

    it("make tokens, list and revoke them, and read the audit log", async () => {
      const { operations, store } = await open();
      const { token, secret } = await operations.createToken({ scope: "read", name: "graph" });
      expect(token).toMatchObject({ name: "graph", scope: "read", pingKey: false });
      expect(secret).toContain(token.id);
      expect(await operations.tokens()).toEqual([token]);
      await operations.revokeToken(token.id);
      expect(await operations.tokens()).toEqual([]);
      await fails(operations.revokeToken(token.id), "no-such-token", `there is no token "${token.id}"`);
      const wrong = "agent: expected the scope beat beside it";
      await fails(operations.createToken({ scope: "read", agent: "bob" }), "bad-token", wrong);
      await store.commit({ records: [audit("x", 1), audit("y", 2)] });
      const page = await operations.audit({ limit: 9, before: 3 });
      expect(page).toMatchObject({ items: [{ what: "y" }, { what: "x" }], next: null });
    });

    it("peek at an agent, and say what can be done about one", async () => {
      const { operations, watcher } = await open();
      await watcher.accept([beat("seen"), beat("bob")]);
      expect(await operations.peek("seen", "screen")).toBe("screen of seen");
      expect(await operations.peek("seen", "raw")).toBe("raw of seen");
      const nothing = 'agent "bob" has no log and no tmux pane to show';
      await fails(operations.peek("bob", "screen"), "not-found", nothing);
      await fails(operations.peek("nobody", "screen"), "no-such-agent");
      expect(await operations.handles("seen")).toEqual({
        ...{ steps: ["restart"], restartEnds: true, attach: "tmux attach -t seen" },
        ...{ byHost: false, question: true },
      });
      expect(await operations.handles("bob")).toEqual({
        ...{ steps: [], restartEnds: false, attach: null, byHost: false, question: false },
      });
      await fails(operations.handles("nobody"), "no-such-agent");
      expect(await operations.nextStep("bob")).toBeNull();
      await fails(operations.takeStep("bob", "nudge"), "step-refused", "there is no ladder");
      await fails(operations.takeStep("nobody", "nudge"), "no-such-agent");
    });
  });
}

const SICK = { status: "error", message: "no disk" } as const;

let beats = 0;
function beat(agent: string, more: Partial<Beat> = {}): Beat {
  const now = Date.now();
  beats += 1;
  return { id: `beat-${beats}`, agent, status: "ok", source: "agent", sentAt: now, receivedAt: now, ...more };
}

function delivery(key: string, more: Partial<Delivery>): Delivery {
  const now = Date.now();
  const message = { severity: "info", title: "t", lines: [], data: {} } as const;
  return {
    ...{ key, to: "team", about: "bob", message, createdAt: now, dueAt: now },
    ...{ state: "pending", attempts: 0, ...more },
  };
}

function run(action: string, at: number): Run {
  return { action, id: String(at), dueAt: at, outcome: "done" };
}

function audit(what: string, at: number): StoredRecord {
  return { kind: "audit", id: what, at, about: "me", current: false, body: { at, who: "me", what } };
}

const iso = (at: number) => new Date(at).toISOString();

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function fails(attempt: Promise<unknown>, code: string, message?: string): Promise<void> {
  await expect(attempt).rejects.toMatchObject({ code, ...(message === undefined ? {} : { message }) });
}
