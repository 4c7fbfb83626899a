import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { VirtualClock } from "../../../test/virtual-clock.ts";
import { type Config, defaultConfig } from "../../config/load.ts";
import { configSchema } from "../../config/schema.ts";
import { MINUTE } from "../../core/duration.ts";
import { draftOf } from "../../core/rca/issue.ts";
import type { HeartbeatContext } from "../../schedule/engine/action.ts";
import { memoryStore } from "../../store/memory/memory.ts";
import { Watcher } from "../../watch/watcher.ts";
import { PendingIssues } from "../issues/marked-files.ts";
import { openActions } from "./open.ts";
import { hasUse, ownAction } from "./own.ts";

const FORGE = { kind: "github", repo: "o/r", tokenEnv: "T" };
const TICK = { registry: "r.json", ticks: "ticks" };
const configOf = (file: object): Config => ({ ...defaultConfig(), ...configSchema.parse(file), agents: [] });
const GITEA = { GITEA_URL: "https://git.example", GITEA_REPO: "o/r" };

describe("the daemon's own actions", () => {
  it.each<[string, object, NodeJS.ProcessEnv, readonly boolean[]]>([
    ["nothing", {}, {}, [false, false, false]],
    ["a forge", { forge: FORGE }, {}, [false, false, true]],
    ["a forge in the environment", {}, GITEA, [false, false, true]],
    ["ticks", { tick: TICK }, {}, [true, true, false]],
  ])("are of use with %s: %j %j", (_, file, env, uses) => {
    const names = ["tick-submit", "tick-check", "issues"] as const;
    expect(names.map((name) => hasUse(name, configOf(file), env))).toEqual(uses);
  });

  it("run when they should unless the config says otherwise, and can be switched off", async () => {
    const clock = new VirtualClock(0);
    const opened = async (actions: readonly object[]) => {
      const config = configOf({ forge: FORGE, tick: TICK, heartbeat: { actions } });
      const all = await openActions(config, { home: "/nowhere", clock });
      return all.map(({ action, when, options }) => [action.name, when, options] as const).slice(-3);
    };
    const monthly = { timezone: "UTC", timeout: 30 * MINUTE, tellAfter: 1 };
    expect(await opened([])).toEqual([
      ["tick-submit", { cron: "0 6 1 * *" }, monthly],
      ["tick-check", { cron: "0 6 4 * *" }, monthly],
      ["issues", { cron: "* * * * *" }, expect.objectContaining({ timeout: 10 * MINUTE })],
    ]);
    const named = await openActions(
      configOf({
        ...{ forge: FORGE, tick: TICK },
        heartbeat: {
          actions: [
            { name: "tick-check", schedule: "0 8 5 * *", timezone: "Europe/Berlin" },
            { name: "issues", enabled: false },
          ],
        },
      }),
      { home: "/nowhere", clock },
    );
    expect(named.slice(0, 2)).toMatchObject([
      { when: { cron: "0 8 5 * *" }, options: { ...monthly, timezone: "Europe/Berlin" } },
      { when: { cron: "* * * * *" }, options: { enabled: false } },
    ]);
  });

  it("stop only by their own word: heartbeat.enabled is about tasks and the user's own actions", async () => {
    const enabledOf = async (heartbeat: object) => {
      const config = configOf({ forge: FORGE, tick: TICK, heartbeat });
      const all = await openActions(config, { home: "/nowhere", clock: new VirtualClock(0) });
      return all.map(({ action, options: { enabled = true } }) => [action.name, enabled]);
    };
    const mine = { name: "mine", every: "1h", command: { argv: ["true"] } };
    expect(await enabledOf({ enabled: false, actions: [mine, { name: "task-scan" }] })).toEqual([
      ["tick-submit", true],
      ["tick-check", true],
      ["issues", true],
    ]);
    expect(await enabledOf({ enabled: false, actions: [{ name: "issues", enabled: false }] })).toEqual([
      ["issues", false],
      ["tick-submit", true],
      ["tick-check", true],
    ]);
  });

  it("do not include a summary that nobody asked for: without tasks it is sent only where the config names it", async () => {
    const outcomeOf = async (actions: readonly object[]) => {
      const opened = await openActions(configOf({ heartbeat: { actions } }), { home: "/nowhere" });
      const summary = opened.find(({ action }) => action.name === "daily-summary")?.action;
      const session = { memory: new Map() };
      return summary?.execute({ runtime: {}, session } as unknown as HeartbeatContext);
    };
    expect(await outcomeOf([])).toMatchObject({ shouldNotify: false, skipped: "no-source" });
    expect(await outcomeOf([{ name: "daily-summary" }])).toMatchObject({ shouldNotify: true });
  });

  it("of a minute without work keep one entry, but tell that all is well again", async () => {
    const home = mkdtempSync(join(tmpdir(), "rollcall-own-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const clock = new VirtualClock(Date.parse("2026-04-04T06:00:00Z"));
    const store = memoryStore();
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const rule = { every: MINUTE, grace: MINUTE };
    const watcher = await Watcher.load(
      { store, clock, log, bootId: "boot" },
      { autoRegister: true, defaultRule: rule, agents: [] },
    );
    const { execute } = ownAction("issues", configOf({ forge: FORGE }), { watcher, store, home, clock });
    const run = () => execute({ abort: new AbortController().signal } as HeartbeatContext);
    const quiet = { shouldNotify: false, metadata: { filed: 0, followed: 0 } };
    expect(await run()).toEqual(quiet);
    expect(await run()).toEqual({ ...quiet, skipped: "nothing-due" });
    const subject = { agent: "a", type: "OFFLINE", title: "t", key: "a:2026-04:OFFLINE", detectedAt: 0 };
    const draft = draftOf({ ...subject, expected: "", actual: [], evidence: [], resources: [] });
    new PendingIssues(home).keep(draft);
    await expect(run()).rejects.toThrow("there is no token in the environment variable T");
    new PendingIssues(home).drop(draft.marker);
    expect(await run()).toEqual(quiet);
    await watcher.stop();
  });

  it("of whoever only lists them do nothing", async () => {
    const { execute } = ownAction("tick-check", configOf({ tick: TICK }), undefined);
    await expect(execute({} as HeartbeatContext)).rejects.toThrow("tick-check runs in the daemon");
  });

  it("file incidents by default where the config has a forge, and with no states none", () => {
    expect(configOf({ forge: FORGE }).forge?.incidents).toEqual({
      states: ["dead", "stalled"],
      after: 15 * MINUTE,
    });
    expect(configOf({ forge: { ...FORGE, incidents: { states: [] } } }).forge?.incidents.states).toEqual([]);
  });
});
