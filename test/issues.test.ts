// Incidents and ticks become root-cause issues, by the daemon itself, at a forge on a real socket.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeForge } from "./fake-forge.ts";
import { cli, daemon, http, temporaryHome, until } from "./product.ts";
import { isIn } from "./watching.ts";

const CREATE = /^POST .*\/issues$/;

/** A process that is an agent, named in its PID file. */
function agent(pidFile: string): { end: () => void } {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  writeFileSync(pidFile, `${child.pid}\n`);
  return { end: () => void child.kill("SIGKILL") };
}

function configOf(forge: FakeForge, more = ""): string {
  return `listen: 127.0.0.1:0
livenessInterval: 200ms
forge: {kind: gitea, url: "${forge.url}", repo: org/fleet, tokenEnv: FORGE_TOKEN, incidents: {after: 1s}}
heartbeat: {actions: [{name: issues, schedule: "* * * * * *"}]}
${more}`;
}

interface Shown {
  readonly incident: { readonly id: string; readonly issue: { readonly url: string } | null };
}

test("a dead agent gets exactly one issue, also across kill -9 before the forge's reply, and a word when it is back", async () => {
  const forge = await new FakeForge({ kind: "gitea" }).start();
  const home = temporaryHome();
  const pidFile = join(home, "allegro.pid");
  const env = { FORGE_TOKEN: forge.token };
  const agents = `agents: [{id: allegro, process: {pidFile: "${pidFile}"}}]\n`;
  writeFileSync(join(home, "rollcall.yaml"), configOf(forge, agents));
  const first = agent(pidFile);
  let running = await daemon(home, env);
  await isIn(running.url, "allegro", "alive");

  forge.fail({ on: CREATE, how: "hang", after: true, times: 1 });
  const came = forge.came(CREATE);
  first.end();
  await came;
  await running.end("SIGKILL");
  expect(forge.issues).toHaveLength(1);

  running = await daemon(home, env);
  const listed = await cli(home, "incidents", "list", "--agent", "allegro", "--json");
  const id = (JSON.parse(listed.stdout) as { incidents: { id: string }[] }).incidents[0]?.id ?? "";
  const shown = await until(
    async () => (await http(`${running.url}/api/v1/incidents/${id}`)).json() as unknown as Shown,
    ({ incident }) => incident.issue !== null,
  );
  const [issue] = forge.issues;
  expect(shown.incident.issue?.url).toBe(issue?.html_url);
  expect((await cli(home, "incidents", "show", id)).stdout).toContain(`issue: ${issue?.html_url}`);
  // An agent has one open incident at most, so its name does too.
  expect((await cli(home, "incidents", "show", "allegro")).stdout).toContain(`issue: ${issue?.html_url}`);
  expect(issue?.title).toMatch(/^RCA-AGENT: allegro crashed \(\d{4}-\d\d-\d\d\)$/);
  expect(issue?.body).toContain(`\`rollcall incidents show ${id}\``);
  expect(issue?.body).toContain("<summary>verdict</summary>");
  expect(issue?.labels).toEqual(["agent-health", "rca-required", "auto-generated"]);

  agent(pidFile);
  await until(
    () => issue?.comments.length,
    (count) => count === 1,
  );
  expect(issue?.comments[0]?.body).toContain("**Recovery**: the agent is well again since ");
  expect(issue?.body).toContain("- [x] Agent healthy again");
  expect(issue?.state).toBe("open");
  await until(
    () => cli(home, "actions", "history", "issues", "--json"),
    ({ stdout }) => stdout.includes('"followed": 1') || stdout.includes('"followed":1'),
  );
  await running.end("SIGTERM");
  expect(forge.issues).toHaveLength(1);
  expect(forge.count(CREATE)).toBe(1);
  expect(issue?.comments).toHaveLength(1);
  expect(forge.refused).toEqual([]);
});

describe("ticks by the daemon", () => {
  const vitals = { gateway_running: true, home_directory_accessible: true, config_valid: true };

  function fleet(forge: FakeForge, submitted = "timmy", more = "") {
    const tick = `registry: registry.json, ticks: ./ticks, agents: [${submitted}], capabilities: {search: {command: 'true'}}`;
    const home = temporaryHome(configOf(forge, `tick: {${tick}}\n${more}`));
    mkdirSync(join(home, "ticks"));
    writeFileSync(join(home, "agent.json"), "{}");
    const agents = ["timmy", "allegro"].map((id) => ({
      id,
      active: true,
      home_dir: home,
      config_path: "agent.json",
    }));
    writeFileSync(join(home, "registry.json"), JSON.stringify({ agents }));
    return home;
  }

  test("are submitted and checked by actions, at 06:00 UTC unless the config says otherwise", async () => {
    const forge = await new FakeForge({ kind: "gitea" }).start();
    const home = fleet(
      forge,
      "timmy, allegro",
      "agents: [{id: timmy, every: 15m}, {id: allegro, every: 1s, grace: 1s}]\n",
    );
    const list = async () => {
      const { stdout } = await cli(home, "actions", "list", "--json");
      const { actions } = JSON.parse(stdout) as { actions: Record<string, unknown>[] };
      return actions.filter(({ name }) => /^tick-|^issues$/.test(String(name)));
    };
    const expected = [
      { name: "issues", schedule: "* * * * * *" },
      { name: "tick-submit", schedule: "0 6 1 * *", timezone: "UTC", enabled: true },
      { name: "tick-check", schedule: "0 6 4 * *", timezone: "UTC", enabled: true },
    ];
    expect(await list()).toMatchObject(expected);
    const running = await daemon(home, { FORGE_TOKEN: forge.token });
    expect(await list()).toMatchObject(expected);

    // What an agent's tick says is true of the agent: the watcher of both runs, and one of them is dead.
    expect((await http(`${running.url}/beat/timmy`)).status).toBe(200);
    await isIn(running.url, "allegro", "dead");
    const month = new Date().toISOString().slice(0, 7);
    const submitted = await cli(home, "actions", "run", "tick-submit", "--json");
    // On a busy machine it says meanwhile that it still runs.
    const complaints = submitted.stderr.replaceAll(/^rollcall: tick-submit (is|has been) running.*\n/gm, "");
    expect({ ...submitted, stderr: complaints }).toMatchObject({ status: 0, stderr: "" });
    const grid = (await http(`${running.url}/api/v1/ticks`)).json() as {
      months: string[];
      agents: { id: string; ticks: Record<string, { status: string }> }[];
    };
    expect(grid.months).toEqual([month]);
    expect(grid.agents.map(({ id }) => id)).toEqual(["timmy", "allegro"]);
    expect(grid.agents[0]?.ticks[month]).toMatchObject({ status: "healthy", issue: null });
    expect(grid.agents[1]?.ticks[month]).toMatchObject({ status: "offline" });
    const places = ["--registry", join(home, "registry.json"), "--ticks", join(home, "ticks")];
    expect((await cli(home, "tick", "submit", ...places, "--agent", "allegro")).stdout).toMatch(
      /^allegro: OFFLINE for .*\n {2}gateway_running: the roll says dead: registered, but no beat/,
    );
    expect(forge.requests).toEqual([]);
    await running.end("SIGTERM");
  });

  test("that failed get one issue each, are told in one line, and are followed up", async () => {
    const forge = await new FakeForge({ kind: "gitea" }).start();
    const home = fleet(forge);
    // Whatever day it is: the month to check is this one or the one before.
    const now = new Date();
    for (const month of [now, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0))]) {
      const folder = join(home, "ticks", month.toISOString().slice(0, 7));
      mkdirSync(folder);
      writeFileSync(
        join(folder, "timmy.json"),
        JSON.stringify({ status: "healthy", vitals, capabilities: {} }),
      );
    }
    const running = await daemon(home, { FORGE_TOKEN: forge.token });
    const run = async () => {
      const { stdout } = await cli(home, "actions", "run", "tick-check", "--json");
      return JSON.parse(stdout) as { run: { outcome: string; metadata: { month: string } } };
    };
    const first = await run();
    expect(first).toMatchObject({
      run: { outcome: "done", metadata: { failed: 1, issuesCreated: 1, unfiled: 0 } },
    });
    const { month } = first.run.metadata;
    expect(await run()).toMatchObject({ run: { metadata: { failed: 1, issuesCreated: 0 } } });
    expect(forge.issues.map(({ title }) => title)).toEqual([
      `RCA-AGENT: allegro failed to submit monthly tick (${month})`,
    ]);
    const deliveries = await cli(home, "deliveries", "list", "--json");
    expect(deliveries.stdout).toContain(
      `Ticks of ${month}: 1 of 2 failed (allegro missing); issues created: 1`,
    );
    writeFileSync(
      join(home, "ticks", month, "allegro.json"),
      JSON.stringify({ status: "healthy", vitals, capabilities: {} }),
    );
    await until(
      () => forge.issues[0]?.comments.length,
      (count) => count === 1,
    );
    expect(forge.issues[0]?.comments[0]?.body).toContain(`its tick for ${month} is healthy`);
    const grid = (await http(`${running.url}/api/v1/ticks`)).body;
    expect(grid).toContain(forge.issues[0]?.html_url);
    await running.end("SIGTERM");
  });

  test.each([
    ["ticks of no registry", "tick: {ticks: t}", "tick.registry: expected the registry beside ticks"],
    [
      "an action without places",
      "heartbeat: {actions: [{name: tick-check}]}",
      "tick-check needs tick.registry",
    ],
    [
      "an escalation to nowhere",
      "forge: {kind: github, repo: o/r, tokenEnv: T, escalateTo: [mail]}",
      "forge.escalateTo[0]: expected a channel that is declared under channels",
    ],
    [
      "a state that is no trouble",
      "forge: {kind: github, repo: o/r, tokenEnv: T, incidents: {states: [alive]}}",
      "forge.incidents.states[0]: expected one of dead, stalled",
    ],
  ])("a config with %s is told with its place", async (_, config, words) => {
    const { status, stderr } = await cli(temporaryHome(`${config}\n`), "config", "check");
    expect(status).toBe(1);
    expect(stderr).toContain(words);
  });
});
