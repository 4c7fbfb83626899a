import { expect, test } from "vitest";
import { type Checkout, importTickScripts } from "./tick-scripts.ts";

const registry = JSON.stringify({
  agents: [
    { id: "allegro", name: "Allegro", active: true, home_dir: "/home/allegro" },
    { id: "adagio", name: "Adagio", active: true, home_dir: "/home/adagio" },
    { id: "timmy", active: false, home_dir: "/home/allegro" },
  ],
});
const git = (url: string) => `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n\tfetch = +refs\n`;
const read = (more: Partial<Checkout>) =>
  importTickScripts({
    path: "/srv/fleet",
    registry,
    gitConfig: git("https://bot:s3cr3t@git.example.org:3000/org/fleet.git"),
    crontab: "",
    home: "/root",
    env: {},
    isHere: (folder) => folder === "/home/allegro",
    ...more,
  });
const places = ["--registry", "/srv/fleet/config/agent-registry.json", "--ticks", "/srv/fleet/ticks"];

test("D6: without old crontab lines the daemon submits and checks", () => {
  const imported = read({});
  expect(imported.config).toEqual({
    tick: {
      registry: "/srv/fleet/config/agent-registry.json",
      ticks: "/srv/fleet/ticks",
      agents: ["allegro"],
    },
    forge: { kind: "gitea", url: "https://git.example.org:3000", repo: "org/fleet", tokenEnv: "GITEA_TOKEN" },
  });
  expect(imported).toMatchObject({ wakes: [], canGo: [] });
});

test("D6: what cron did it goes on doing, at its times, with Rollcall's commands", () => {
  const imported = read({
    crontab: `0 1 * * * /usr/bin/other
0 18 1 * * cd /srv/fleet && GITEA_TOKEN=s3cr3t scripts/submit-tick.sh adagio
5 18 1 * * cd /srv/fleet && scripts/submit-tick.sh allegro
0 18 4 * * cd /srv/fleet && python3 scripts/tick-monitor.py --check-and-report
0 3 * * * cd /srv/fleet && git pull
`,
  });
  expect(imported.config).toMatchObject({
    tick: { agents: ["allegro", "adagio"] },
    heartbeat: {
      actions: [
        { name: "tick-submit", enabled: false },
        { name: "tick-check", enabled: false },
      ],
    },
  });
  expect(imported.wakes).toMatchObject([
    { schedule: "0 18 1 * *", args: ["tick", "submit", ...places], replaces: 1 },
    { schedule: "0 18 4 * *", args: ["tick", "check", "--check-and-report", ...places], replaces: 3 },
  ]);
  expect(imported.canGo.map(({ line }) => line)).toEqual([1, 2, 3]);
  expect(imported.notCarried).toEqual([
    "line 5 of the crontab: its name mentions neither submitting nor checking ticks",
    expect.stringContaining("line 2 of the crontab sets GITEA_TOKEN"),
  ]);
});

test.each([
  ["git@github.com:org/fleet.git", { kind: "github", repo: "org/fleet", tokenEnv: "GITHUB_TOKEN" }],
  [
    "ssh://git@git.example.org:2222/org/fleet",
    { kind: "gitea", url: "https://git.example.org", repo: "org/fleet" },
  ],
])("the remote %s names the forge", (url, forge) => {
  expect(read({ gitConfig: git(url) }).config).toMatchObject({ forge });
});

test("the environment of the old script names the forge too", () => {
  const env = { CLAW_CODE_GITEA_URL: "https://forge.example.org" };
  expect(read({ env }).config).toMatchObject({
    forge: { url: "https://forge.example.org", repo: "org/fleet" },
  });
});

test("a forge that is not known, and bad entries of the registry, are listed", () => {
  const bad = JSON.stringify({
    agents: [
      { id: "a b", active: true },
      { id: "c", active: true },
    ],
  });
  const { config, notCarried } = read({ registry: bad, gitConfig: undefined });
  expect(config).not.toHaveProperty("forge");
  expect(notCarried).toEqual([
    expect.stringContaining("agents[0].id"),
    expect.stringContaining(".git/config names no remote"),
  ]);
});

test.each([
  [undefined, "/srv/fleet has no config/agent-registry.json; expected a checkout with"],
  ["{", "/srv/fleet/config/agent-registry.json is not JSON"],
  ["[]", "/srv/fleet/config/agent-registry.json: agents"],
])("the registry %j is refused", (text, says) => {
  expect(() => read({ registry: text })).toThrow(says);
});
