import { expect, test } from "vitest";
import { dispatch } from "../../ports/channel.contract.ts";
import { guarded } from "./guard.ts";

test.each([
  [
    "an error of the system is told by its code",
    { code: "ENOSPC", message: "s3cret" },
    "made-up failed unexpectedly (ENOSPC)",
  ],
  ["another one by its name", new TypeError("s3cret"), "made-up failed unexpectedly (TypeError)"],
])("%s, never by its message", async (_, error, problem) => {
  const rejects = guarded("made-up", () => Promise.reject(error));
  const throws = guarded("made-up", () => {
    throw error;
  });
  expect(await rejects.send(dispatch())).toEqual({ outcome: "retry", problem });
  expect(await throws.send(dispatch())).toEqual({ outcome: "retry", problem });
});

test("what hangs is not waited for after its time, and what fails then is nobody's problem", async () => {
  const abort = new AbortController();
  let fail: (error: Error) => void = () => {};
  const hangs = guarded(
    "made-up",
    () =>
      new Promise((_, reject) => {
        fail = reject;
      }),
  );
  const sending = hangs.send(dispatch({ abort: abort.signal }));
  abort.abort();
  expect(await sending).toMatchObject({
    outcome: "retry",
    problem: expect.stringContaining("may have arrived"),
  });
  fail(new Error("late"));
});
