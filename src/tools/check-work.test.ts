import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { listWork, startWork } from "../agent/work.ts";
import { completeWork } from "./check-work.ts";

function world() {
  const home = mkdtempSync(join(tmpdir(), "rollcall-check-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  let shown = "";
  const claim = (id: string) =>
    completeWork(id, home, (chunk) => {
      shown += String(chunk);
    });
  const done = (...checks: string[]) => claim(startWork("allegro", "dig", home, checks).id);
  return { home, done, claim, shown: () => shown };
}

it("is done when all checks pass, which run in the folder of the caller", async () => {
  const { home, done, shown } = world();
  expect(await done("pwd", "echo second >&2")).not.toHaveProperty("failed");
  expect(shown()).toBe(`${process.cwd()}\nsecond\n`);
  expect(listWork(home)).toEqual([]);
});

it.each([
  { check: "echo no; exit 3", problem: "ended with 3", output: "no\n" },
  { check: "kill -9 $$", problem: "was ended by SIGKILL", output: "" },
  { check: "no-such-program-of-ours 2>/dev/null", problem: "ended with 127", output: "" },
  // What a check leaves in the background holds its output, and nobody waits for that.
  { check: "sleep 60 & echo $!; exit 1", problem: "ended with 1", output: /^\d+\n$/ },
])("is not done when `$check` fails, which ends the checks", async ({ check, problem, output }) => {
  const { home, done, shown } = world();
  const { failed } = await done(check, "echo never");
  expect(failed).toMatchObject({ check, problem, output: expect.stringMatching(output) });
  const left = /^(\d+)\n$/.exec(shown())?.[1];
  if (left !== undefined) process.kill(Number(left));
  expect(shown()).not.toContain("never");
  expect(listWork(home)).toMatchObject([{ failed: { problem } }]);
});

it("is done when the check that failed passes at last", async () => {
  const { home, done, claim } = world();
  const { id, failed } = await done(`test -e ${home}/proof`);
  expect(failed).toMatchObject({ problem: "ended with 1" });
  writeFileSync(join(home, "proof"), "");
  expect(await claim(id)).not.toHaveProperty("failed");
  expect(listWork(home)).toEqual([]);
});
