import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { defaultConfig, parseConfig } from "../../config/load.ts";
import { BUILT_IN } from "../../config/sections/actions.ts";
import { ActionScheduler } from "../../schedule/engine/action-scheduler.ts";
import { memoryActionStore } from "../../schedule/engine/memory-store.ts";
import { loadModule, moduleAction } from "./module.ts";
import { openActions } from "./open.ts";

const page = readFileSync(new URL("../../../docs/actions.md", import.meta.url), "utf8");
const examples = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(([, text]) => text ?? "");
const load: typeof loadModule = async (name, file) =>
  moduleAction(name, file, { execute: async () => ({ shouldNotify: false }) });
const silent = { info: () => {}, warn: () => {}, error: () => {} };

describe("docs/actions.md", () => {
  it("has configs that are right, with actions that can be opened", async () => {
    const opened = [];
    for (const text of examples("yaml")) {
      const config = await parseConfig(text, "docs/actions.md");
      opened.push(await openActions({ ...defaultConfig(), ...config }, { home: "/home", load }));
    }
    const names = opened.map((actions) => actions.map(({ action }) => action.name));
    const builtIn = ["task-scan", "daily-summary", "portfolio-monitor"];
    expect(names).toEqual([builtIn, ["disk", "wake-board", "greet", ...builtIn]]);
    expect(opened[1]?.[1]).toMatchObject({
      when: { cron: "*/15 * * * MON-FRI" },
      channels: ["phone"],
      options: { activeHours: "08:00-18:00", maxPerHour: 2, missed: "skip", timeout: 30_000 },
    });
  });

  it("lists the actions that are built in", () => {
    const listed = [...page.matchAll(/^\| `([a-z-]+)` \| (?:every|at)/gm)].map(([, name]) => name);
    expect(listed).toEqual(Object.keys(BUILT_IN));
  });

  it("has a module that works, once", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-docs-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "greet.mjs");
    writeFileSync(file, examples("js")[0] ?? "");
    const said: string[] = [];
    const scheduler = new ActionScheduler({
      store: memoryActionStore(({ text }) => said.push(text)),
      log: silent,
      runtime: { agent: { id: "allegro" } },
    });
    scheduler.add(await loadModule("greet", file, { greeting: "good morning" }), { cron: "@yearly" });
    await scheduler.start();
    await scheduler.run("greet");
    await scheduler.run("greet");
    await scheduler.stop();
    expect(said).toEqual(["good morning, allegro"]);
  });
});
