import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { agentOf, cli, daemon, temporaryHome, until } from "./product.ts";
import { flipsOf } from "./watching.ts";

it("an agent that was started again during a pause is alive as soon as it is resumed, and was never dead", async () => {
  const home = temporaryHome();
  const program = () => {
    const child = spawn("sleep", ["1000"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    writeFileSync(join(home, "bot.pid"), String(child.pid));
    return child;
  };
  // The next round is far away.
  writeFileSync(
    join(home, "rollcall.yaml"),
    `livenessInterval: 1h\nagents:\n  - { id: bot, process: { pidFile: ${home}/bot.pid } }\n`,
  );
  const first = program();
  const { url } = await daemon(home);
  expect(await agentOf(url, "bot")).toMatchObject({ state: "alive" });
  expect(await cli(home, "agents", "pause", "bot")).toMatchObject({ status: 0 });
  const ended = once(first, "exit");
  first.kill("SIGKILL");
  await ended;
  program();
  expect(await cli(home, "agents", "resume", "bot")).toMatchObject({ status: 0 });
  expect(await agentOf(url, "bot")).toMatchObject({ state: "alive" });
  expect(await flipsOf(home, "bot")).not.toContain("dead");
});

it("commands that find nothing left to do say so, and succeed", async () => {
  const home = temporaryHome();
  const { url } = await daemon(home);
  expect(await cli(home, "beat", "bot", "--status", "error")).toMatchObject({ status: 0 });
  await until(
    () => agentOf(url, "bot"),
    (bot) => bot?.state === "failing",
  );
  const says = async (...words: string[]) => {
    const { status, stdout } = await cli(home, ...words);
    return [status, stdout.trim()];
  };
  expect(await says("agents", "resume", "bot")).toEqual([0, "bot was not paused"]);
  const { incidents } = JSON.parse((await cli(home, "incidents", "list", "--json")).stdout);
  const { id } = incidents[0];
  expect(await says("incidents", "resolve", id)).toEqual([0, `resolved ${id}`]);
  expect(await says("incidents", "resolve", id)).toEqual([0, `${id} was already over`]);
  expect(await says("incidents", "ack", id)).toEqual([0, `${id} was already over`]);
});

it("a mute is ended by the name of the agent or the group that it mutes, if no other mute has that name", async () => {
  const home = temporaryHome();
  await cli(home, "beat", "bot");
  const mute = (...whom: string[]) => cli(home, "silence", "add", "--for", "1h", ...whom);
  await mute("--agent", "bot");
  await mute("--group", "default");
  expect(await cli(home, "silence", "end", "default")).toMatchObject({ status: 0 });
  expect(await cli(home, "silence", "end", "bot")).toMatchObject({ status: 0 });
  expect((await cli(home, "silence", "list")).stdout).toContain("No agent is muted.");
  await mute("--agent", "bot");
  await mute("--agent", "bot");
  expect((await cli(home, "silence", "end", "bot")).stderr).toContain("several mutes");
  expect((await cli(home, "silence", "end", "other")).stderr).toContain('no active mute "other"');
});
