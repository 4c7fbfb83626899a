// Another program holds the daemon's database for longer than an agent may be silent.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hold } from "./held-database.ts";
import { agentOf, daemon, http, type StatusJson, temporaryHome, until } from "./product.ts";
import { config, flipsOf, isIn } from "./watching.ts";

const blindSince = async (url: string) =>
  (JSON.parse((await http(`${url}/api/v1/agents`)).body) as StatusJson).watcher.blindSince;
const beat = (url: string) => http(`${url}/beat/beater`);

/** The agent beats, whether anybody takes its beats or not, until the test ends. */
function beating(url: string): void {
  const timer = setInterval(() => void beat(url).catch(() => {}), 250);
  onTestFinished(() => clearInterval(timer));
}

describe("a database that another program holds", () => {
  it("makes the watcher blind, not agents dead; beats are refused meanwhile, and all is well afterwards", async () => {
    const bot = spawn("sleep", ["300"]);
    onTestFinished(() => void bot.kill("SIGKILL"));
    const home = temporaryHome(
      config(`  - { id: beater, every: 2s, grace: 1s }\n  - { id: bot, process: { pid: ${bot.pid} } }\n`),
    );
    const { url } = await daemon(home);
    expect(await beat(url)).toMatchObject({ status: 200 });
    beating(url);
    await isIn(url, "bot", "alive");
    const release = await hold(join(home, "rollcall.db"));
    await until(
      () => blindSince(url),
      (since) => since !== null,
    );
    // It is refused, not acknowledged; and what could not be stored is not shown.
    bot.kill("SIGKILL");
    expect(await beat(url)).toMatchObject({ status: 503, body: expect.stringContaining("cannot-store") });
    expect((await agentOf(url, "beater"))?.state).not.toBe("dead");
    expect(await agentOf(url, "bot")).toMatchObject({ state: "alive" });
    await release();
    await until(
      () => beat(url),
      ({ status }) => status === 200,
    );
    await until(
      () => blindSince(url),
      (since) => since === null,
    );
    await isIn(url, "beater", "alive");
    // What really happened meanwhile is found out, while the other one goes on beating.
    const ended = await until(
      async () => ((await beat(url)).status === 200 ? agentOf(url, "bot") : undefined),
      (agent) => agent?.state === "dead",
    );
    expect(ended).toMatchObject({ reason: "exited" });
    expect(await flipsOf(home, "beater")).not.toContain("dead");
  });
});
