import { expect, test } from "vitest";
import { runProgram } from "./exec.ts";

test("a program that ends tells its status and both outputs", async () => {
  expect(await runProgram("sh", ["-c", "echo out; echo 'two\nlines' >&2; exit 3"])).toEqual({
    how: "ended",
    status: 3,
    stdout: "out\n",
    stderr: "two lines",
  });
});

test("a program that is not installed is missing", async () => {
  expect(await runProgram("rollcall-no-such-program", [])).toEqual({ how: "missing" });
});

test("a program that hangs is ended with the look", async () => {
  const abort = new AbortController();
  const running = runProgram("sleep", ["60"], abort.signal);
  abort.abort();
  expect(await running).toEqual({ how: "failed", problem: "sleep did not answer in time" });
});

test("a program that a signal ended has failed", async () => {
  expect(await runProgram("sh", ["-c", "kill -9 $$"])).toMatchObject({ how: "failed" });
});
