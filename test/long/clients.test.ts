import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { CLIENTS } from "../../eval/record/clients.ts";
import { fakeModel } from "../../eval/record/fake-model.ts";
import { agentOf, daemon, rollcall, runToEnd, temporaryHome } from "../product.ts";

// The real clients, from npm, in real tmux, against a model on loopback. `ROLLCALL_CLIENTS` names a folder with one folder for each
// client (eval/record/clients.ts has their names), each after `npm install <package>` in it. How long each state took is printed, and
// written to `ROLLCALL_TABLE` if that names a file: the table of docs/signals.md.

const FOLDER = process.env.ROLLCALL_CLIENTS ?? "/nowhere";
const NAMES = process.env.ROLLCALL_CLIENT?.split(",") ?? [
  "claude-code",
  "codex",
  "opencode",
  "qwen-code",
  "copilot",
];

/** By its client's own word, by its screen and the machine's facts, by its screen alone. */
const MODES = ["hooks", "machine", "screen"] as const;

/** Keys that Codex wants before it believes hooks. */
const TRUST: Partial<Record<string, readonly string[]>> = {
  codex: ["/hooks", "Enter", "t", "Escape", "Escape"],
};

describe.each(NAMES)("%s", (name) => {
  const client = CLIENTS[name];
  const bin = join(FOLDER, client?.folder ?? "", "node_modules", ".bin");
  it.each(MODES)("tells its state (%s)", { timeout: 600_000 }, async (mode) => {
    if (client === undefined || !existsSync(join(bin, client.program))) return;
    const machine = mode === "screen" ? ", machine: false" : "";
    const home = temporaryHome(
      `livenessInterval: 3s\n${mode === "hooks" ? "" : `agents:\n  - { id: agent, tmux: { session: agent${machine} } }\n`}`,
    );
    const [user, work] = [join(home, "user"), join(home, "work")];
    for (const each of [user, work]) mkdirSync(each);
    const model = await fakeModel();
    onTestFinished(() => model.close());
    const env = client.prepare(user, work, model.url);
    const { url } = await daemon(home, { TMUX_TMPDIR: home });
    const own = { ROLLCALL_HOME: home, HOME: user, TMUX_TMPDIR: home };
    const run = (...args: string[]) => runToEnd(process.execPath, [rollcall, ...args], own);
    if (mode === "hooks") expect(await run("connect", name)).toMatchObject({ status: 0 });
    const tmux = (...args: string[]) =>
      execFileSync("tmux", args, { env: { ...process.env, ...own, ...env, TMUX: "" }, encoding: "utf8" });
    const program = [join(bin, client.program), ...(client.args ?? [])].join(" ");
    tmux("new-session", "-d", "-s", "agent", "-x", "130", "-y", "42", "-c", work, program);
    onTestFinished(() => void tmux("kill-server"));
    const type = async (...keys: string[]) => {
      for (const key of keys) {
        tmux("send-keys", "-t", "agent", key);
        await wait(600);
      }
    };
    await wait(15_000);
    for (const key of client.first ?? []) {
      await type(key);
      await wait(4000);
    }
    if (mode === "hooks") await type(...(TRUST[name] ?? []));
    const took: Record<string, string> = {};
    const see = async (what: string, states: readonly string[], within = 30) => {
      const began = Date.now();
      let last = "none";
      while (Date.now() - began < within * 1000) {
        const agent = await agentOf(url, "agent").catch(() => undefined);
        last = agent === undefined ? "none" : `${agent.state} (${agent.reason})`;
        if (states.some((state) => last.startsWith(state))) {
          took[what] = `${last} after ${((Date.now() - began) / 1000).toFixed(1)} s`;
          return;
        }
        await wait(200);
      }
      took[what] = `never; ${last}`;
    };
    const say = (words: string) => type("C-u", words, "Enter");
    const settle = async () => {
      await type("Escape");
      await see("", ["resting", "waiting"], 25);
      delete took[""];
      await wait(1500);
    };
    await say("hello");
    await wait(6000);
    await say("stream 20");
    await see("a turn", ["alive"]);
    await wait(16_000);
    await see("its end", ["resting"], 20);
    await say("run touch started; sleep 20");
    await see("permission", ["waiting"]);
    await type(...(client.approve ?? ["Enter"]));
    await see("a silent tool", ["alive"]);
    await wait(17_000);
    await see("its end, again", ["resting"], 25);
    await say("ponder 20");
    await see("it thinks", ["alive"]);
    await type("Escape");
    await see("Esc", ["resting"], 35);
    await say("limit");
    await see("limit", ["limited"], 25);
    await settle();
    await say("denied");
    await see("401", ["waiting"], 25);
    await settle();
    await say("overloaded");
    await see("503", ["alive (retrying", "alive (working"], 15);
    await settle();
    await say("stall");
    await see("hang in the stream", ["stalled"], 75);
    await settle();
    await say("mute");
    await see("hang before the headers", ["stalled"], 75);
    const pid = Number(tmux("list-panes", "-t", "agent", "-F", "#{pane_pid}"));
    process.kill(pid, "SIGKILL");
    await see("kill -9", ["dead"]);
    const line = JSON.stringify({ client: name, mode, took });
    console.log(line);
    if (process.env.ROLLCALL_TABLE !== undefined) appendFileSync(process.env.ROLLCALL_TABLE, `${line}\n`);
    expect(took["kill -9"]).toMatch(/^dead/);
  });
});
