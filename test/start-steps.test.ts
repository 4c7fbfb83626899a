import { join } from "node:path";
import { expect, it } from "vitest";
import { agentOf, cli, daemon, root, runToEnd, temporaryHome, until } from "./product.ts";

// Every run tries three steps, `npm run test:long` all of them.
it("a crash at any step of starting leaves a state from which the next start works", async () => {
  const home = temporaryHome();
  const program = join(root, "dist/test-up-until.js");
  const steps = (await runToEnd(process.execPath, [program, temporaryHome(), "none"])).stdout
    .trim()
    .split("\n");
  expect(steps).toEqual([
    "begin",
    "lock",
    "pid-file",
    "store",
    "watcher",
    "intake",
    "watching",
    "listening",
    "ready",
  ]);
  for (const step of process.env.EVERY_STEP === "1" ? steps : ["pid-file", "watcher", "listening"]) {
    await cli(home, "beat", `agent-${step}`);
    const { status, stdout } = await runToEnd(process.execPath, [program, home, step]);
    expect({ step, status, last: stdout.trim().split("\n").at(-1) }).toEqual({
      step,
      status: null,
      last: step,
    });
    const running = await daemon(home);
    // What was beaten meanwhile may be taken in a moment after the watcher answers.
    await until(
      () => agentOf(running.url, `agent-${step}`),
      (agent) => agent?.state === "alive",
    );
    await running.end("SIGTERM");
  }
});
