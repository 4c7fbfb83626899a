// `rollcall tick` as people and cron call it, against a forge on a real socket.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeForge, type Fault } from "./fake-forge.ts";
import { cli, type Done, rollcall, root, runToEnd, temporaryHome } from "./product.ts";

const MONTH = "2026-04";
const vitals = { gateway_running: true, home_directory_accessible: true, config_valid: true };
const HEALTHY = { status: "healthy", vitals, capabilities: { search: true } };
const CREATE = /^POST .*\/issues$/;

/** A home with a registry and a folder of ticks; an agent without a tick is missing. */
function fleet(ticks: Record<string, unknown>, more: readonly unknown[] = [], config?: string) {
  const home = temporaryHome(config);
  const folder = join(home, "ticks", MONTH);
  mkdirSync(folder, { recursive: true });
  const agents = Object.keys(ticks).map((id) => ({
    id,
    name: id,
    active: true,
    home_dir: `/home/${id}`,
    config_path: "c",
  }));
  writeFileSync(join(home, "registry.json"), JSON.stringify({ agents: [...agents, ...more] }));
  for (const [id, tick] of Object.entries(ticks)) {
    if (tick !== undefined)
      writeFileSync(join(folder, `${id}.json`), typeof tick === "string" ? tick : JSON.stringify(tick));
  }
  const places = [
    "--registry",
    join(home, "registry.json"),
    "--ticks",
    join(home, "ticks"),
    "--month",
    MONTH,
  ];
  return { home, folder, args: ["tick", "check", ...places] };
}

function environment(forge: FakeForge, home: string): Record<string, string> {
  return { ROLLCALL_HOME: home, GITEA_URL: forge.url, GITEA_REPO: "org/fleet", GITEA_TOKEN: forge.token };
}

function check(forge: FakeForge, { home, args }: ReturnType<typeof fleet>, ...more: string[]): Promise<Done> {
  return runToEnd(process.execPath, [rollcall, ...args, ...more], environment(forge, home));
}

const FAILING = {
  allegro: undefined,
  adagio: { ...HEALTHY, status: "critical", vitals: { ...vitals, config_valid: false } },
};

describe("rollcall tick check", () => {
  test("D4: says how everybody did, and files nothing unless it is told to", async () => {
    const at = fleet(
      {
        ...FAILING,
        ezra: { status: "offline" },
        largo: { ...HEALTHY, capabilities: { mail: false } },
        timmy: HEALTHY,
        broken: "{",
        partial: { status: "healthy" },
        late: { ...HEALTHY, month: "2026-03" },
        linked: undefined,
      },
      [{ id: "retired", active: false }, { id: "../x", active: true }, "nonsense"],
    );
    symlinkSync("/etc/hostname", join(at.folder, "linked.json"));
    const forge = await new FakeForge({ kind: "gitea" }).start();
    const { status, stdout, stderr } = await check(forge, at);
    expect(stderr).toBe("");
    expect(stdout.split("\n").filter((line) => /^\S/.test(line))).toEqual([
      "=== Agent Tick Monitor ===",
      "Checking month: 2026-04",
      expect.stringMatching(/^Time: \d{4}-\d\d-\d\dT[\d:.]+Z$/),
      "allegro: MISSING TICK",
      "adagio: STATUS CRITICAL",
      "ezra: STATUS OFFLINE",
      "largo: DEGRADED",
      "timmy: HEALTHY",
      "broken: INVALID TICK",
      "partial: INVALID TICK",
      "late: INVALID TICK",
      "linked: INVALID TICK",
      "agents[10]: INVALID TICK",
      "agents[11]: INVALID TICK",
      "=== Summary ===",
      "Total agents: 11",
      "Nothing was filed. To file an issue for each failure, run the same command with --check-and-report.",
    ]);
    expect(stdout).toContain("largo: DEGRADED\n  (No RCA required, but monitor)\n  Not working: mail\n");
    expect(stdout).toContain("  Healthy: 1\n  Degraded: 1\n  Failed: 9\n  Issues created: 0\n");
    expect(status).toBe(1);
    expect(forge.requests).toEqual([]);
    expect(readdirSync(at.home)).not.toContain("issues-pending");
  });

  test("is content with a fleet that is well", async () => {
    const at = fleet({ timmy: HEALTHY, largo: { ...HEALTHY, capabilities: { mail: false } } });
    expect(await cli(at.home, ...at.args)).toMatchObject({ status: 0, stderr: "" });
  });

  test("D4, D5: files one issue for each failure with three labels, and the second time it finds them", async () => {
    const forge = await new FakeForge({ kind: "gitea" }).start();
    const at = fleet({ ...FAILING, timmy: HEALTHY });
    const first = await check(forge, at, "--check-and-report");
    expect(first.stdout).toContain(
      `allegro: MISSING TICK\n  → Issue #1 created: ${forge.url}/org/fleet/issues/1\n`,
    );
    expect(first.stdout).toContain("Issues created: 2\n");
    expect(forge.issues.map(({ title }) => title)).toEqual([
      "RCA-AGENT: allegro failed to submit monthly tick (2026-04)",
      "RCA-AGENT: adagio reported critical status (2026-04)",
    ]);
    for (const { labels } of forge.issues)
      expect(labels).toEqual(["agent-health", "rca-required", "auto-generated"]);
    expect(forge.issues[1]?.body).toContain("- **config_valid**: `FAILED`");
    const second = await check(forge, at, "--check-and-report");
    expect(second.stdout).toContain("  → Issue #1 is already there: ");
    expect(second.stdout).toContain("Issues created: 0\n");
    expect(second.status).toBe(1);
    expect(forge.issues).toHaveLength(2);
    expect(forge.refused).toEqual([]);
    expect(`${first.stdout}${second.stdout}`).not.toContain(forge.token);
  });

  test("D4, D5: the whole text of the report and of an issue is as required", async () => {
    const forge = await new FakeForge({ kind: "gitea" }).start();
    const link = `${forge.url}/org/ticks/src/branch/main/ticks/{month}/{agent}.json`;
    const at = fleet(
      { adagio: FAILING.adagio, largo: { ...HEALTHY, capabilities: { mail: false } }, timmy: HEALTHY },
      [
        {
          id: "allegro",
          name: "Allegro the First",
          active: true,
          home_dir: "/home/allegro",
          config_path: "c",
        },
      ],
      `tick: {link: "${link}"}\n`,
    );
    mkdirSync(join(at.home, "ticks/2026-02"));
    writeFileSync(join(at.home, "ticks/2026-02/allegro.json"), JSON.stringify(HEALTHY));
    const { stdout } = await check(forge, at, "--check-and-report");
    const time = /^Time: (.*)$/m.exec(stdout)?.[1] ?? "";
    const days = Math.floor((Date.parse(time) - Date.parse("2026-04-04T00:00:00Z")) / 86_400_000) + 1;
    expect(stdout).toBe(`=== Agent Tick Monitor ===
Checking month: 2026-04
Time: ${new Date(time).toISOString()}

adagio: STATUS CRITICAL
  → Issue #1 created: ${forge.url}/org/fleet/issues/1
  Not working: config_valid
largo: DEGRADED
  (No RCA required, but monitor)
  Not working: mail
timmy: HEALTHY
allegro: MISSING TICK
  → Issue #2 created: ${forge.url}/org/fleet/issues/2

=== Summary ===
Total agents: 4
  Healthy: 1
  Degraded: 1
  Failed: 2
  Issues created: 2
`);
    expect(forge.issues[1]?.body).toBe(`<!-- rollcall:allegro:2026-04:MISSING_TICK -->

## Agent Health Failure: allegro

**Detected:** ${time}
**Agent:** Allegro the First
**Failure Type:** MISSING_TICK
**Auto-Generated By:** Rollcall

### Expected Behavior

A healthy tick for 2026-04 within the 72-hour window, by 2026-04-04T00:00:00.000Z.

### Actual Behavior

- **Tick**: \`not submitted\`
- **Expected by**: \`2026-04-04T00:00:00.000Z\`
- **Today**: \`${time}\`
- **Days overdue**: \`${days}\`

### Root Cause Analysis Required

#### 1. What happened?

- [ ] Last successful operation
- [ ] Error logs
- [ ] System state

#### 2. Why did it happen?

- [ ] Configuration drift
- [ ] Resource exhaustion
- [ ] External dependencies
- [ ] Code regression

#### 3. How do we prevent recurrence?

- [ ] Monitoring
- [ ] Automated recovery
- [ ] Alert tuning

#### 4. Recovery steps taken

- [ ] Actions taken
- [ ] Current status
- [ ] Validation

### Timeline

- [x] **T+0**: issue created (${time})
- [ ] **T+1h**: first response of the owner
- [ ] **T+24h**: root cause submitted
- [ ] **T+7d**: resolution verified

### Related Resources

- **Agent home**: \`/home/allegro\`
- **Config**: \`c\`
- **Last tick**: \`ticks/2026-02/allegro.json\` ([open](<${forge.url}/org/ticks/src/branch/main/ticks/2026-02/allegro.json>))
- **Tick file**: \`ticks/2026-04/allegro.json\`

### Checklist for Resolution

- [ ] Root cause identified and documented
- [ ] Fix applied
- [ ] Agent healthy again
- [ ] New tick submitted, if it was missing
- [ ] Monitoring improved
- [ ] Closed with a summary

---

_Rollcall found this failure, collected the facts above and filed this issue._
`);
  });

  test("files on GitHub by the config, with a template of the team's own and a token in a file", async () => {
    const forge = await new FakeForge({ kind: "github" }).start();
    const config = `forge: {kind: github, url: "${forge.url}", repo: org/fleet, tokenFile: ./token.txt, template: ./form.md}\n`;
    const at = fleet(FAILING, [], config);
    writeFileSync(join(at.home, "token.txt"), `${forge.token}\n`);
    writeFileSync(join(at.home, "form.md"), "Our form for {{agent}}: {{failure}}\n");
    expect((await cli(at.home, ...at.args, "--check-and-report")).stdout).toContain("Issues created: 2\n");
    expect(forge.issues[0]?.body).toBe(
      "<!-- rollcall:allegro:2026-04:MISSING_TICK -->\n\nOur form for allegro: MISSING_TICK\n",
    );
    writeFileSync(join(at.home, "form.md"), "{{agnet}}");
    const wrong = await cli(at.home, ...at.args);
    expect(wrong).toMatchObject({ status: 1, stdout: "" });
    expect(wrong.stderr).toContain(
      "form.md: line 1: there is no placeholder {{agnet}}; did you mean {{agent}}?",
    );
  });

  test("killed between the request and its reply, it makes no second issue", async () => {
    const forge = await new FakeForge({ kind: "gitea" }).start();
    const at = fleet(FAILING);
    for (const agent of ["allegro", "adagio"]) {
      forge.fail({ on: CREATE, how: "hang", after: true, times: 1 });
      const came = forge.came(CREATE);
      const child = spawn(process.execPath, [rollcall, ...at.args, "--check-and-report"], {
        env: { ...process.env, ...environment(forge, at.home) },
        stdio: "ignore",
      });
      await came;
      child.kill("SIGKILL");
      await once(child, "exit");
      expect(forge.issues.at(-1)?.title).toContain(agent);
    }
    for (let i = 0; i < 2; i += 1) {
      const { stdout } = await check(forge, at, "--check-and-report");
      expect(stdout).toContain("Issue #1 is already there");
      expect(stdout).toContain("Issue #2 is already there");
    }
    expect(forge.issues).toHaveLength(2);
    expect(readdirSync(join(at.home, "issues-pending"))).toEqual([]);
  });

  // One of each kind; src/forges tries every status of every forge.
  test.each<[Fault["how"], string]>([
    [{ status: 401 }, "the token is not accepted (401)"],
    [{ status: 429, headers: { "retry-after": "3600" } }, "too many requests (429)"],
    [{ status: 500 }, "the forge has an error (500)"],
    ["hang", "no answer within 1 s"],
  ])("completes its report when the forge fails, and loses nothing: %j", async (how, words) => {
    const forge = await new FakeForge({ kind: "gitea" }).start();
    const config = (timeout: string) =>
      `forge: {kind: gitea, url: "${forge.url}", repo: org/fleet, tokenEnv: GITEA_TOKEN, timeout: ${timeout}}\n`;
    // Only where no answer comes is it worth the wait: one that comes may take its time.
    const at = fleet({ ...FAILING, timmy: HEALTHY }, [], config(how === "hang" ? "1s" : "30s"));
    forge.fail({ on: CREATE, how });
    const failed = await check(forge, at, "--check-and-report");
    expect(failed).toMatchObject({ status: 1, stderr: "" });
    expect(failed.stdout).toContain("  ✗ Failed to create issue\n    It will be retried: ");
    expect(failed.stdout).toContain(words);
    expect(failed.stdout).toContain("timmy: HEALTHY\n");
    expect(failed.stdout).toContain("  Failed: 2\n  Issues created: 0\n");
    expect(failed.stdout).not.toContain(forge.token);
    forge.heal();
    writeFileSync(join(at.home, "rollcall.yaml"), config("30s"));
    expect((await check(forge, at, "--check-and-report")).stdout).toContain("Issues created: 2\n");
    expect(forge.issues).toHaveLength(2);
  });

  test("D3: contacts nothing in a dry run, and shows what it would file", async () => {
    const forge = await new FakeForge({ kind: "gitea" }).start();
    const at = fleet(FAILING);
    const { stdout, status } = await check(forge, at, "--check-and-report", "--dry-run");
    expect(status).toBe(1);
    expect(stdout).toContain("  Would file: RCA-AGENT: allegro failed to submit monthly tick (2026-04)\n");
    expect(stdout).toContain("  Labels: agent-health, rca-required, auto-generated\n");
    expect(stdout).toContain("    ### Root Cause Analysis Required\n");
    expect(forge.requests).toEqual([]);
    expect(readdirSync(at.home)).not.toContain("issues-pending");
  });

  test("tells programs the same", async () => {
    const forge = await new FakeForge({ kind: "gitea" }).start();
    const { stdout } = await check(
      forge,
      fleet({ ...FAILING, timmy: HEALTHY }),
      "--check-and-report",
      "--json",
    );
    expect(JSON.parse(stdout)).toMatchObject({
      month: MONTH,
      agents: [
        { agent: "allegro", result: "missing", issue: { outcome: "created", number: 1 } },
        { agent: "adagio", result: "critical", issue: { outcome: "created", number: 2 } },
        { agent: "timmy", result: "healthy", issue: null },
      ],
      earlier: [],
      summary: { total: 3, healthy: 1, degraded: 0, failed: 2, issuesCreated: 2 },
    });
  });

  test("reads the registry and the ticks under the current folder", async () => {
    const { home } = fleet({ timmy: HEALTHY });
    mkdirSync(join(home, "config"));
    writeFileSync(join(home, "config/agent-registry.json"), readFileSync(join(home, "registry.json")));
    const run = `cd '${home}' && '${process.execPath}' '${rollcall}' tick check --month ${MONTH}`;
    expect((await runToEnd("sh", ["-c", run], { ROLLCALL_HOME: home })).stdout).toContain("timmy: HEALTHY\n");
  });

  test.each([
    [
      "no registry",
      ["--registry", "/nowhere/r.json"],
      1,
      "there is no such file; name the registry with --registry",
    ],
    ["a registry that is none", ["--registry", "/etc/hostname"], 1, "expected JSON such as"],
    ["no folder of ticks", ["--ticks", "/nowhere/ticks"], 1, "there is no such folder; name it with --ticks"],
    ["a month that is none", ["--month", "April"], 2, "expected a month such as 2026-04"],
    ["a month to come", ["--month", "9999-01"], 1, "9999-01 has not begun"],
  ])("is refused, and nobody is accused: %s", async (_, more, status, words) => {
    const at = fleet(FAILING);
    const done = await cli(at.home, ...at.args, ...more);
    expect(done).toMatchObject({ status, stdout: "" });
    expect(done.stderr).toContain(words);
    expect(done.stderr).not.toContain("    at ");
  });
});

describe("rollcall tick submit", () => {
  function host(config?: string) {
    const home = temporaryHome(config);
    mkdirSync(join(home, "agent"));
    writeFileSync(join(home, "agent/config.json"), "{}");
    const agents = ["allegro", "timmy"].map((id) => ({
      id,
      name: id,
      active: true,
      home_dir: join(home, "agent"),
      config_path: "config.json",
    }));
    writeFileSync(join(home, "registry.json"), JSON.stringify({ agents }));
    const places = ["--registry", join(home, "registry.json"), "--ticks", join(home, "ticks")];
    const read = (month: string, id: string) =>
      JSON.parse(readFileSync(join(home, "ticks", month, `${id}.json`), "utf8")) as Record<string, unknown>;
    return { home, places, read };
  }
  const month = () => new Date().toISOString().slice(0, 7);
  const CONFIG = `tick:
  agents: [allegro, timmy]
  gateway: {command: "true"}
  capabilities:
    search: {command: 'test "$ROLLCALL_AGENT" = allegro', timeout: 5s}
`;

  test("D1: skips an agent that is not active, named or not", async () => {
    const { home, places } = host(CONFIG);
    const file = join(home, "registry.json");
    const { agents } = JSON.parse(readFileSync(file, "utf8")) as {
      agents: { id: string; active: boolean }[];
    };
    for (const agent of agents) agent.active = agent.id !== "timmy";
    writeFileSync(file, JSON.stringify({ agents }));
    const skipped = "timmy: skipped, because the registry says that it is not active\n";
    const all = await cli(home, "tick", "submit", ...places);
    expect(all).toMatchObject({ status: 0, stdout: expect.stringContaining(skipped) });
    expect(await cli(home, "tick", "submit", ...places, "--agent", "timmy")).toMatchObject({
      status: 0,
      stdout: skipped,
    });
    expect(existsSync(join(home, "ticks", month(), "timmy.json"))).toBe(false);
  });

  test("D2: measures the agents of this host and writes their ticks, which check takes", async () => {
    const { home, places, read } = host(CONFIG);
    const before = month();
    await cli(home, "beat", "allegro");
    const { stdout, status } = await cli(home, "tick", "submit", ...places);
    expect(status).toBe(0);
    expect(stdout).toContain(`allegro: HEALTHY for ${before}, written (`);
    expect(stdout).toContain(`timmy: DEGRADED for ${before}, written (`);
    expect(stdout).toContain("  search: the command ended with 1\n");
    expect(read(before, "allegro")).toMatchObject({
      agent: "allegro",
      month: before,
      status: "healthy",
      vitals,
      capabilities: { search: true },
    });
    const checked = await cli(home, "tick", "check", ...places, "--month", before);
    expect(checked.stdout).toMatch(/^allegro: HEALTHY\ntimmy: DEGRADED\n/m);
  });

  test("again in the same month replaces it and keeps the earlier one; offline is said on its behalf", async () => {
    const { home, places, read } = host(CONFIG);
    await cli(home, "tick", "submit", ...places, "--agent", "allegro", "--month", "2026-04");
    const again = await cli(
      home,
      "tick",
      "submit",
      ...places,
      "--agent",
      "allegro",
      "--month",
      "2026-04",
      "--offline",
      "--json",
    );
    expect(JSON.parse(again.stdout)).toMatchObject({
      submitted: [{ tick: { status: "offline" } }],
      pushed: null,
    });
    expect(read("2026-04", "allegro")).not.toHaveProperty("vitals");
    expect(readdirSync(join(home, "ticks/2026-04/history"))).toHaveLength(1);
    const checked = await cli(home, "tick", "check", ...places, "--month", "2026-04");
    expect(checked.stdout).toMatch(/^allegro: STATUS OFFLINE\ntimmy: MISSING TICK\n/m);
  });

  test("says what is known of an agent itself, with no watcher running", async () => {
    const { home, places } = host(
      "agents: [{id: allegro, every: 15m}, {id: timmy, process: {match: '^no such program'}}]\ntick: {agents: [allegro, timmy]}\n",
    );
    await cli(home, "beat", "allegro");
    const { stdout } = await cli(home, "tick", "submit", ...places);
    expect(stdout).toMatch(
      /^allegro: HEALTHY for .*\ntimmy: OFFLINE for .*\n {2}gateway_running: the roll says/,
    );
  });

  test.each([
    ["nobody named", [], 1, "which agent? name it with --agent ID"],
    ["somebody unknown", ["--agent", "ezra"], 1, 'there is no agent "ezra"; expected one of allegro, timmy'],
    ["a way out of the folder", ["--agent", "../x"], 2, "../x"],
    ["a month to come", ["--agent", "timmy", "--month", "9999-01"], 1, "9999-01 has not begun"],
    ["offline for nobody", ["--offline"], 1, "which agent?"],
    ["a push from no repository", ["--agent", "timmy", "--push"], 1, "written, but not pushed"],
  ])("is refused: %s", async (_, more, status, words) => {
    const { home, places } = host();
    const done = await cli(home, "tick", "submit", ...places, ...more);
    expect(done.status).toBe(status);
    expect(done.stderr).toContain(words);
  });

  test("adds what the store knows of the month", async () => {
    const { home, places, read } = host(CONFIG);
    const now = month();
    await cli(home, "run", "allegro", "--", "true");
    const { daemon, until, agentOf } = await import("./product.ts");
    const watcher = await daemon(home);
    await until(
      () => agentOf(watcher.url, "allegro"),
      (agent) => agent !== undefined,
    );
    await cli(home, "tick", "submit", ...places, "--agent", "allegro");
    expect(read(now, "allegro").activity).toMatchObject({
      beats: 2,
      cycles: 1,
      crashes: 0,
      incidents: 0,
      uptime: 1,
    });
  });

  test("pushes from two hosts at the same time, and both arrive", async () => {
    const hosts = [host(`${CONFIG}  push: true\n`), host(`${CONFIG}  push: true\n`)];
    const bare = join(temporaryHome(), "bare.git");
    await runToEnd("git", ["init", "--quiet", "--bare", "-b", "main", bare]);
    for (const { home } of hosts) {
      await runToEnd("git", ["clone", "--quiet", bare, join(home, "ticks")]);
      await runToEnd("git", ["-C", join(home, "ticks"), "checkout", "--quiet", "-B", "main"]);
    }
    const done = await Promise.all(
      hosts.map(({ home, places }, i) =>
        cli(home, "tick", "submit", ...places, "--agent", ["allegro", "timmy"][i] ?? "", "--month", MONTH),
      ),
    );
    expect(done.map(({ status, stderr }) => [status, stderr])).toEqual([
      [0, ""],
      [0, ""],
    ]);
    const { stdout } = await runToEnd("git", ["-C", bare, "ls-tree", "-r", "--name-only", "main"]);
    expect(stdout).toBe(`${MONTH}/allegro.json\n${MONTH}/timmy.json\n`);
  });
});

test("a bad config of ticks and forge is told with its place", async () => {
  const home = temporaryHome(
    "forge: {kind: gitea, repo: fleet, tokenEnv: T, url: ftp://x}\ntick: {capabilities: {a: {comand: x}, 'b c': {file: x}, c: {file: x, url: http://x}}}\n",
  );
  const { status, stderr } = await cli(home, "config", "check");
  expect(status).toBe(1);
  for (const words of [
    "forge.repo: expected a repository such as org/fleet",
    "forge.url: expected an address",
    'did you mean "command"?',
    "tick.capabilities.c: expected one of command",
  ]) {
    expect(stderr).toContain(words);
  }
});

test("D1: the example registry is read as it stands", async () => {
  const home = temporaryHome();
  mkdirSync(join(home, "ticks"));
  const done = await cli(
    home,
    "tick",
    "check",
    "--registry",
    join(root, "examples/agent-registry.json"),
    "--ticks",
    join(home, "ticks"),
    "--month",
    MONTH,
  );
  expect(done.stdout).toMatch(/^allegro: MISSING TICK\nadagio: MISSING TICK\ntimmy: MISSING TICK\n/m);
});
