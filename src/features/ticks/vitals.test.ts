import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tickSettings } from "../../config/sections/ticks.ts";
import type { HeldState } from "../../core/tick/status.ts";
import { measure } from "./vitals.ts";

function agentHome(): string {
  const path = mkdtempSync(join(tmpdir(), "rollcall-vitals-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  writeFileSync(join(path, "good.yaml"), "a: [1, 2]\n");
  writeFileSync(join(path, "bad.yaml"), "a: [1, 2\n");
  writeFileSync(join(path, "bad.json"), '{"password": "hunter22"');
  writeFileSync(join(path, "empty.toml"), "\n");
  writeFileSync(join(path, "binary.conf"), Buffer.from([0xff, 0xfe, 0x00]));
  mkdirSync(join(path, "folder.yaml"));
  return path;
}

const settings = tickSettings.parse({
  gateway: { command: "true" },
  capabilities: { search: { command: "true" }, mail: { file: "no-such-file" } },
});
const alive = { state: "alive", reason: "beat" } as const;

it("measures vitals and capabilities, and says why something failed", async () => {
  const home = agentHome();
  const agent = { id: "a", active: true, home_dir: home, config_path: "good.yaml" };
  expect(await measure(agent, settings, alive, process.env)).toEqual({
    vitals: { gateway_running: true, home_directory_accessible: true, config_valid: true },
    capabilities: { search: true, mail: false },
    problems: { mail: "the file does not exist" },
  });
  // What was written to try is gone again.
  expect(readdirSync(home).filter((name) => name.startsWith("."))).toEqual([]);
});

it.each([
  ["bad.yaml", "it is not valid YAML"],
  ["bad.json", "it is not valid JSON"],
  ["empty.toml", "it is empty"],
  ["binary.conf", "it is not text"],
  ["folder.yaml", "it is a folder, not a file"],
  ["none.yaml", "it does not exist"],
])("a config that is not valid: %s", async (config_path, why) => {
  const measured = await measure(
    { id: "a", active: true, home_dir: agentHome(), config_path },
    settings,
    alive,
    process.env,
  );
  expect(measured.vitals.config_valid).toBe(false);
  expect(measured.problems.config_valid).toBe(why);
});

it.each([
  ["a home that is not there", "no-such-folder", "it does not exist"],
  ["a home that is a file", "good.yaml", "it is not a folder"],
])("%s", async (_, name, why) => {
  const home_dir = join(agentHome(), name);
  const { vitals, problems } = await measure(
    { id: "a", active: true, home_dir },
    settings,
    alive,
    process.env,
  );
  expect(vitals.home_directory_accessible).toBe(false);
  expect(problems).toMatchObject({
    home_directory_accessible: why,
    config_valid: "the registry names no config_path",
  });
});

it.skipIf(process.getuid?.() === 0)("a home that cannot be written (root may write anywhere)", async () => {
  const home_dir = agentHome();
  chmodSync(home_dir, 0o500);
  const { problems } = await measure({ id: "a", active: true, home_dir }, settings, alive, process.env);
  chmodSync(home_dir, 0o700);
  expect(problems.home_directory_accessible).toBe("it cannot be written (EACCES)");
});

describe("gateway_running is the agent's own", () => {
  const [works, fails, silent] = [{ command: "true" }, { command: "false" }, undefined];
  const held = (state: HeldState["state"], reason: HeldState["reason"]): HeldState => ({ state, reason });
  it.each<[string, HeldState | undefined, { command: string } | undefined, true | string]>([
    ["that is alive", held("alive", "beat"), silent, true],
    ["that is late", held("late", "overdue"), silent, true],
    ["that rests", held("resting", "ended"), silent, true],
    ["that waits for a human", held("waiting", "question"), silent, true],
    ["that is at a limit", held("limited", "limit"), silent, true],
    ["that is alive while its gateway is not", alive, fails, "the command ended with 1"],
    ["that stalls, though its gateway runs", held("stalled", "silent"), works, "the roll says stalled"],
    ["that fails", held("failing", "says-error"), works, "the roll says failing"],
    ["of which only the gateway can tell", held("unknown", "not-watched"), works, true],
    ["that is paused, by its gateway", held("paused", "paused"), fails, "the command ended with 1"],
    ["that is not on the roll, by its gateway", undefined, works, true],
    ["of which nothing can tell", undefined, silent, "the agent is not on the roll; and tick.gateway"],
  ])("of one %s", async (_, roll, gateway, is) => {
    const agent = { id: "a", active: true, home_dir: agentHome(), config_path: "good.yaml" };
    const { vitals, problems } = await measure(agent, tickSettings.parse({ gateway }), roll, process.env);
    expect(vitals.gateway_running).toBe(is === true);
    if (is === true) expect(problems).toEqual({});
    else expect(problems).toEqual({ gateway_running: expect.stringContaining(is) });
  });
});
