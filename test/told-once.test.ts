// What goes wrong without anybody falling silent: each is told once, with what happened.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { oneFarSide } from "./far-side.ts";
import { cli, daemon, until } from "./product.ts";
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
