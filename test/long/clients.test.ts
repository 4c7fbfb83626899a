import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentOf, daemon, rollcall, runToEnd, temporaryHome } from "../product.ts";
import { CLIENTS, DRIVEN } from "./driven.ts";
import { fakeModel } from "./fake-model.ts";

// The real clients (driven.ts) in real tmux. How long each state took is printed.

describe.each(Object.entries(DRIVEN))("%s", (client, { folder, program, prepare, first = [] }) => {
  const bin = join(CLIENTS, folder, "node_modules", ".bin");
  it.each([true, false])("tells its state (hooks: %s)", { timeout: 240_000 }, async (hooks) => {
    if (!existsSync(join(bin, program))) return;
    const home = temporaryHome("livenessInterval: 5s\n");
    const [user, work] = [join(home, "user"), join(home, "work")];
    for (const each of [user, work]) mkdirSync(each);
    const model = await fakeModel();
    onTestFinished(() => model.close());
    const env = prepare(user, work, model);
    const { url } = await daemon(home, { TMUX_TMPDIR: home });
    const own = { ROLLCALL_HOME: home, HOME: user, TMUX_TMPDIR: home };
    const run = (...args: string[]) => runToEnd(process.execPath, [rollcall, ...args], own);
    if (hooks) expect(await run("connect", client)).toMatchObject({ status: 0 });
    const tmux = (...args: string[]) =>
      execFileSync("tmux", args, { env: { ...process.env, ...own, ...env, TMUX: "" }, encoding: "utf8" });
    tmux("new-session", "-d", "-s", "agent", "-x", "120", "-y", "40", "-c", work, join(bin, program));
    onTestFinished(() => void tmux("kill-server"));
    if (!hooks) expect(await run("agents", "add", "agent", "--tmux", "agent")).toMatchObject({ status: 0 });
    await wait(12_000);
    const type = async (...keys: string[]) => {
      for (const key of keys) {
        tmux("send-keys", "-t", "agent", key);
        await wait(700);
      }
    };
    if (hooks) for (const keys of first) await type(...keys);
    const took: Record<string, string> = {};
    const see = async (what: string, states: readonly string[]) => {
      const began = Date.now();
      let last = "";
      while (Date.now() - began < 45_000) {
        last = (await agentOf(url, "agent").catch(() => undefined))?.state ?? "none";
        if (states.includes(last)) {
          took[what] = `${((Date.now() - began) / 1000).toFixed(1)} s`;
          return;
        }
        await wait(200);
      }
      took[what] = `never (${last})`;
    };
    await type("hang", "Enter");
    await see("work", ["alive"]);
    await type("Escape");
    await see("Esc", ["resting"]);
    await type("C-u", "run touch a; sleep 15", "Enter");
    await see("permission", ["waiting"]);
    const why = (await agentOf(url, "agent"))?.why;
    await type("Enter");
    await see("approved, a silent tool", ["alive"]);
    await see("end of the turn", ["resting"]);
    tmux("send-keys", "-t", "agent", "hang");
    await wait(700);
    tmux("send-keys", "-t", "agent", "Enter");
    await wait(6000);
    tmux("kill-session", "-t", "agent");
    await see("killed", ["dead"]);
    console.log(client, hooks ? "with hooks" : "by its screen", JSON.stringify(took), why);
    expect(Object.values(took).filter((each) => each.startsWith("never"))).toEqual([]);
  });
});
