// Agents whose output attacks the emulator or the patterns: the watcher goes on answering, and judges everybody else.
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { agentOf, cli, daemon, http, temporaryHome, until } from "./product.ts";
import { config } from "./watching.ts";

const busy = "\x1b[2J\x1b[H> fix the test\r\n⠋ Pondering… (3s · esc to interrupt)\r\n";
const dialog = "\x1b[2J\x1b[HRun this command?\r\n  npm test\r\n❯ 1. Yes\r\n  2. No, and say why (esc)\r\n";
const finals = Array.from({ length: 0x7e - 0x40 + 1 }, (_, i) => String.fromCharCode(0x40 + i)).join("");
const number = "2147483647";
const attacks = [
  `\x1b[${number}L`,
  ...[...finals].flatMap((final) => [`\x1b[${number};${number}:${number}${final}`, `\x9b${number} ${final}`]),
  `\x1b]0;${"x".repeat(200_000)}\x07`,
  `\x1b[${"1;".repeat(50_000)}m`,
  `a${"\u0301".repeat(50_000)}`,
  `${"^G Help ".repeat(2000)}\r\n`,
];

function agents(home: string) {
  const log = (id: string) => join(home, `${id}.log`);
  for (const id of ["good", "hostile", "heavy"]) writeFileSync(log(id), busy);
  writeFileSync(
    join(home, "rollcall.yaml"),
    config(
      `  - { id: good, log: { path: ${log("good")} } }\n` +
        `  - { id: hostile, log: { path: ${log("hostile")} } }\n` +
        `  - { id: heavy, log: { path: ${log("heavy")}, cols: 1000, rows: 500 } }\n`,
    ),
  );
  return log;
}

// A screen that only a busy machine drew too slowly is tried again every 10 s.
const PATIENCE = 600_000;

it("a hostile log freezes nobody, and a screen that takes too long costs only its own signal", {
  timeout: PATIENCE,
}, async () => {
  const home = temporaryHome();
  const log = agents(home);
  const first = await daemon(home);
  const shows = (url: string, id: string, words: string) =>
    until(
      () => agentOf(url, id),
      (agent) => JSON.stringify(agent ?? {}).includes(words),
    );
  await shows(first.url, "hostile", "working");
  for (const attack of attacks) appendFileSync(log("hostile"), attack);
  appendFileSync(log("hostile"), `\x18\x1bc${dialog}`);
  expect((await http(`${first.url}/healthz`)).status).toBe(200);
  // All of it was drawn, and what came last is read.
  await shows(first.url, "hostile", "permission");
  // Each three of these bytes fill half a million cells.
  appendFileSync(log("heavy"), "\x1b#8".repeat(300_000));
  await shows(first.url, "heavy", "drawing its screen took longer than");
  expect((await http(`${first.url}/healthz`)).status).toBe(200);
  appendFileSync(log("good"), dialog);
  await shows(first.url, "good", "permission");
  expect(await first.end("SIGTERM")).toBe(0);
  // The tail that is drawn after a restart is as hostile.
  const second = await daemon(home);
  expect((await http(`${second.url}/healthz`)).status).toBe(200);
  await shows(second.url, "heavy", "drawing its screen took longer than");
  await shows(second.url, "good", "permission");
  expect(await second.end("SIGTERM")).toBe(0);
  // Without a watcher, the command itself draws, within the same budget.
  expect((await cli(home, "peek", "hostile")).stdout).toContain("Run this command?");
  expect(await cli(home, "peek", "heavy")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("drawing its screen took longer than"),
  });
});
