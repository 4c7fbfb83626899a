import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { homeAt } from "../home/home.ts";
import { warningsOf } from "../tools/check-config.ts";
import { agentsOf, loadConfig } from "./load.ts";
import { refuseTakingAway } from "./taken-away.ts";

const REGISTRY = {
  agents: [
    { id: "allegro", name: "Allegro", active: true, home_dir: "/home/allegro", config_path: "c" },
    { id: "adagio", active: true },
    { id: "retired", active: false },
  ],
};

/** A home with a config and other files. */
function homeWith(config: string, files: Record<string, unknown> = {}): string {
  const home = mkdtempSync(join(tmpdir(), "rollcall-declare-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const folder of ["config", "logs"]) mkdirSync(join(home, folder));
  writeFileSync(join(home, "rollcall.yaml"), config);
  for (const [name, value] of Object.entries(files))
    writeFileSync(join(home, name), typeof value === "string" ? value : JSON.stringify(value));
  return home;
}

const registry = { "config/agent-registry.json": REGISTRY };

describe("D1: the agents of a registry", () => {
  it("join the one list, with the keys beside it as their defaults", async () => {
    const home = homeWith(
      `agents:
  - { id: own, every: 1h }
  - { registry: config/agent-registry.json, name: somebody, group: fleet, every: 5m, log: { path: "~/{agent}.log" } }`,
      registry,
    );
    const config = await loadConfig(home);
    expect(agentsOf(config, 0)).toMatchObject([
      { id: "own", rule: { every: 3_600_000 } },
      { id: "allegro", name: "Allegro", group: "fleet", rule: { every: 300_000 } },
      { id: "adagio", name: "somebody", group: "fleet", signals: { log: { path: "~/{agent}.log" } } },
    ]);
    expect(await warningsOf(config, homeAt(home))).toEqual([]);
  });

  it("join by tick.registry alone, and an agent that is declared by its id is as declared there", async () => {
    const home = homeWith(
      "tick: { registry: config/agent-registry.json }\nagents: [{ id: allegro, every: 7m }]",
      registry,
    );
    const config = await loadConfig(home);
    expect(config.agents).toMatchObject([
      { id: "allegro", name: "Allegro", every: 420_000 },
      { id: "adagio" },
    ]);
    // The month between two ticks is no silence.
    expect(agentsOf(config, 0).map(({ rule }) => rule)).toEqual([
      { every: 420_000, grace: 300_000 },
      undefined,
    ]);
  });

  it("are on the list once where tick.registry is an item too", async () => {
    const home = homeWith(
      "tick: { registry: config/agent-registry.json }\nagents: [{ registry: ./config/agent-registry.json, every: 7m }]",
      registry,
    );
    expect((await loadConfig(home)).agents).toMatchObject([
      { id: "allegro", every: 420_000 },
      { id: "adagio", every: 420_000 },
    ]);
  });

  it.each<[string, unknown, string]>([
    ["is not there", undefined, "agents[0].registry: {file}: there is no such file"],
    ["is not JSON", "{", "agents[0].registry: {file}: expected JSON such as"],
    ["has no list", { agents: 7 }, "agents[0].registry: {file}: agents: expected a list of agents, not 7"],
  ])("make a config bad if the registry %s", async (_, value, said) => {
    const files = value === undefined ? {} : { "config/agent-registry.json": value };
    const home = homeWith("agents: [{ registry: config/agent-registry.json }]", files);
    const file = join(home, "config/agent-registry.json");
    await expect(loadConfig(home)).rejects.toThrow(
      `${join(home, "rollcall.yaml")}: ${said.replace("{file}", file)}`,
    );
  });

  it("stay away, with a warning, if their entry is wrong or tick.registry is not there", async () => {
    const wrong = { agents: [...REGISTRY.agents, { id: "../x", active: true }] };
    const home = homeWith("agents: [{ registry: config/agent-registry.json }]", {
      "config/agent-registry.json": wrong,
    });
    const config = await loadConfig(home);
    expect(config.agents).toHaveLength(2);
    expect(await warningsOf(config, homeAt(home))).toEqual([
      expect.stringMatching(
        /^agents\[0\]\.registry: .*agent-registry\.json: agents\[3\]\.id: expected .*, not "\.\.\/x"$/,
      ),
    ]);
    const bare = homeWith("tick: { registry: gone.json }");
    expect(await warningsOf(await loadConfig(bare), homeAt(bare))).toEqual([
      expect.stringMatching(/^tick\.registry: .*gone\.json: there is no such file$/),
    ]);
  });

  it.each([
    [
      "agents: [{ registry: x, id: a }]",
      "agents[0].registry: expected only one of id, registry and sessions",
    ],
    ["agents: [{ registry: x, evry: 5m }]", 'agents[0].evry: unknown key; did you mean "every"?'],
    ["agents: [{ every: 5m }]", "agents[0].id: expected an agent id"],
    ["agents: [{ sessions: logs/a.log }]", "agents[0].sessions: expected a pattern of files such as"],
    ["agents: [{ sessions: '*.log', log: { path: x } }]", "agents[0].log: expected no log beside sessions"],
  ])("are declared clearly: %s", async (text, said) => {
    await expect(loadConfig(homeWith(text))).rejects.toThrow(said);
  });
});

describe("B2: session logs", () => {
  it("are an agent each, by the name of the file, with the keys beside the pattern as defaults", async () => {
    const files = {
      "logs/app-ann.log": "",
      "logs/app-bob.log": "",
      "logs/web{x}*.log": "",
      "logs/notes.txt": "",
    };
    const home = homeWith(
      "agents: [{ id: app-bob, every: 5m }, { sessions: 'logs/*.log', stall: 20m }]",
      files,
    );
    const config = await loadConfig(home);
    expect(config.agents).toMatchObject([
      { id: "app-bob", every: 300_000 },
      { id: "app-ann", stall: 1_200_000, log: { path: join(home, "logs/app-ann.log"), session: true } },
      {
        id: "web-x-",
        log: { path: "{file}", keys: { file: join(home, "logs/web{x}*.log") }, session: true },
      },
    ]);
  });

  it("are named by their folders too where those differ, and one id is one agent", async () => {
    const home = homeWith(
      "agents: [{ sessions: 'logs/*/s.log' }, { sessions: 'logs/?.b.log' }, { sessions: 'logs/?-b.log' }]",
    );
    for (const folder of ["one", "two"]) {
      mkdirSync(join(home, "logs", folder));
      writeFileSync(join(home, "logs", folder, "s.log"), "");
    }
    for (const name of ["a.b.log", "a-b.log"]) writeFileSync(join(home, "logs", name), "");
    const config = await loadConfig(home);
    expect(config.agents.map(({ id }) => id)).toEqual(["one-s", "two-s", "a-b"]);
    expect(config.overlooked).toEqual([
      `agents[2].sessions: ${home}/logs/a-b.log: agent a-b already has the log ${home}/logs/a.b.log`,
    ]);
  });

  it("that are gone are not taken away by a reload, and those that are there are", async () => {
    const names = ["a", "b", "c", "d"];
    const home = homeWith(
      "agents: [{ sessions: 'logs/*.log' }]",
      Object.fromEntries(names.map((name) => [`logs/${name}.log`, ""])),
    );
    const running = await loadConfig(home);
    expect(() => refuseTakingAway(running, { ...running, agents: [] })).toThrow("removes 4 of 4");
    for (const name of names) rmSync(join(home, `logs/${name}.log`));
    expect(() => refuseTakingAway(running, { ...running, agents: [] })).not.toThrow();
  });
});
