import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { homeAt } from "../home/home.ts";
import { warningsOf } from "../tools/check-config.ts";
import { loadConfig } from "./load.ts";

/** A home with a gateway.json. */
function gateway(value: unknown): string {
  const home = mkdtempSync(join(tmpdir(), "rollcall-foreign-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(join(home, "gateway.json"), typeof value === "string" ? value : JSON.stringify(value));
  return home;
}

describe("C10: a gateway.json that belongs to another program too", () => {
  it("keeps its own sections, which Rollcall leaves alone", async () => {
    const config = await loadConfig(
      gateway({ llm: { provider: "x" }, agent: { name: "a" }, port: 7, defaults: { grace: "7m" } }),
    );
    expect(config.foreign).toEqual([{ name: "llm" }, { name: "agent" }, { name: "port" }]);
    expect(config.defaults.grace).toBe(7 * 60_000);
  });

  it("may give our names to something else, which is told as a warning, and no secret with it", async () => {
    const home = gateway({ channels: { telegram: { botToken: "s3cr3t" } }, heartbeet: {} });
    const config = await loadConfig(home);
    expect(config.channels).toEqual({});
    const warnings = await warningsOf(config, homeAt(home));
    expect(warnings).toEqual([
      expect.stringMatching(/^channels: Rollcall ignores this section: channels\.telegram/),
      'heartbeet: Rollcall ignores this section: unknown key; did you mean "heartbeat"?',
    ]);
    expect(warnings.join()).not.toContain("s3cr3t");
  });

  it.each([
    [{ heartbeat: { enabeld: true } }, 'heartbeat.enabeld: unknown key; did you mean "enabled"?'],
    [{ daemon: { pidfile: "x" } }, 'daemon.pidfile: unknown key; did you mean "pidFile"?'],
    [{ agents: [{ id: "a", evry: "5m" }] }, 'agents[0].evry: unknown key; did you mean "every"?'],
  ])("is refused where a section is certainly ours: %j", async (value, said) => {
    await expect(loadConfig(gateway(value))).rejects.toThrow(said);
  });

  it("a config of ours refuses unknown sections", async () => {
    const home = gateway("{}");
    const named = join(home, "rollcall.json");
    writeFileSync(named, '{ "heartbeet": {} }');
    await expect(loadConfig(home, named)).rejects.toThrow(
      'heartbeet: unknown key; did you mean "heartbeat"?',
    );
  });

  it("is found in ~/.agenc unless the home has a config", async () => {
    const user = gateway("{}");
    const before = process.env.HOME;
    onTestFinished(() => {
      process.env.HOME = before;
    });
    process.env.HOME = user;
    const home = join(user, ".rollcall");
    expect(await loadConfig(home)).toMatchObject({ file: undefined });
    mkdirSync(join(user, ".agenc"));
    writeFileSync(join(user, ".agenc/gateway.json"), "{}");
    expect(await loadConfig(home)).toMatchObject({ file: join(user, ".agenc/gateway.json") });
    mkdirSync(home);
    writeFileSync(join(home, "rollcall.yaml"), "agents: []");
    expect(await loadConfig(home)).toMatchObject({ file: join(home, "rollcall.yaml") });
  });
});
