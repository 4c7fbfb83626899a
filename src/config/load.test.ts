import { mkdirSync, mkdtempSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../core/duration.ts";
import { parseListen } from "./listen.ts";
import { agentsOf, defaultRule, loadConfig, parseConfig } from "./load.ts";
import { configJsonSchema } from "./schema.ts";

const problems: readonly (readonly [name: string, text: string, said: string | RegExp])[] = [
  ["an unknown key with a near one", "lissten: x", 'f:1: lissten: unknown key; did you mean "listen"?'],
  [
    "a misspelt kind of a channel",
    "channels: { desk: { kind: dekstop } }",
    'desktop, console or command; did you mean "desktop"?',
  ],
  [
    "an unknown key with none near",
    "zebra: 7",
    "f:1: zebra: unknown key (value 7); expected one of listen, names, page, access",
  ],
  [
    "an unknown key of an agent, on its own line",
    "agents:\n  - id: a\n    evry: 5m",
    'f:3: agents[0].evry: unknown key; did you mean "every"?',
  ],
  [
    "a duration that is none",
    "defaults: { grace: 5 }",
    "f:1: defaults.grace: expected a duration such as 15m, 1h30m or 90s, not 5",
  ],
  [
    "an id that is used twice",
    "agents: [{ id: a }, { id: a }]",
    'f:1: agents[1].id: expected an id that is used once, not "a"',
  ],
  ["an agent without an id", "agents: [{ name: A }]", "f:1: agents[0].id: expected an agent id"],
  [
    "a cron expression that is none",
    "agents: [{ id: a, schedule: '61 * * * *' }]",
    "f:1: agents[0].schedule: expected a cron expression (",
  ],
  [
    "a date that never comes",
    "agents: [{ id: a, schedule: '0 0 30 2 *' }]",
    "f:1: agents[0].schedule: expected a cron expression (",
  ],
  [
    "a time zone that is none",
    "agents: [{ id: a, schedule: '0 0 * * *', timezone: Mars/Base }]",
    'f:1: agents[0].timezone: expected a time zone such as Europe/Berlin, not "Mars/Base"',
  ],
  [
    "both kinds of rule",
    "agents: [{ id: a, every: 5m, schedule: '0 0 * * *' }]",
    /^f:1: agents\[0\]\.schedule: expected either every or schedule, not both$/,
  ],
  [
    "agents in a circle",
    "agents:\n  - { id: a, after: [b] }\n  - { id: b, after: [a] }",
    "f:2: agents[0].after: a and b depend on each other",
  ],
  ["an agent after itself", "agents: [{ id: a, after: [a] }]", "f:1: agents[0].after: a depends on itself"],
  [
    "no time",
    "agents: [{ id: a, every: 0s }]",
    'f:1: agents[0].every: expected a duration longer than 0, such as 15m, not "0s"',
  ],
  [
    "less than no time",
    "agents: [{ id: a, grace: -5m }]",
    'f:1: agents[0].grace: expected a duration longer than 0, such as 15m, not "-5m"',
  ],
  [
    "a port that is none",
    "agents: []\nlisten: 127.0.0.1:99999",
    'f:2: listen: expected an address such as 127.0.0.1:7766, not "127.0.0.1:99999"',
  ],
  [
    "a key beside its old name",
    "names: [a.example]\nhosts: [b.example]",
    "f:2: hosts: expected either names or hosts, its old name, not both",
  ],
  [
    "a channel of the daemon's beats beside its old form",
    "channels: { c: { kind: console } }\ndaemon: { heartbeat: { to: c, telegram: { chat: 1 } } }",
    "f:2: daemon.heartbeat.telegram: expected either to or telegram, its old name, not both",
  ],
  [
    "a channel of the daemon's beats that there is not",
    "daemon: { heartbeat: { to: c } }",
    "f:1: daemon.heartbeat.to: expected a channel that is declared under channels",
  ],
  ["a list where a mapping should be", "[1, 2]", "f:1: expected a mapping of keys to values, not [1,2]"],
  ["what is not YAML", "agents: [", "f:1: a bracket is open"],
  [
    "an escalation to a channel that is not there",
    "channels: { c: { kind: console } }\nagents:\n  - { id: a, recover: [{ do: escalate, to: [nochan] }] }",
    'f:3: agents[0].recover[0].to[0]: expected one of c, not "nochan"',
  ],
  [
    "a colon that is missing, once",
    "agents\n  - { id: a, every: 15m }\n  - { id: b }\n",
    "f:1: a colon is missing: expected key: value, or key: and its value indented below",
  ],
  ["a bracket that is open", "policy: { group: 5s\nlisten: a:1\n", "f:2: a bracket is open"],
  [
    "a key that stands twice",
    "listen: a:1\nlisten: b:1",
    "f:2: this key stands there twice: expected it once",
  ],
];

describe("a config with a mistake says where it is and what would be right", () => {
  it.each(problems)("%s", async (_name, text, said) => {
    await expect(parseConfig(text, "f")).rejects.toThrow(said);
  });

  it("and names every mistake at once, in the order of lines", async () => {
    const error = await parseConfig("a: 1\nautoRegister: maybe\nb: 2", "f").catch((e: Error) => e);
    const lines = (error as Error).message.split("\n").map((line) => line.slice(0, 4));
    expect(lines).toEqual(["f:1:", "f:2:", "f:3:"]);
  });
});

describe("a config", () => {
  it("is not needed: the defaults are every 15 minutes and 5 of grace", async () => {
    const config = await loadConfig(mkdtempSync(join(tmpdir(), "rollcall-test-")));
    expect(config).toMatchObject({
      file: undefined,
      listen: "127.0.0.1:7766",
      autoRegister: true,
      agents: [],
    });
    expect(defaultRule(config)).toEqual({ every: 15 * MINUTE, grace: 5 * MINUTE });
  });

  it("gives each agent its rule, from its own words or the defaults", async () => {
    const config = await parseConfig(
      `defaults: { every: 10m, grace: 2m }
agents:
  - { id: allegro, name: Allegro, every: 15m }
  - { id: adagio, grace: 1h30m }
  - { id: nightly, schedule: "30 2 * * *", timezone: Europe/Berlin, grace: 1h }`,
      "f",
    );
    expect(agentsOf(config, 7)).toEqual([
      {
        id: "allegro",
        name: "Allegro",
        rule: { every: 15 * MINUTE, grace: 2 * MINUTE },
        origin: "config",
        addedAt: 7,
      },
      { id: "adagio", rule: { every: 10 * MINUTE, grace: 90 * MINUTE }, origin: "config", addedAt: 7 },
      {
        id: "nightly",
        rule: { schedule: "30 2 * * *", timezone: "Europe/Berlin", grace: HOUR },
        origin: "config",
        addedAt: 7,
      },
    ]);
  });

  it("may be JSON", async () => {
    expect(await parseConfig('{\n\t"agents": [{ "id": "a" }]\n}', "f")).toMatchObject({
      agents: [{ id: "a" }],
    });
  });

  it("must be one file, and one that was named must be there", async () => {
    const home = mkdtempSync(join(tmpdir(), "rollcall-test-"));
    await expect(loadConfig(home, join(home, "mine.yaml"))).rejects.toThrow("there is no such file");
    writeFileSync(join(home, "rollcall.yaml"), "");
    writeFileSync(join(home, "rollcall.json"), "{}");
    await expect(loadConfig(home)).rejects.toThrow("keep one of them");
  });

  it.each(["", " \n\n", "# agents:\n#  - id: a\n", "---\n", "null\n"])(
    "may not be empty: %j",
    async (text) => {
      await expect(parseConfig(text, "f")).rejects.toThrow(
        "f: it is empty; expected keys such as agents: []",
      );
    },
  );

  it("may say that there is nothing", async () => {
    expect(await parseConfig("{}", "f")).toMatchObject({ agents: [] });
    expect(await parseConfig("agents: []", "f")).toMatchObject({ agents: [] });
  });

  it("must be readable: a folder or a link that leads nowhere is no reason to go on without one", async () => {
    const home = mkdtempSync(join(tmpdir(), "rollcall-test-"));
    const file = join(home, "rollcall.yaml");
    mkdirSync(file);
    await expect(loadConfig(home)).rejects.toThrow(`${file}: it is a folder, not a file`);
    rmdirSync(file);
    symlinkSync(join(home, "nowhere"), file);
    await expect(loadConfig(home)).rejects.toThrow(`${file}: there is no such file`);
  });

  it("has a JSON Schema in the words that people write", () => {
    expect(configJsonSchema()).toMatchObject({
      properties: { defaults: { properties: { every: { type: "string", default: "15m" } } } },
    });
  });
});

describe("an address to listen at", () => {
  it.each([
    ["127.0.0.1:7766", { host: "127.0.0.1", port: 7766 }],
    ["[::1]:0", { host: "::1", port: 0 }],
    ["localhost:80", { host: "localhost", port: 80 }],
    [":7766", { host: "127.0.0.1", port: 7766 }],
    // Whether these may be listened at is for the tokens to say.
    ["0.0.0.0:7766", { host: "0.0.0.0", port: 7766 }],
    ["[::]:80", { host: "::", port: 80 }],
  ])("%s", (text, address) => {
    expect(parseListen(text, "f")).toEqual(address);
  });

  it.each(["7766", "127.0.0.1", "127.0.0.1:99999", "::1:80"])("%s is refused", (text) => {
    expect(() => parseListen(text, "f")).toThrow("listen: expected");
  });
});
