// What goes wrong without anybody falling silent: each is told once, with what happened.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { oneFarSide } from "./far-side.ts";
import { agentOf, cli, daemon, http, until } from "./product.ts";
import { flipsOf, isIn } from "./watching.ts";

it("work that is reported as done although its check fails is told once, with the check and what it wrote", async () => {
  const { far, home, env } = await oneFarSide(
    "listen: 127.0.0.1:0\nlivenessInterval: 200ms\npolicy: { group: 200ms }\nagents: [{ id: bot }]",
  );
  const { url } = await daemon(home, env);
  const proof = join(home, "proof");
  const check = `test -e ${proof} || { echo 2 tests failed; exit 4; }`;
  const id = (await cli(home, "work", "start", "bot", "fix", "7", "--check", check)).stdout.trim();
  await cli(home, "beat", "bot");
  await isIn(url, "bot", "alive");
  const claim = await cli(home, "work", "done", id, "--json");
  expect(claim).toMatchObject({ status: 1, stderr: expect.stringContaining("ended with 4") });
  expect(JSON.parse(claim.stdout)).toMatchObject({ failed: { check, output: "2 tests failed\n" } });
  expect(await isIn(url, "bot", "failing")).toMatchObject({ reason: "done-not-proven" });
  expect((await cli(home, "work", "done", id)).status).toBe(1);
  expect((await cli(home, "work", "list")).stdout).toContain("not proven");
  expect((await cli(home, "work", "start", "bot", "more", "--check", `touch ${proof}`)).status).toBe(0);
  // The watcher ran nothing.
  expect(existsSync(proof)).toBe(false);
  for (const work of JSON.parse((await cli(home, "work", "list", "--json")).stdout).work.reverse())
    expect(await cli(home, "work", "done", work.id)).toMatchObject({ status: 0, stderr: "" });
  await isIn(url, "bot", "alive");
  await until(
    () => far.titles,
    (titles) => titles.length === 2,
  );
  expect(far.titles).toEqual(["bot is failing", "bot: resolved (recovered)"]);
  expect(far.taken[0]?.text).toContain("was reported as done, but its check ended with 4");
  expect(far.taken[0]?.text).toContain("2 tests failed");
  expect(await flipsOf(home, "bot")).toEqual(["alive", "failing", "alive"]);
});

it("a loop of forty calls is told once, with the calls that it repeats, by hooks and by a transcript", async () => {
  const { far, home, env } = await oneFarSide(
    "listen: 127.0.0.1:0\nlivenessInterval: 200ms\npolicy: { group: 200ms }",
  );
  const lines = join(home, "session.jsonl");
  const at = () => new Date().toISOString();
  const call = (n: number, command: string) =>
    appendFileSync(
      lines,
      `${JSON.stringify({
        ...{ type: "assistant", timestamp: at() },
        message: {
          role: "assistant",
          content: [{ type: "tool_use", id: `t${n}`, name: "Bash", input: { command } }],
        },
      })}\n`,
    );
  call(0, "git status");
  appendFileSync(join(home, "rollcall.yaml"), `agents: [{ id: bot, transcript: { path: "${lines}" } }]\n`);
  const { url } = await daemon(home, env);
  await isIn(url, "bot", "alive");
  for (let n = 1; n <= 40; n++) call(n, n % 2 === 0 ? "npm test" : "git diff");
  expect(await isIn(url, "bot", "stalled")).toMatchObject({
    reason: "looping",
    why: expect.stringMatching(/Bash: (npm test|git diff) \(15 times\), Bash: /),
  });
  for (let n = 41; n <= 60; n++) call(n, "npm test");
  await until(
    () => agentOf(url, "bot"),
    (agent) => agent?.why.includes("58 in a row") === true,
  );
  const hook = (n: number, command: string) =>
    http(`${url}/hook/claude-code?event=PreToolUse`, {
      method: "POST",
      headers: { authorization: `Bearer ${readFileSync(join(home, "token"), "utf8").trim()}` },
      body: JSON.stringify({
        ...{ session_id: "s", hook_event_name: "PreToolUse", tool_name: "Bash", tool_use_id: `h${n}` },
        ...{ tool_input: { command }, cwd: home },
      }),
    });
  for (let n = 0; n < 40; n++) expect((await hook(n, "ls -la")).status).toBeLessThan(300);
  const hooked = (
    await until(
      () => roll(url),
      (agents) => agents.some(({ id, state }) => id !== "bot" && state === "stalled"),
    )
  ).find(({ id, state }) => id !== "bot" && state === "stalled");
  expect(hooked).toMatchObject({
    reason: "looping",
    why: expect.stringContaining("Bash: ls -la (30 times)"),
  });
  await until(
    () => far.titles,
    (titles) => titles.length >= 2,
  );
  expect(far.titles).toEqual(["bot is stalled", `${hooked?.id} is stalled`]);
  expect(far.taken[0]?.text).toContain("npm test (15 times)");
});

async function roll(
  url: string,
): Promise<readonly { id: string; state: string; reason: string; why: string }[]> {
  return (await http(`${url}/api/v1/agents`)).json().agents as never;
}

it("a budget is told once, with what was used; a step is taken only where the ladder has one", async () => {
  const { far, home, env } = await oneFarSide(
    "listen: 127.0.0.1:0\nlivenessInterval: 200ms\npolicy: { group: 200ms }\ndefaults: { budget: { tokens: 50k, day: 1 USD } }",
  );
  const [lines, others] = [join(home, "session.jsonl"), join(home, "other.jsonl")];
  let answers = 0;
  const answer = (input: number, content: readonly object[] = [], to = lines) => {
    answers += 1;
    const usage = { input_tokens: input, output_tokens: 1 };
    const message = { id: `m${answers}`, role: "assistant", model: "claude-sonnet-4-5", usage, content };
    const line = { type: "assistant", timestamp: new Date().toISOString(), message };
    appendFileSync(to, `${JSON.stringify(line)}\n`);
  };
  const child = spawn("sleep", ["600"]);
  const ended = new Promise((done) => child.once("exit", (_, signal) => done(signal)));
  onTestFinished(() => void child.kill("SIGKILL"));
  answer(40_000);
  answer(40_000, [], others);
  appendFileSync(
    join(home, "rollcall.yaml"),
    `agents:
  - { id: bot, transcript: { path: "${lines}" } }
  - { id: ends, transcript: { path: "${others}" }, process: { pid: ${child.pid} }, recover: [{ do: end }] }\n`,
  );
  const { url } = await daemon(home, env);
  await isIn(url, "bot", "alive");
  answer(40_000);
  expect(await isIn(url, "bot", "failing")).toMatchObject({
    reason: "over-budget",
    why: expect.stringMatching(/^used 80k tokens of 50k on 20/),
  });
  // A question in between, and more use, are no reason to tell of the budget again.
  answer(1, [{ type: "tool_use", id: "q", name: "AskUserQuestion", input: { question: "Which?" } }]);
  await isIn(url, "bot", "waiting");
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "q" }] };
  appendFileSync(lines, `${JSON.stringify({ type: "user", message: result })}\n`);
  answer(400_000);
  await until(
    () => agentOf(url, "bot"),
    (agent) => agent?.why.includes("1.44 USD of 1.00 USD") === true,
  );
  const { usage } = JSON.parse((await cli(home, "usage", "bot", "--json")).stdout);
  expect(usage).toMatchObject([{ agent: "bot", days: [{ tokens: 480_005, compactions: 0 }] }]);
  expect((await cli(home, "usage")).stdout).toMatch(/bot .* 480k .* 1\.44 USD/);
  const told = () => far.titles.filter((title) => title.startsWith("bot "));
  await until(told, (titles) => titles.length >= 2);
  expect(told()).toEqual(["bot is failing", "bot is waiting"]);
  expect(far.taken.some(({ text }) => text.includes("used 80k tokens of 50k"))).toBe(true);
  answer(40_000, [], others);
  expect(await ended).toBe("SIGTERM");
});
