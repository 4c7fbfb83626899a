// Root-cause issues of ticks at the forges that teams have, by the built command and on real sockets.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeForge } from "./fake-forge.ts";
import { FakeGitLab } from "./fake-gitlab.ts";
import { cli, daemon, rollcall, runToEnd, temporaryHome, until } from "./product.ts";

const MONTH = "2026-04";
const LABELS = ["agent-health", "rca-required", "auto-generated"];
const vitals = { gateway_running: true, home_directory_accessible: true, config_valid: true };
const TICKS = {
  allegro: undefined,
  adagio: { status: "critical", vitals: { ...vitals, config_valid: false }, capabilities: {} },
  timmy: { status: "healthy", vitals, capabilities: { search: true } },
};
const TITLES = [
  "RCA-AGENT: allegro failed to submit monthly tick (2026-04)",
  "RCA-AGENT: adagio reported critical status (2026-04)",
];

/** A folder with `config/agent-registry.json` and `ticks/`, as the old script expects it, and a home beside it. */
function fleet(config?: string) {
  const home = temporaryHome(config);
  const folder = join(home, "fleet");
  mkdirSync(join(folder, "config"), { recursive: true });
  mkdirSync(join(folder, "ticks", MONTH), { recursive: true });
  const agents = Object.keys(TICKS).map((id) => ({
    ...{ id, name: id.toUpperCase(), active: true },
    ...{ home_dir: `/home/${id}`, config_path: "config.json" },
  }));
  const retired = { id: "ezra", name: "Ezra", active: false, home_dir: "/", config_path: "c" };
  writeFileSync(join(folder, "config/agent-registry.json"), JSON.stringify({ agents: [...agents, retired] }));
  for (const [id, tick] of Object.entries(TICKS)) {
    if (tick !== undefined) writeFileSync(join(folder, "ticks", MONTH, `${id}.json`), JSON.stringify(tick));
  }
  return { home, folder };
}

const CHECK = ["tick", "check", "--check-and-report", "--month", MONTH, "--json"];

interface Report {
  readonly agents: readonly {
    agent: string;
    issue: { outcome: string; number?: number; problem?: string } | null;
  }[];
  readonly summary: { readonly failed: number; readonly issuesCreated: number };
}

/** `tick check` in the folder of the fleet. */
async function check(
  { home, folder }: ReturnType<typeof fleet>,
  env: Record<string, string>,
): Promise<Report> {
  const run = `cd '${folder}' && exec '${process.execPath}' '${rollcall}' ${CHECK.join(" ")}`;
  const { stdout, stderr } = await runToEnd("sh", ["-c", run], { ROLLCALL_HOME: home, ...env });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as Report;
}

function configOf(forge: FakeForge, kind: string): string {
  return `forge: {kind: ${kind}, url: "${forge.url}", repo: org/fleet, tokenEnv: FORGE_TOKEN}\n`;
}

describe("a forge of the config", () => {
  test.each([
    ["gitlab", () => new FakeGitLab()],
    ["forgejo", () => new FakeForge({ kind: "gitea" })],
  ])("D5: %s gets each issue once, also when the command is killed before the reply", async (kind, fake) => {
    const forge = await fake().start();
    const at = fleet(configOf(forge, kind));
    const env = { FORGE_TOKEN: forge.token };
    const create = /^POST .*\/issues$/;
    forge.fail({ on: create, how: "hang", after: true, times: 1 });
    const came = forge.came(create);
    const child = spawn(process.execPath, [rollcall, ...CHECK], {
      env: { ...process.env, ...env, ROLLCALL_HOME: at.home },
      ...{ cwd: at.folder, stdio: "ignore" },
    });
    await came;
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(forge.issues).toHaveLength(1);

    const outcomes = async () => (await check(at, env)).agents.map(({ issue }) => issue?.outcome);
    expect(await outcomes()).toEqual(["found", "created", undefined]);
    expect(await outcomes()).toEqual(["found", "found", undefined]);
    expect(forge.issues.map(({ title }) => title)).toEqual(TITLES);
    for (const { labels } of forge.issues) expect(labels).toEqual(LABELS);
    expect(readdirSync(join(at.home, "issues-pending"))).toEqual([]);
    expect(forge.refused).toEqual([]);
  });

  test("of a kind that there is not is refused with the kinds that there are", async () => {
    const home = temporaryHome("forge: {kind: gitlub, repo: org/fleet, tokenEnv: T}\n");
    const { status, stderr } = await cli(home, "config", "check");
    expect(status).toBe(1);
    expect(stderr).toContain("forge.kind: expected one of gitea, forgejo, github and gitlab");
  });
});

describe("the environment of the old script", () => {
  const old = (forge: FakeForge) => ({ CLAW_CODE_GITEA_URL: forge.url, GITEA_TOKEN: forge.token });

  /** The folder is a working copy of the repository whose issues they are. */
  async function workingCopy(at: ReturnType<typeof fleet>): Promise<void> {
    const git = async (...args: string[]) =>
      expect(await runToEnd("git", ["-C", at.folder, ...args])).toMatchObject({ status: 0 });
    await git("init", "--quiet");
    await git("remote", "add", "origin", "git@127.0.0.1:org/fleet.git");
  }

  test("D5: files what is missing once, and adopts what is there, in the repository of the git remote", async () => {
    const forge = await new FakeForge({ kind: "gitea" }).start();
    const at = fleet();
    await workingCopy(at);
    forge.addIssue({ title: TITLES[0] ?? "", body: "The old script wrote this." });
    for (const adagio of ["created", "found"]) {
      const { agents, summary } = await check(at, old(forge));
      expect(agents).toMatchObject([
        { agent: "allegro", issue: { outcome: "found", number: 1 } },
        { agent: "adagio", issue: { outcome: adagio, number: 2 } },
        { agent: "timmy", issue: null },
      ]);
      expect(summary).toMatchObject({ failed: 2, issuesCreated: adagio === "created" ? 1 : 0 });
    }
    expect(forge.issues.map(({ title }) => title)).toEqual(TITLES);
    for (const { labels } of forge.issues) expect(labels).toEqual(LABELS);
    expect(forge.issues[0]?.body).toBe(
      "<!-- rollcall:allegro:2026-04:MISSING_TICK -->\n\nThe old script wrote this.",
    );
    expect(forge.refused).toEqual([]);
  });

  test("says that no git remote names the repository", async () => {
    const forge = await new FakeForge({ kind: "gitea" }).start();
    const { agents } = await check(fleet(), old(forge));
    expect(agents[0]?.issue?.problem).toMatch(
      /^GITEA_REPO: expected a repository such as org\/fleet, because no git remote of .*fleet names one$/,
    );
    expect(forge.requests).toEqual([]);
  });

  test("D5: what the command filed is followed up by the daemon: a healthy tick is told in the issue", async () => {
    const forge = await new FakeForge({ kind: "gitea" }).start();
    const at = fleet(
      'listen: 127.0.0.1:0\nheartbeat: {actions: [{name: issues, schedule: "* * * * * *"}]}\n',
    );
    const env = { ...old(forge), GITEA_REPO: "org/fleet" };
    forge.addIssue({ title: TITLES[0] ?? "", body: "by hand" });
    await check(at, env);
    expect(readdirSync(join(at.home, "issues-filed"))).toHaveLength(2);
    const running = await daemon(at.home, env);
    await until(
      () => readdirSync(join(at.home, "issues-filed")),
      (left) => left.length === 0,
    );
    writeFileSync(join(at.folder, "ticks", MONTH, "allegro.json"), JSON.stringify(TICKS.timmy));
    await until(
      () => forge.issues[0]?.comments.length,
      (count) => count === 1,
    );
    expect(forge.issues[0]?.comments[0]?.body).toContain(`its tick for ${MONTH} is healthy`);
    expect(forge.issues.map(({ title }) => title)).toEqual(TITLES);
    await running.end("SIGTERM");
  });
});
