// Agents that send nothing, judged by what they leave behind: with real processes, real logs and a real tmux.
import { spawn } from "node:child_process";
import { appendFileSync, linkSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentOf, cli, daemon, http, temporaryHome, until } from "./product.ts";
import { config, hasTmux, isIn, tmux, whyNoTmux } from "./watching.ts";

describe("a process", () => {
  it("B4: is alive while it lives and dead on the next round after it was killed; its next life is followed", async () => {
    const seconds = `${process.pid}.${Date.now() % 1000}1`;
    const start = () => {
      const child = spawn("sleep", [seconds]);
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    };
    const first = start();
    const home = temporaryHome(config(`  - { id: bot, process: { match: "^sleep ${seconds}" } }\n`));
    const { url } = await daemon(home);
    await isIn(url, "bot", "alive");
    first.kill("SIGKILL");
    expect(await isIn(url, "bot", "dead")).toMatchObject({ reason: "exited" });
    start();
    await isIn(url, "bot", "alive");
  });

  it.each([
    { name: "that goes while we watch", watching: true },
    { name: "that goes while nobody watches", watching: false },
  ])(
    "$name, with work recorded as under way, leaves an orphan, also to the next watcher",
    async ({ watching }) => {
      const seconds = `${process.pid}.${Date.now() % 1000}2`;
      const child = spawn("sleep", [seconds]);
      onTestFinished(() => void child.kill("SIGKILL"));
      const home = temporaryHome(config(`  - { id: bot, process: { match: "^sleep ${seconds}" } }\n`));
      await cli(home, "work", "start", "bot", "review", "7");
      const first = await daemon(home);
      await isIn(first.url, "bot", "alive");
      if (!watching) await first.end("SIGKILL");
      child.kill("SIGKILL");
      if (watching) expect(await isIn(first.url, "bot", "dead")).toMatchObject({ reason: "orphan" });
      if (watching) await first.end("SIGTERM");
      const second = await daemon(home);
      expect(await agentOf(second.url, "bot")).toMatchObject({ state: "dead", reason: "orphan" });
      const { stdout } = await cli(home, "explain", "bot");
      expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
        / ([\da-f]{12}) review 7, started .*`rollcall work drop \1`/,
      );
    },
  );
});

describe("a log", () => {
  it("B1, B3, B6: that is missing is no death, that grows is life, also after it was rotated, and that stands still is one stall", async () => {
    const home = temporaryHome();
    const file = join(home, "session.log");
    writeFileSync(
      join(home, "rollcall.yaml"),
      config(`  - { id: writer, log: { path: "${file}", plain: true }, stall: 3s }\n`),
    );
    const { url } = await daemon(home);
    expect(await agentOf(url, "writer")).toMatchObject({
      state: "unknown",
      why: expect.stringContaining(file),
    });
    const flips = async () =>
      (
        (await http(`${url}/api/v1/agents/writer/flips`)).json().flips as { to: string; why: string }[]
      ).reverse();
    // Where the watcher is slow to look, what was written may already be too old to be alive by: then it is written again.
    const growsUntilAlive = async (write: () => void, count: number) => {
      for (let tries = 0; (await flips()).length < count; tries++) {
        if (tries % 25 === 0) write();
        await new Promise((done) => setTimeout(done, 20));
      }
      expect((await flips())[count - 1]).toMatchObject({ to: "alive" });
    };
    const standsStill = (count: number) =>
      until(flips, (all) => all.length >= count).then((all) => all[count - 1]);
    await growsUntilAlive(() => appendFileSync(file, "one\n"), 2);
    expect(await standsStill(3)).toMatchObject({ why: expect.stringContaining("3 s (fixed)") });
    // Rotated in one go: a watcher that looks in between must not find the log missing.
    linkSync(file, `${file}.1`);
    writeFileSync(`${file}.new`, "two\n");
    renameSync(`${file}.new`, file);
    await growsUntilAlive(() => appendFileSync(file, "two\n"), 4);
    await standsStill(5);
    await growsUntilAlive(() => appendFileSync(file, "three\n"), 6);
    const all = (await flips()).map(({ to }) => to);
    expect(all.slice(0, 6)).toEqual(["unknown", "alive", "stalled", "alive", "stalled", "alive"]);
    // It stands still again by now: a slow machine may see that, once.
    expect([[], ["stalled"]]).toContainEqual(all.slice(6));
    expect((await cli(home, "peek", "writer", "--raw")).stdout).toMatch(/^(two\n)+(three\n)+$/);
  });
});

describe.skipIf(!hasTmux)(`a tmux pane${whyNoTmux}`, () => {
  it("B8: that asks a person is waiting, and how its program ended is told", async () => {
    const { socket, type } = tmux('printf "Do you want to continue? [y/N] "; read x; exit 3');
    const home = temporaryHome(config(`  - { id: pane, tmux: { session: agent, socket: ${socket} } }\n`));
    const { url } = await daemon(home);
    expect(await isIn(url, "pane", "waiting")).toMatchObject({ reason: "question" });
    expect((await cli(home, "peek", "pane")).stdout).toContain("Do you want to continue? [y/N]");
    expect(JSON.parse((await cli(home, "explain", "pane", "--json")).stdout)).toMatchObject({ row: 4 });
    type("y", "Enter");
    expect(await isIn(url, "pane", "dead")).toMatchObject({ why: expect.stringContaining("exit 3") });
  });

  it("whose program ended with 0 rests", async () => {
    const { socket, type } = tmux("read x; exit 0");
    const home = temporaryHome(config(`  - { id: pane, tmux: { session: agent, socket: ${socket} } }\n`));
    const { url } = await daemon(home);
    await until(
      () => agentOf(url, "pane"),
      (agent) => agent?.state !== "unknown" && agent?.state !== "new",
    );
    type("Enter");
    const ended = await until(
      () => agentOf(url, "pane"),
      (agent) => agent?.state === "resting" || agent?.state === "dead",
    );
    expect(ended).toMatchObject({ state: "resting", reason: "ended" });
  });

  it("is added by hand with its piping: its log grows, and it is judged without a line of config", async () => {
    const { socket, type } = tmux("while read line; do echo heard $line; done");
    const home = temporaryHome(config("  []\n"));
    const { url } = await daemon(home);
    const added = await cli(
      home,
      "agents",
      "add",
      "pane",
      "--tmux",
      "agent",
      "--tmux-socket",
      socket,
      "--pipe",
    );
    const log = join(home, "logs", "pane.pane.log");
    expect(added).toMatchObject({
      status: 0,
      stdout: `tmux writes the output of its pane to ${log}\nadded pane\n`,
    });
    type("hello", "Enter");
    await until(
      () => readFileSync(log, "utf8"),
      (text) => text.includes("heard hello"),
    );
    await until(
      () => agentOf(url, "pane"),
      (agent) => JSON.stringify(agent?.evidence ?? []).includes('"log"'),
    );
    expect(await agentOf(url, "pane")).toMatchObject({ rule: null, origin: "added" });
    expect(await cli(home, "agents", "add", "other", "--pipe")).toMatchObject({ status: 2 });
  });

  it("whose server was killed is dead on the next round", async () => {
    const { socket, kill } = tmux("while :; do date; sleep 0.1; done");
    const home = temporaryHome(config(`  - { id: pane, tmux: { session: agent, socket: ${socket} } }\n`));
    const { url } = await daemon(home);
    await isIn(url, "pane", "alive");
    kill();
    expect(await isIn(url, "pane", "dead")).toMatchObject({ reason: "exited" });
  });
});

describe("where tmux is absent", () => {
  it("B7: the signal is degraded, says what to do, and nobody is dead for it", async () => {
    const home = temporaryHome(config("  - { id: pane, tmux: { session: agent } }\n"));
    const { url } = await daemon(home, { PATH: "/nonexistent" });
    expect(await agentOf(url, "pane")).toMatchObject({
      state: "unknown",
      why: expect.stringContaining("tmux"),
    });
  });
});
