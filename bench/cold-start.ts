import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fleet } from "./fleet.ts";
import { median } from "./load.ts";
import type { Result } from "./main.ts";

const RUNS = 41;
const MANY = 10_000;

type Program = [command: string, ...args: string[]];

/** How long commands take as whole processes with no daemon, against doing nothing at all. */
export async function coldStart(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  const root = new URL("..", import.meta.url).pathname;
  const rollcall = (home: string, ...args: string[]): Program => [
    process.execPath,
    join(root, "bin/rollcall.js"),
    ...args,
    "--home",
    home,
  ];
  const beat = ["beat", "allegro", "--cycle", "7", "--action", "sync inbox"];
  try {
    const few = await fleet(join(folder, "few"), 20);
    // Apart from it: with no daemon, beats wait as files, and every status of that home would read them and all mutes.
    const changing = await fleet(join(folder, "changing"), 20);
    const many = await fleet(join(folder, "many"), MANY);
    const declared = await fleet(join(folder, "declared"), MANY, "config");
    const commands: Record<string, Program> = {
      node: [process.execPath, "-e", "0"],
      beat: rollcall(changing, ...beat),
      check: rollcall(many, "check", "agent-77"),
      declared: rollcall(declared, "check", "agent-77"),
      status: rollcall(few, "status"),
      mute: rollcall(changing, "silence", "add", "--agent", "agent-7", "--for", "1h"),
      help: rollcall(few, "--help"),
      sh: ["sh", "-c", ":"],
      shBeat: [join(root, "bin/rollcall-beat"), ...beat.slice(1), "--home", changing],
    };
    const ms = timesOf(commands);
    const line = (name: string, ours: string, base: string, what: string, aim: string): Result => ({
      name,
      ours: `${ms(ours).toFixed(1)} ms`,
      baseline: `${ms(base).toFixed(1)} ms ${what}`,
      ratio: ms(ours) / ms(base),
      aim,
    });
    const overNode = (name: string, ours: string, aim: string) => line(name, ours, "node", "node -e 0", aim);
    return [
      overNode("rollcall beat, whole process", "beat", "at most 1.15"),
      overNode("rollcall check, no daemon, 10,000 agents in the store", "check", "at most 1.5"),
      overNode("the same, and all of them declared in the config", "declared", "at most 1.5"),
      overNode("rollcall status of 20 agents, no daemon", "status", "at most 1.5"),
      overNode("rollcall silence add, no daemon", "mute", "reported"),
      overNode("rollcall --help", "help", "reported"),
      line("rollcall-beat, whole process", "shBeat", "sh", "sh -c :", "at most 2"),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The median time of each. They take turns, so that a slow moment of the machine meets all of them. */
function timesOf(commands: Readonly<Record<string, Program>>): (name: string) => number {
  const times: Record<string, number[]> = {};
  // The first round is not counted: a config is parsed then.
  for (let run = 0; run <= RUNS; run++) {
    for (const [name, [command, ...args]] of Object.entries(commands)) {
      const began = performance.now();
      const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
      if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
      times[name] ??= [];
      if (run > 0) times[name].push(performance.now() - began);
    }
  }
  return (name) => median(times[name] ?? []);
}
