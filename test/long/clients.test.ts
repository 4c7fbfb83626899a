import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../../eval/record/clients.ts";
import { SCENES } from "./client-scenes.ts";
import { MODES, stageOf } from "./client-stage.ts";

// The real clients, from npm, in real tmux, against a model on loopback. `ROLLCALL_CLIENTS` names a folder with one folder for each
// client (eval/record/clients.ts has their names), each after `npm install <package>` in it. How long each state took is printed, and
// written to `ROLLCALL_TABLE` if that names a file: the table of docs/signals.md. `ROLLCALL_CLIENT` and `ROLLCALL_SCENE` choose some.

const FOLDER = process.env.ROLLCALL_CLIENTS ?? "/nowhere";
const NAMES = process.env.ROLLCALL_CLIENT?.split(",") ?? [
  "claude-code",
  "codex",
  "opencode",
  "qwen-code",
  "copilot",
];
const PLAYED = process.env.ROLLCALL_SCENE?.split(",") ?? Object.keys(SCENES);

describe.each(NAMES)("%s", (name) => {
  const client = CLIENTS[name];
  const bin = join(FOLDER, client?.folder ?? "", "node_modules", ".bin");
  it.each(PLAYED)("tells its state (%s)", { timeout: 600_000 }, async (played) => {
    const scene = SCENES[played];
    if (client === undefined || scene === undefined || !existsSync(join(bin, client.program))) return;
    const stage = await stageOf(name, client, bin, played);
    try {
      await scene(stage);
    } finally {
      await stage.end();
    }
    for (const [what, took] of Object.entries(stage.seen)) {
      const line = JSON.stringify({ client: name, what, ...took });
      console.log(line);
      if (process.env.ROLLCALL_TABLE !== undefined) appendFileSync(process.env.ROLLCALL_TABLE, `${line}\n`);
    }
    if (played === "killed") for (const mode of MODES) expect(stage.seen["kill -9"]?.[mode]).toMatch(/^dead/);
  });
});
