import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { signalOpener } from "../../signals/registry.ts";
import { runProgram } from "../../system/exec.ts";
import { incarnationOf } from "../../system/proc.ts";
import { hasTmux, NEVER, targetOf, temporaryFolder, tmuxServer, until } from "../kit/recovery.fixture.ts";
import { nudge } from "./nudge.ts";

const openSignals = signalOpener("UTC");

/** What the agent's own signal remembers of its pane: the nudge must find the same one. */
async function followed(socketPath: string) {
  const tmux = { session: "work", socketPath };
  const [reader] = openSignals({ agent: "allegro", settings: { tmux }, memories: {}, journal: "" });
  await reader?.look({ now: Date.now(), abort: NEVER, fresh: true });
  const agent = { id: "allegro", origin: "config", addedAt: 0, signals: { tmux } } as const;
  return { agent, memories: { tmux: JSON.parse(JSON.stringify(reader?.memory?.())) as unknown } };
}

type Reading = "idle" | "limited" | "working";

async function act(socketPath: string, text: string, reading: Reading = "idle") {
  const target = targetOf({
    ...(await followed(socketPath)),
    aim: { state: "stalled", reason: "idle-with-work", reading },
  });
  const means = { home: "/nowhere", run: runProgram, lifeOf: incarnationOf, rollcall: ["node"] as const };
  return nudge(text, means).act(target, NEVER);
}

const SHELL = "env PS1='$ ' HISTFILE=/dev/null bash --norc --noprofile";

describe.runIf(hasTmux)("a nudge", () => {
  test("is typed at an empty prompt, entered, and seen to be taken", async () => {
    const { socketPath, open, screen } = tmuxServer();
    const file = join(temporaryFolder(), "touched");
    open(SHELL);
    await until(() => screen().startsWith("$"));
    expect(await act(socketPath, `touch ${file}`)).toMatchObject({ outcome: "done" });
    await until(() => existsSync(file));
  });

  test("that is longer than a row is recognised all the same, also after a limit", async () => {
    const { socketPath, open, screen } = tmuxServer();
    const file = join(temporaryFolder(), "said");
    open(SHELL);
    await until(() => screen().startsWith("$"));
    const words = Array.from({ length: 30 }, (_, n) => `word${n}`).join(" ");
    expect(await act(socketPath, `echo ${words} > ${file}`, "limited")).toMatchObject({ outcome: "done" });
    await until(() => existsSync(file) && readFileSync(file, "utf8") === `${words}\n`);
  });

  test("leaves a half-typed line as it is", async () => {
    const { socketPath, open, tmux, screen } = tmuxServer();
    open(SHELL);
    await until(() => screen().startsWith("$"));
    tmux("send-keys", "-t", "=work:", "-l", "git commit -m 'half");
    await until(() => screen().includes("half"));
    const before = screen();
    expect(await act(socketPath, "continue")).toMatchObject({ outcome: "dropped" });
    expect(screen()).toBe(before);
  });

  test.for([
    ["an editor", "vim -u NONE -N", (text: string) => text.includes("~")],
    ["a pager", "less FILE", (text: string) => text.includes("line 1")],
    [
      "a question",
      "sh -c 'printf \"Overwrite? [y/N] \"; read answer; echo got $answer; cat'",
      (text: string) => text.includes("[y/N]"),
    ],
    [
      "a program that only runs",
      "sh -c 'echo busy; exec sleep 600'",
      (text: string) => text.includes("busy"),
    ],
  ] as const)(
    "types nothing into %s, whatever its screen was taken for",
    async ([, command, isReady], context) => {
      const [program = ""] = command.split(" ");
      if (spawnSync("which", [program]).status !== 0) return context.skip(`there is no ${program} here`);
      const { socketPath, open, screen } = tmuxServer();
      const file = join(temporaryFolder(), "text");
      writeFileSync(file, Array.from({ length: 99 }, (_, n) => `line ${n}\n`).join(""));
      open(command.replace("FILE", file));
      await until(() => isReady(screen()));
      const before = screen();
      expect(await act(socketPath, "y")).toMatchObject({ outcome: "dropped" });
      expect(screen()).toBe(before);
    },
  );

  test("that does not show is taken back, and nothing is entered", async () => {
    const { socketPath, open, tmux, screen } = tmuxServer();
    open(`sh -c 'stty -echo; printf "$ "; read secret; echo "[$secret]"; exec cat'`);
    await until(() => screen().startsWith("$"));
    expect(await act(socketPath, "continue")).toEqual({
      outcome: "dropped",
      why: "the typed text does not appear at its prompt; Rollcall deleted it",
    });
    tmux("send-keys", "-t", "=work:", "Enter");
    expect(await until(() => /\[.*\]/.exec(screen())?.[0])).toBe("[]");
  });

  test("whose Enter is not taken is taken back", async () => {
    const { socketPath, open, screen } = tmuxServer();
    const program = join(temporaryFolder(), "stubborn.js");
    // A line editor that knows every key but Enter.
    writeFileSync(
      program,
      `process.stdin.setRawMode(true); process.stdout.write("> ");
       process.stdin.on("data", (keys) => { for (const key of keys.toString())
         if (key === "\\x7f") process.stdout.write("\\b \\b"); else if (key !== "\\r") process.stdout.write(key); });`,
    );
    open(`${process.execPath} ${program}`);
    await until(() => screen().startsWith(">"));
    expect(await act(socketPath, "continue")).toEqual({
      outcome: "failed",
      problem: "the agent did not accept Enter; Rollcall deleted it",
    });
    expect(screen().trim()).toBe(">");
  });

  test("is not for a pane in which somebody scrolls, nor for one that types into others as well", async () => {
    const { socketPath, open, tmux, screen } = tmuxServer();
    open(SHELL);
    await until(() => screen().startsWith("$"));
    tmux("copy-mode", "-t", "=work:");
    expect(await act(socketPath, "continue")).toMatchObject({ why: "a person is scrolling in its pane" });
    tmux("send-keys", "-t", "=work:", "-X", "cancel");
    tmux("split-window", "-d", "-t", "=work:", "cat");
    tmux("set", "-w", "-t", "=work:", "synchronize-panes", "on");
    expect(await act(socketPath, "continue")).toMatchObject({ why: expect.stringContaining("other panes") });
  });

  test("is not for another program than the one that was judged, nor for one that works", async () => {
    const { socketPath, open, tmux, screen } = tmuxServer();
    open(SHELL);
    await until(() => screen().startsWith("$"));
    expect(await act(socketPath, "continue", "working")).toMatchObject({ outcome: "dropped" });
    const before = await followed(socketPath);
    tmux("respawn-pane", "-k", "-t", "=work:", SHELL);
    await until(() => screen().startsWith("$"));
    const aim = { state: "stalled", reason: "idle-with-work", reading: "idle" } as const;
    const means = { home: "/nowhere", run: runProgram, lifeOf: incarnationOf, rollcall: ["node"] as const };
    expect(await nudge("continue", means).act(targetOf({ ...before, aim }), NEVER)).toMatchObject({
      why: expect.stringContaining("another program"),
    });
  });
});

test("without a pane there is nothing to type into", async () => {
  const run = () => Promise.reject(new Error("not asked"));
  const means = { home: "/nowhere", run, lifeOf: incarnationOf, rollcall: ["node"] as const };
  expect(await nudge("continue", means).act(targetOf(), NEVER)).toEqual({
    outcome: "dropped",
    why: "it has no tmux pane",
  });
});
