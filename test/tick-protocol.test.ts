// The protocol as it is written down: every example is valid by the published schema and by our own reading.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { DEFAULT_TEMPLATE, PLACEHOLDERS } from "../src/core/rca/template.ts";
import { readRegistry } from "../src/core/tick/registry-input.ts";
import { readTick } from "../src/core/tick/tick-input.ts";
import { cli, root, temporaryHome } from "./product.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const schema = z.fromJSONSchema(
  JSON.parse(read("docs/agent-tick.schema.json")) as Parameters<typeof z.fromJSONSchema>[0],
);
const blocks = (kind: string): unknown[] =>
  [...read("docs/agent-tick-protocol.md").matchAll(/^```json (\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, word]) => word === kind)
    .map(([, , text = ""]) => JSON.parse(text) as unknown);

/** Whether the schema and our own reader take it, each by itself. */
function taken(value: unknown): { schema: boolean; reader: boolean } {
  const { agent, month } = (value ?? {}) as { agent?: string; month?: string };
  const awaited = { agent: agent ?? "allegro", month: month ?? "2026-04" };
  return { schema: schema.safeParse(value).success, reader: "tick" in readTick(value, awaited) };
}
const BOTH = { schema: true, reader: true };
const NONE = { schema: false, reader: false };

describe("D7: the tick protocol", () => {
  test("has examples in its text, and all of them are valid", () => {
    expect(blocks("tick")).toHaveLength(3);
    for (const tick of blocks("tick")) expect(taken(tick)).toEqual(BOTH);
    expect(blocks("registry")).toHaveLength(1);
    for (const registry of blocks("registry"))
      expect(readRegistry(registry)).toMatchObject({ entries: [{ agent: { id: "allegro" } }] });
  });

  test("has examples as files, which are valid where they lie", () => {
    const files = readdirSync(join(root, "examples/ticks/2026-04"));
    expect(files).toHaveLength(3);
    for (const file of files) {
      const tick = JSON.parse(read(`examples/ticks/2026-04/${file}`)) as object;
      expect(schema.safeParse(tick).success).toBe(true);
      expect(readTick(tick, { agent: file.replace(".json", ""), month: "2026-04" })).toHaveProperty("tick");
    }
  });

  test("is kept by what we submit", async () => {
    const home = temporaryHome();
    const places = [
      "--registry",
      join(root, "examples/agent-registry.json"),
      "--ticks",
      join(home, "ticks"),
      "--month",
      "2026-04",
    ];
    for (const more of [
      ["--agent", "allegro"],
      ["--agent", "timmy", "--offline"],
    ])
      await cli(home, "tick", "submit", ...places, ...more);
    for (const agent of ["allegro", "timmy"]) {
      expect(taken(JSON.parse(readFileSync(join(home, "ticks/2026-04", `${agent}.json`), "utf8")))).toEqual(
        BOTH,
      );
    }
  });

  const vitals = { gateway_running: true, home_directory_accessible: true, config_valid: true };
  const right = { status: "healthy", vitals, capabilities: { search: true } };
  test.each<[string, unknown]>([
    ["a list", []],
    ["no status", { ...right, status: undefined }],
    ["another status", { ...right, status: "CRITICAL" }],
    ["no vitals", { status: "healthy", capabilities: {} }],
    ["a vital that lacks", { ...right, vitals: { gateway_running: true, config_valid: true } }],
    ["a vital in words", { ...right, vitals: { ...vitals, config_valid: "yes" } }],
    ["no capabilities", { status: "healthy", vitals }],
    ["a capability as a number", { ...right, capabilities: { search: 1 } }],
    ["half the vitals of an offline one", { status: "offline", vitals: {} }],
    ["a month that is none", { ...right, month: "2026-13" }],
    ["a time that is none", { ...right, submitted_at: "today" }],
  ])("refuses %s, by the schema and by our reader alike", (_, value) => {
    expect(taken(value)).toEqual(NONE);
  });

  test("takes fields that nobody knows", () => {
    expect(taken({ ...right, mood: "good", vitals: { ...vitals, pulse: 60 } })).toEqual(BOTH);
  });
});

describe("the form of root-cause issues", () => {
  test("is shipped as it is used", () => {
    expect(read("examples/rca-template.md")).toBe(DEFAULT_TEMPLATE);
  });

  test("has every placeholder in the docs", () => {
    const listed = [...read("docs/forges.md").matchAll(/^\| `\{\{(\w+)\}\}` \|/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual([...PLACEHOLDERS].sort());
  });
});
