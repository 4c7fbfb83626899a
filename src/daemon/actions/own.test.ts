import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../test/virtual-clock.ts";
import { MINUTE } from "../../core/duration.ts";
import { type Config, defaultConfig } from "../config/load.ts";
import { configSchema } from "../config/schema.ts";
import { openActions } from "./open.ts";
import { hasUse } from "./own.ts";

const FORGE = { kind: "github", repo: "o/r", tokenEnv: "T" };
const TICK = { registry: "r.json", ticks: "ticks" };
const configOf = (file: object): Config => ({ ...defaultConfig(), ...configSchema.parse(file) });
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
      const all = await openActions(config, "/nowhere", clock);
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
      "/nowhere",
      clock,
    );
    expect(named.slice(0, 2)).toMatchObject([
      { when: { cron: "0 8 5 * *" }, options: { ...monthly, timezone: "Europe/Berlin" } },
      { when: { cron: "* * * * *" }, options: { enabled: false } },
    ]);
  });

  it("file incidents by default where the config has a forge, and with no states none", () => {
    expect(configOf({ forge: FORGE }).forge?.incidents).toEqual({
      states: ["dead", "stalled"],
      after: 15 * MINUTE,
    });
    expect(configOf({ forge: { ...FORGE, incidents: { states: [] } } }).forge?.incidents.states).toEqual([]);
  });
});
