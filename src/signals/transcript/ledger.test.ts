import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type LogFile, sessionLog } from "../../session-log/template.ts";
import { type Ledger, readOn } from "./ledger.ts";

const use = (n: number, command: string) =>
  `${JSON.stringify({
    type: "assistant",
    timestamp: new Date(Date.UTC(2026, 10, 17, 9, 0, n)).toISOString(),
    message: {
      role: "assistant",
      content: [{ type: "tool_use", id: `t${n}`, name: "Bash", input: { command } }],
    },
  })}\n`;

function world() {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-ledger-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "a.jsonl");
  const log = sessionLog({ path });
  let ledger: Ledger | undefined;
  const read = async () => {
    const found = (await log.find(0)) as LogFile;
    ledger = await readOn(ledger, log, found);
    return ledger;
  };
  return { path, read };
}

it("sums up a transcript as it grows, whole lines only, each once", async () => {
  const { path, read } = world();
  const last = use(40, "ls");
  writeFileSync(path, Array.from({ length: 20 }, (_, n) => use(n, "ls")).join(""));
  expect((await read()).calls).toMatchObject({ repeats: 19 });
  expect((await read()).calls).toMatchObject({ repeats: 19 });
  appendFileSync(path, Array.from({ length: 15 }, (_, n) => use(20 + n, "ls")).join("") + last.slice(0, 50));
  const looping = await read();
  expect(looping.calls).toMatchObject({ repeats: 34, loopsSince: Date.UTC(2026, 10, 17, 9, 0, 30) });
  expect(looping.offset).toBe(statSync(path).size - 50);
  appendFileSync(path, last.slice(50) + use(41, "something new"));
  expect((await read()).calls).toMatchObject({ repeats: 0, longest: 35 });
});

it("reads a transcript that was replaced from its beginning", async () => {
  const { path, read } = world();
  writeFileSync(path, use(1, "ls") + use(2, "ls") + use(3, "ls"));
  await read();
  writeFileSync(path, use(1, "ls"));
  expect((await read()).calls).toMatchObject({ repeats: 0, known: [expect.any(String)] });
});
