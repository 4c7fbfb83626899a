import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { agent, type BeatRecord } from "./index.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rollcall-agent-"));
  vi.stubEnv("ROLLCALL_CYCLE", "");
});
afterEach(() => {
  rmSync(home, { recursive: true });
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** All beats in the order in which they were sent: their names ascend. */
function beats(): BeatRecord[] {
  const spool = join(home, "spool");
  return readdirSync(spool)
    .sort()
    .map((name) => JSON.parse(readFileSync(join(spool, name), "utf8")));
}

const told = () =>
  beats().map(({ cycle, cycleEvent, action, status }) =>
    [cycle, cycleEvent ?? "", action ?? "", status].join(" "),
  );

test("a beat carries this process's incarnation", () => {
  const beat = agent("allegro", { home }).beat({
    action: "sync inbox",
    status: "error",
    message: "no network",
  });
  expect(beats()).toEqual([beat]);
  expect(beat).toMatchObject({ agent: "allegro", source: "agent", status: "error", message: "no network" });
  if (process.platform === "linux") expect(beat.incarnation?.pid).toBe(process.pid);
});

test("a named home that is not there is refused and not created, and a cycle only warns", async () => {
  const missing = join(home, "typo");
  const me = agent("allegro", { home: missing });
  expect(() => me.beat()).toThrow(`home: there is no folder "${missing}"`);
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
  expect(await me.cycle(() => 42)).toBe(42);
  expect(warned.mock.calls[0]?.[1]).toMatchObject({ code: "no-home" });
  vi.stubEnv("ROLLCALL_HOME", missing);
  expect(() => agent("allegro").beat()).toThrow(`ROLLCALL_HOME: there is no folder "${missing}"`);
  expect(readdirSync(home)).toEqual([]);
});

test("a cycle is begun, tells its actions, is ended, and returns what the work returns", async () => {
  const me = agent("allegro", { home });
  const result = await me.cycle(async (cycle) => {
    cycle.action("sync inbox");
    me.beat({ message: "half of it" });
    return cycle.number + 41;
  });
  expect(result).toBe(42);
  expect(told()).toEqual(["1 begun  ok", "1  sync inbox ok", "1   ok", "1 ended sync inbox ok"]);
});

test("work that throws ends its cycle with the error, and the caller gets it", async () => {
  const error = new Error("no network");
  await expect(agent("allegro", { home }).cycle(() => Promise.reject(error))).rejects.toBe(error);
  expect(beats().at(-1)).toMatchObject({ cycleEvent: "ended", status: "error", message: "no network" });
});

test("a long cycle keeps beating, and stops when it ends", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  await agent("allegro", { home, every: 30_000 }).cycle((cycle) => {
    cycle.action("think");
    vi.advanceTimersByTime(60_000);
  });
  vi.advanceTimersByTime(600_000);
  expect(told()).toEqual(["1 begun  ok", "1  think ok", "1  think ok", "1  think ok", "1 ended think ok"]);
});

test("cycles are numbered on, also when a hook's beat without a cycle came between", async () => {
  const number = () => agent("allegro", { home }).cycle((cycle) => cycle.number);
  agent("allegro", { home }).beat({ cycle: 6 });
  expect(await number()).toBe(7);
  agent("allegro", { home }).beat({ action: "hook" });
  expect(await number()).toBe(8);
  // As another process would: nothing but the files tells the last number.
  vi.resetModules();
  const fresh = await import("./index.ts");
  fresh.agent("allegro", { home }).beat();
  expect(await fresh.agent("allegro", { home }).cycle((cycle) => cycle.number)).toBe(9);
});

test("the first cycle of a process that was woken for one has its number", async () => {
  vi.stubEnv("ROLLCALL_CYCLE", "0012");
  const me = agent("allegro", { home });
  expect([await me.cycle((c) => c.number), await me.cycle((c) => c.number)]).toEqual([12, 13]);
  vi.stubEnv("ROLLCALL_CYCLE", "x");
  await expect(agent("other", { home }).cycle(() => 1)).rejects.toMatchObject({ code: "bad-cycle" });
});

test("a beat names the cycle in which its process was woken, unless that is another agent's or a later one began", async () => {
  vi.stubEnv("ROLLCALL_CYCLE", "12");
  vi.stubEnv("ROLLCALL_AGENT", "allegro");
  const me = agent("allegro", { home });
  expect(me.beat().cycle).toBe(12);
  expect(me.beat({ cycle: 3 }).cycle).toBe(3);
  expect(agent("other", { home }).beat().cycle).toBeUndefined();
  await me.cycle(() => {});
  await me.cycle(() => expect(me.beat().cycle).toBe(13));
  expect(me.beat().cycle).toBeUndefined();
});

test("a second cycle of the same agent is refused while one runs; another agent's is not", async () => {
  await agent("allegro", { home }).cycle(async () => {
    await expect(agent("allegro", { home }).cycle(() => 1)).rejects.toMatchObject({ code: "cycle-running" });
    expect(await agent("adagio", { home }).cycle(() => 2)).toBe(2);
  });
  expect(await agent("allegro", { home }).cycle(() => 3)).toBe(3);
});

test("a home that cannot be written costs a warning, not the work", async () => {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const me = agent("allegro", { home });
  rmSync(home, { recursive: true });
  writeFileSync(home, "");
  expect(await me.cycle(() => "done")).toBe("done");
  expect(warn.mock.calls[0]?.[0]).toContain(`cannot write ${join(home, "beats")}`);
  expect(() => me.beat()).toThrow(expect.objectContaining({ code: "unwritable" }));
});

test.each([0, -1, Number.NaN, 2 ** 31])("every %d is refused", (every) => {
  expect(() => agent("allegro", { home, every })).toThrow(expect.objectContaining({ code: "bad-every" }));
});

test("an agent must have an id", () => {
  expect(() => agent("a/b")).toThrow(expect.objectContaining({ code: "bad-agent-id" }));
});
