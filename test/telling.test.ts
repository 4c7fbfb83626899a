// Whom people hear of, and how often: the real daemon, and far sides on real sockets.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { writeBeat } from "../src/agent/write-beat.ts";
import type { IncidentView } from "../src/views/show.ts";
import { type FarSide, oneFarSide, threeFarSides } from "./far-side.ts";
import { hold } from "./held-database.ts";
import { agentOf, cli, daemon, http, rollcall, runToEnd, temporaryHome, until } from "./product.ts";
import { isIn } from "./watching.ts";

// Real windows and rules pass here, and on a busy machine everything else takes its time too.
vi.setConfig({ testTimeout: 240_000 });

const pass = (length: number) => new Promise((done) => setTimeout(done, length));
const named = (size: number, prefix: string) => Array.from({ length: size }, (_, n) => `${prefix}${n}`);

async function beat(url: string, agents: readonly string[], status: "ok" | "error"): Promise<number> {
  const body = JSON.stringify(agents.map((agent) => ({ agent, status })));
  return (await http(`${url}/api/v1/beats`, { method: "POST", body })).status;
}

async function ask<T>(url: string, path: string): Promise<T> {
  return JSON.parse((await http(`${url}/api/v1/${path}`)).body) as T;
}

/** Nothing is on its way any more. */
const allSent = (url: string) =>
  until(
    () => ask<{ deliveries: unknown[] }>(url, "deliveries?open=true"),
    ({ deliveries }) => deliveries.length === 0,
  );

const somebodyHears = (far: FarSide, count = 1) =>
  until(
    () => far.taken.length,
    (heard) => heard >= count,
  );

/** Agents that beat through the spool, whether anybody takes their beats or not, until the answer is called. */
function beating(home: string, agents: readonly string[]): () => void {
  const timer = setInterval(() => {
    for (const agent of agents) writeBeat({ agent }, home);
  }, 500);
  onTestFinished(() => clearInterval(timer));
  return () => clearInterval(timer);
}

describe("many at once", () => {
  it("500 agents who die within ten seconds are one message per channel", async () => {
    // All of them must be heard within the window; on a busy machine each step takes far longer than its pause.
    const { far, home, env } = await threeFarSides(
      "policy: { group: 10s }\nautoRegister: { perMinute: 500 }",
    );
    const { url } = await daemon(home, env);
    for (let n = 0; n < 10; n++) {
      expect(await beat(url, named(50, `a${n}-`), "error")).toBe(204);
      await pass(100);
    }
    for (const side of Object.values(far)) await somebodyHears(side);
    await allSent(url);
    for (const side of Object.values(far)) expect(side.taken).toHaveLength(1);
    expect(far.team.taken[0]?.text).toContain("500 messages: 500 warning");
  });

  it("40 % of a group who fall silent at once are one message of their group", async () => {
    const all = named(20, "g");
    const agents = all.map((id) => `  - { id: ${id}, group: build, every: 3s, grace: 3s }`).join("\n");
    const { far, home, env } = await threeFarSides(`policy: { hold: 3s, group: 200ms }\nagents:\n${agents}`);
    const { url } = await daemon(home, env);
    expect(await beat(url, all, "ok")).toBe(204);
    beating(home, all.slice(8));
    for (const side of Object.values(far)) await somebodyHears(side);
    await allSent(url);
    for (const side of Object.values(far)) expect(side.taken).toHaveLength(1);
    expect(far.team.taken[0]?.text).toContain("group build: 8 agents fell silent at once");
    const { incidents } = await ask<{ incidents: IncidentView[] }>(url, "incidents?open=true");
    const group = incidents.find(({ kind }) => kind === "group");
    expect(group?.members).toEqual(all.slice(0, 8));
    expect(incidents.filter(({ spokenForBy }) => spokenForBy === group?.id)).toHaveLength(8);
  });
});

describe("a channel that fails", () => {
  it("is named by status and doctor, and nobody counts as told until something arrived", async () => {
    const home = temporaryHome(`policy: { group: 100ms }
channels: { team: { kind: command, argv: [sh, -c, 'test -e "$HOME_OF_TEST/mended" || exit 75'], passEnv: [HOME_OF_TEST] } }
`);
    const { url } = await daemon(home, { HOME_OF_TEST: home });
    expect(await beat(url, ["sick"], "error")).toBe(204);
    const { failingChannels } = await until(
      () => ask<{ failingChannels: { attempts: number; problem: string }[] }>(url, "watcher"),
      ({ failingChannels: failing }) => failing.length > 0,
    );
    expect(failingChannels).toMatchObject([{ place: "team", undelivered: 1 }]);
    const { incidents } = await ask<{ incidents: IncidentView[] }>(url, "incidents?open=true");
    const id = incidents[0]?.id ?? "";
    const said = async (...args: string[]) => (await cli(home, ...args)).stdout;
    expect(await said("status")).toContain("Channel team fails: 1 message not delivered");
    expect(await said("doctor")).toContain("channel team fails: 1 message not delivered");
    expect(await said("explain", "sick")).toMatch(/team has not been told: .* attempts failed, last: /);
    expect(await said("incidents", "show", id)).toMatch(/team has not been told: .* attempts failed, last: /);
    expect(await said("deliveries", "list")).toMatch(/ failing /);

    writeFileSync(join(home, "mended"), "");
    // By itself it would wait for the next attempt.
    const { deliveries } = await ask<{ deliveries: { key: string }[] }>(url, "deliveries");
    await said("deliveries", "retry", deliveries[0]?.key ?? "");
    await allSent(url);
    const { told } = await ask<{ told: unknown[] }>(url, `incidents/${id}`);
    expect(told).toMatchObject([{ place: "team", delivered: 1, undelivered: 0, problem: null }]);
    expect(await said("explain", "sick")).toContain("told team ");
    expect(await ask(url, "watcher")).toMatchObject({ failingChannels: [] });
  });
});

describe("a watcher that was unplugged for longer than its agents' rules", () => {
  const DEAD_AFTER = 6000;
  const HEALTHY = named(5, "h");
  const CONFIG = `
defaults: { every: 2s, grace: 4s }
policy: { hold: 100ms, group: 100ms }`;

  it.each([
    ["stopped and resumed", false],
    ["killed and restarted", true],
  ])("%s: nobody hears of a healthy agent, nor again of one already told", async (_, killed) => {
    const { far, home, env } = await oneFarSide(CONFIG);
    const first = await daemon(home, env);
    const stop = beating(home, HEALTHY);
    expect(await beat(first.url, ["gone"], "ok")).toBe(204);
    await somebodyHears(far);
    // Killed before it is on record as sent it would be sent again, under the same key.
    await allSent(first.url);
    if (killed) await first.end("SIGKILL");
    else first.child.kill("SIGSTOP");
    await pass(DEAD_AFTER + 2000);
    const { url } = killed ? await daemon(home, env) : first;
    if (!killed) first.child.kill("SIGCONT");
    // Whoever is called dead wrongly is called so within one dead-after.
    await pass(DEAD_AFTER + 2000);
    await allSent(url);
    expect(far.titles).toEqual(["gone is dead"]);
    for (const id of HEALTHY) expect((await agentOf(url, id))?.state).toBe("alive");
    // The watch goes on: who really falls silent now is told of. Heard last in one breath, they fall silent at once.
    stop();
    expect(await beat(url, HEALTHY, "ok")).toBe(204);
    await somebodyHears(far, 2);
    expect(far.titles[1]).toBe("group default: 5 agents fell silent at once");
  });
});

describe("a watcher that cannot store", () => {
  it("says so once without the store, refuses beats, says when it is over, and loses nothing", async () => {
    const { far, home, env } = await oneFarSide("policy: { hold: 100ms, group: 100ms }");
    const { url } = await daemon(home, env);
    expect(await beat(url, ["before"], "ok")).toBe(204);
    const release = await hold(join(home, "rollcall.db"));
    await somebodyHears(far);
    expect(far.titles).toEqual([expect.stringContaining("watcher blind: nothing can be stored")]);
    expect(await beat(url, ["refused"], "ok")).toBe(503);
    writeBeat({ agent: "meanwhile", status: "error" }, home);
    // Still blind, and told before. What waits too long for the store is refused, and may still be stored.
    expect(await beat(url, ["refused"], "ok")).toBe(503);
    await release();
    await somebodyHears(far, 3);
    await isIn(url, "meanwhile", "failing");
    await allSent(url);
    expect(far.titles.slice(1).sort()).toEqual([
      "meanwhile is failing",
      expect.stringContaining("the watcher can store again after"),
    ]);
    expect((await agentOf(url, "before"))?.state).toBe("alive");
  });
});

describe("rollcall channels", () => {
  it("tests one at once, and says how it went", async () => {
    const { far, home, env } = await oneFarSide("policy: { timeout: 1s }");
    const run = (...args: string[]) =>
      runToEnd(process.execPath, [rollcall, "channels", ...args], { ROLLCALL_HOME: home, ...env });
    expect(await run("list", "--json")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/"name": ?"far",\s*"kind": ?"webhook"/),
    });
    expect(await run("test", "far")).toMatchObject({ status: 0, stdout: "sent through far\n" });
    expect(far.titles).toEqual([expect.stringContaining("test of the channel far")]);
    far.badness = 100;
    const { status, stdout } = await run("test", "far", "--json");
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ channel: "far", outcome: "retry" });
    expect(await run("test", "fra")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('there is no channel "fra" in the config; it has: far'),
    });
  });

  it("warns if the running watcher has not read the settings of the channel", async () => {
    const channel = (text: string) => `channels: { team: { kind: command, argv: [/bin/echo, ${text}] } }\n`;
    const home = temporaryHome(channel("old"));
    await daemon(home);
    expect(await cli(home, "channels", "test", "team")).toMatchObject({ status: 0, stderr: "" });
    writeFileSync(join(home, "rollcall.yaml"), channel("new"));
    expect(await cli(home, "channels", "test", "team")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("sent through team"),
      stderr: expect.stringMatching(
        /has not read the config since it was changed; run: rollcall daemon reload/,
      ),
    });
    expect(await cli(home, "daemon", "reload")).toMatchObject({ status: 0 });
    expect(await cli(home, "channels", "test", "team")).toMatchObject({ status: 0, stderr: "" });
  });

  it("names the secret that is missing, and never shows one", async () => {
    const home = temporaryHome("channels: { team: { kind: slack, urlEnv: NO_SUCH_HOOK } }");
    const { status, stderr } = await cli(home, "channels", "test", "team");
    expect(status).toBe(1);
    expect(stderr).toContain("NO_SUCH_HOOK");
  });
});
