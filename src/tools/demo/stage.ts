import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { homeAt } from "../../home/home.ts";
import { using, Writer } from "../../home/store.ts";
import { type Group, run, runNow, startGroup } from "../../system/exec.ts";
import { tmuxVersion } from "../../system/tmux.ts";
import { socketPathOf } from "../../system/tmux-servers.ts";
import { BEHIND, CRASHING, demoConfig, ON_SCREEN } from "./fleet.ts";
import { pastUntil } from "./past.ts";
import { SCRIPT } from "./script.ts";

const bin = (name: string) =>
  fileURLToPath(
    new URL(`${import.meta.url.endsWith(".ts") ? "../../../" : "../"}bin/${name}`, import.meta.url),
  );

/** A throw-away home with a fleet of twelve agents, played by real processes. */
export interface Stage {
  readonly home: string;
  /** The tmux server with the panes; undefined where tmux is not installed. */
  readonly socket: string | undefined;
  /** Ends everything that was started, and removes the home. Does no harm when called twice. */
  clear(): void;
}

export async function openStage(): Promise<Stage> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-demo-"));
  const { how } = await tmuxVersion();
  const socket = how === "missing" ? undefined : `rollcall-demo-${process.pid}`;
  const env = {
    ...{ PATH: process.env.PATH, HOME: process.env.HOME, LANG: "C.UTF-8", TERM: "xterm-256color" },
    ...(process.env.TMUX_TMPDIR === undefined ? {} : { TMUX_TMPDIR: process.env.TMUX_TMPDIR }),
    ...{ DEMO: String(process.pid), BEAT: bin("rollcall-beat"), ROLLCALL_HOME: home },
  };
  const script = join(home, "play.sh");
  writeFileSync(script, SCRIPT);
  writeFileSync(join(home, "rollcall.yaml"), demoConfig(home, socket, process.pid));
  await writePast(home);
  const groups: Group[] = [];
  const play = (part: string, log?: string) => {
    const out = log === undefined ? "ignore" : openSync(join(home, log), "a");
    const group = startGroup(["sh", script, part], { cwd: home, env, stdio: ["ignore", out, out] });
    groups.push(group);
    return group;
  };
  let isClear = false;
  const stage: Stage = {
    ...{ home, socket },
    clear() {
      if (isClear) return;
      isClear = true;
      for (const group of groups) group.kill();
      if (socket !== undefined) {
        runNow("tmux", ["-L", socket, "kill-server"], { env });
        // tmux leaves its socket behind.
        rmSync(socketPathOf({ socket }, env), { force: true });
      }
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  for (const { id, part } of socket === undefined ? [] : [...ON_SCREEN, CRASHING]) {
    const at = ["-L", socket ?? "", "-f", "/dev/null"];
    await run(
      "tmux",
      [...at, "new-session", "-d", "-s", id, "-x", "100", "-y", "30", `sh ${script} ${part}`],
      { env },
    );
    await run("tmux", [...at, "set-option", "-w", "-t", `${id}:`, "remain-on-exit", "on"], { env });
  }
  if (socket === undefined) for (const { id, part } of ON_SCREEN) play(part, `${id}.log`);
  for (const { id, part } of socket === undefined ? [...BEHIND, CRASHING] : BEHIND) {
    const { pid } = play(part);
    writeFileSync(join(home, `${id}.pid`), `${pid}\n`);
  }
  const cycle = ["backup", "--", "sh", "-c", "echo copied 1204 files"];
  groups.push(
    startGroup([process.execPath, bin("rollcall.js"), "run", ...cycle], { cwd: home, env, stdio: "ignore" }),
  );
  return stage;
}

/** Gives the fleet a past: its history is stored, and the config declares its agents anew. */
async function writePast(folder: string): Promise<void> {
  const home = homeAt(folder);
  const writer = Writer.take(home);
  if (writer === undefined) return;
  try {
    const past = pastUntil(Math.floor(Date.now() / 1000) * 1000);
    await using(await writer.openStore(home, { here: true }), async (store) => {
      await store.commit(past);
      await store.commit({ removed: (past.agents ?? []).map(({ id }) => id) });
    });
  } finally {
    writer.release();
  }
}
