// The two commands of the README on a machine with a coding agent in tmux. The agent is a stand-in that asks as a real one does.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { http, rollcall, root, runToEnd, temporaryHome, until } from "./product.ts";
import { hasTmux, whyNoTmux } from "./watching.ts";

/** Asks for permission, takes one key, keeps it, and goes on working. */
const AGENT = `
process.stdout.write("● I will publish it.\\n\\nBash command\\n\\n  npm publish --token=s3cretToken123\\n\\nDo you want to proceed?\\n❯ 1. Yes\\n  2. No, and tell me what to do\\n");
process.stdin.setRawMode(true);
process.stdin.once("data", (key) => {
  require("node:fs").writeFileSync("answer", String(key));
  process.stdout.write("\\x1b[2J\\x1b[H● Done.\\n");
});
`;

interface Sent {
  readonly title: string;
  readonly lines: readonly string[];
  readonly commands: readonly string[];
  readonly links?: readonly string[];
}

/** Where messages go: an address that keeps them. */
async function inbox() {
  const got: Sent[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += String(part);
    got.push(JSON.parse(body).message as Sent);
    response.end("ok");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  onTestFinished(() => void server.close());
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

describe.skipIf(!hasTmux)(`the first five minutes${whyNoTmux}`, () => {
  it("two commands, and the agent is on the roll, its question in a message with a link, and answered", {
    timeout: 180_000,
  }, async () => {
    const [first = "", second = ""] =
      /```\n(npm install -g \S+).*\n(rollcall init)\s.*\n```/
        .exec(readFileSync(join(root, "README.md"), "utf8"))
        ?.slice(1) ?? [];
    expect(first).toBe(`npm install -g ${JSON.parse(readFileSync(join(root, "package.json"), "utf8")).name}`);
    expect(second).toBe("rollcall init");

    const user = temporaryHome();
    const work = join(user, "work");
    for (const folder of [work, join(user, "bin"), join(user, ".claude")]) mkdirSync(folder);
    writeFileSync(join(user, "bin/claude"), AGENT);
    writeFileSync(join(user, "bin/crontab"), "#!/bin/sh\necho 'no crontab for me' >&2; exit 1\n");
    chmodSync(join(user, "bin/crontab"), 0o755);
    const env = {
      HOME: user,
      ROLLCALL_HOME: "",
      TMUX_TMPDIR: user,
      TMUX: "",
      PATH: `${user}/bin:${process.env.PATH}`,
    };
    const run = (...args: string[]) => runToEnd(process.execPath, [rollcall, ...args], env);
    const tmux = (...args: string[]) =>
      spawnSync("tmux", ["-f", "/dev/null", ...args], { env: { ...process.env, ...env }, encoding: "utf8" });
    onTestFinished(async () => {
      await run("daemon", "stop");
      tmux("kill-server");
    });
    tmux("new-session", "-d", "-s", "builder", "-c", work, `${process.execPath} ${user}/bin/claude`);
    await until(
      () => tmux("capture-pane", "-p", "-t", "builder").stdout,
      (screen) => screen.includes("2. No"),
    );

    const { got, url } = await inbox();
    const began = await run(
      "init",
      "--yes",
      "--no-connect",
      "--channel",
      `webhook:${url}`,
      "--listen",
      "127.0.0.1:0",
    );
    expect(began).toMatchObject({ status: 0, stderr: "" });
    expect(began.stdout).toContain("sent a test message through webhook");
    const { agents } = JSON.parse((await run("status", "--json")).stdout) as { agents: { id: string }[] };
    expect(agents.map(({ id }) => id)).toContain("builder");

    const message = await until(
      () => got.find(({ title }) => title === "builder is waiting"),
      (found) => found !== undefined,
    );
    const lines = message?.lines ?? [];
    expect(lines.slice(lines.indexOf("The agent asks, in its own words:"))).toEqual([
      "The agent asks, in its own words:",
      "│ ● I will publish it.",
      "│ Bash command",
      expect.stringMatching(/^│ npm publish --token=(?!.*s3cret)/),
      "│ Do you want to proceed?",
      "│ 1. Yes",
      "│ 2. No, and tell me what to do",
    ]);
    expect(message?.commands).toEqual([
      "rollcall answer builder",
      `tmux -S ${user}/tmux-${process.getuid?.()}/default attach -t builder`,
      expect.stringMatching(/^rollcall incidents ack builder-/),
    ]);
    const page = await http(message?.links?.[0] ?? "", { headers: { accept: "text/html" } });
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining("<!doctype html>") });

    expect(await run("answer", "builder", "1")).toMatchObject({ status: 0 });
    expect(readFileSync(join(work, "answer"), "utf8")).toBe("1");
    // The roll knows it at once, not only after the next round.
    expect((await run("check", "builder")).stdout).not.toContain("waiting");
  });
});
