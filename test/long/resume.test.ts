import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { fakeModel } from "../../eval/record/fake-model.ts";
import { processesOf } from "../../src/system/proc.ts";
import type { UsageView } from "../../src/views/usage.ts";
import { agentOf, daemon, rollcall, runToEnd, temporaryHome, until } from "../product.ts";
import { CLIENTS, DRIVEN } from "./driven.ts";

const there = Object.entries(DRIVEN).filter(([, { folder, program }]) =>
  existsSync(join(CLIENTS, folder, "node_modules", ".bin", program)),
);

it.runIf(there.length > 0)(
  "real clients are back in their conversations after their tmux server was killed, by the sessions that they report",
  { timeout: 400_000 },
  async () => {
    const home = temporaryHome();
    const [user, socket] = [join(home, "user"), join(home, "tmux")];
    mkdirSync(user);
    // Some clients leave a daemon behind.
    onTestFinished(() => {
      for (const pid of processesOf(-1, ["HOME", user])) spawnSync("kill", ["-9", `${pid}`]);
    });
    const model = await fakeModel();
    onTestFinished(() => model.close());
    const plans = there.map(([client, { folder, program, prepare, first = [] }]) => {
      const work = join(home, client);
      mkdirSync(work);
      const env = { HOME: user, ...prepare(user, work, model) };
      return { client, work, env, first, bin: join(CLIENTS, folder, "node_modules", ".bin", program) };
    });
    const agents = plans.map(({ client, work, env, bin }) => ({
      ...{ id: client, tmux: { session: client, socketPath: socket }, transcript: { client, cwd: work } },
      recover: [{ do: "restart", with: { resume: true, command: [bin], cwd: work, env } }],
    }));
    writeFileSync(
      join(home, "rollcall.yaml"),
      JSON.stringify({ listen: "127.0.0.1:0", livenessInterval: "1s", agents }),
    );
    const own = { ROLLCALL_HOME: home, HOME: user };
    const run = (...args: string[]) => runToEnd(process.execPath, [rollcall, ...args], own);
    const { url } = await daemon(home, { HOME: user });
    for (const { client } of plans) expect(await run("connect", client)).toMatchObject({ status: 0 });
    const tmux = (...args: string[]) =>
      execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
        ...{ encoding: "utf8", env: { ...process.env, ...own, TMUX: "" } },
      });
    onTestFinished(() => void spawnSync("tmux", ["-S", socket, "kill-server"]));
    for (const { client, work, env, bin } of plans) {
      const variables = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
      tmux("new-session", "-d", "-s", client, "-x", "120", "-y", "40", "-c", work, ...variables, bin);
    }
    await wait(15_000);
    const type = async (client: string, ...keys: string[]) => {
      for (const key of keys) {
        tmux("send-keys", "-t", client, key);
        await wait(1000);
      }
    };
    for (const { client, first } of plans) {
      for (const keys of first) await type(client, ...keys);
      await type(client, "hello", "Enter");
    }
    /** The sessions that the clients report, by agent. */
    const sessions = async () => {
      const { usage } = JSON.parse((await run("usage", "--json")).stdout) as { usage: UsageView[] };
      return Object.fromEntries(usage.map(({ agent, session }) => [agent, session?.id]));
    };
    const before = await until(sessions, (all) => plans.every(({ client }) => all[client] !== undefined));
    // What is said must be on record before it can be taken up again.
    await wait(5000);
    tmux("kill-server");
    for (const { client } of plans) {
      await until(
        () => run("recoveries", client, "--json"),
        ({ stdout }) => stdout.includes(`its conversation ${before[client]}`),
      );
      await until(
        () => agentOf(url, client),
        (agent) => agent?.state === "resting" || agent?.state === "alive",
      );
    }
    await wait(10_000);
    for (const { client } of plans) await type(client, "again", "Enter");
    await wait(10_000);
    const shown = Object.fromEntries(
      plans.map(({ client }) => [client, tmux("capture-pane", "-p", "-t", client)]),
    );
    console.log(JSON.stringify({ before, after: await sessions() }), ...Object.values(shown));
    expect(await sessions()).toMatchObject(before);
    // Each shows what was said before the server was killed.
    for (const { client } of plans) expect(shown[client]).toContain("hello");
  },
);
