import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { cli, rollcall, type StatusJson, temporaryHome, until } from "./product.ts";
import { hasTmux, whyNoTmux } from "./watching.ts";

/** `rollcall demo`, with its home. */
async function demo(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [rollcall, "demo"], {
    env: { ...process.env, NO_COLOR: "1", DISPLAY: "", WAYLAND_DISPLAY: "", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const gone = new Promise<number | null>((done) => child.once("exit", done));
  let said = "";
  child.stdout.on("data", (text) => {
    said += String(text);
  });
  await until(
    () => said,
    (text) => text.includes("signs you in"),
  );
  return { child, gone, home: /ROLLCALL_HOME=(\S+)/.exec(said)?.[1] ?? "", said: () => said };
}

async function statesIn(home: string): Promise<Record<string, string>> {
  const { agents } = JSON.parse((await cli(home, "status", "--json")).stdout) as StatusJson;
  return Object.fromEntries(agents.map(({ id, state }) => [id, state]));
}

/** Processes that name this text in their command line. */
function processesWith(text: string): readonly string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      return readFileSync(join("/proc", pid, "cmdline"), "utf8").includes(text);
    } catch {
      return false;
    }
  });
}

const FIRST = {
  ...{ refactor: "alive", release: "waiting", reviewer: "limited", mailer: "alive", deployer: "failing" },
  ...{ indexer: "alive", backup: "resting", archivist: "new" },
};

describe("the demo", () => {
  it.skipIf(!hasTmux)(
    `shows twelve agents in many states, and leaves nothing behind${whyNoTmux}`,
    {
      timeout: 120_000,
    },
    async () => {
      const sockets = temporaryHome();
      const { child, gone, home } = await demo({ TMUX_TMPDIR: sockets });
      const states = await until(
        () => statesIn(home),
        (all) => Object.entries(FIRST).every(([id, state]) => all[id] === state),
      );
      expect(Object.keys(states)).toHaveLength(13);
      // It crashed, and is back.
      await until(
        () => cli(home, "recoveries", "trainer"),
        ({ stdout }) => /restart +done/.test(stdout),
      );
      await until(
        () => statesIn(home),
        (all) => all.scraper === "dead" && all.migrator === "stalled" && all.fixer === "stalled",
      );
      child.kill("SIGINT");
      expect(await gone).toBe(0);
      expect(existsSync(home)).toBe(false);
      expect(processesWith(home)).toEqual([]);
      expect(readdirSync(sockets, { recursive: true }).filter((name) => /demo/.test(String(name)))).toEqual(
        [],
      );
    },
  );

  it("needs no tmux, and its agents end also when it is killed", { timeout: 120_000 }, async () => {
    const bin = join(temporaryHome(), "bin");
    mkdirSync(bin);
    for (const folder of ["/bin", "/usr/bin"])
      for (const name of ["sh", "sleep", "date", "mv", "sync", "cat", "mkdir", "rm"])
        if (existsSync(join(folder, name)) && !existsSync(join(bin, name)))
          symlinkSync(join(folder, name), join(bin, name));
    symlinkSync(process.execPath, join(bin, "node"));
    const { child, gone, home } = await demo({ PATH: bin });
    onTestFinished(() => void spawnSync("rm", ["-rf", home]));
    await until(
      () => statesIn(home),
      (all) => Object.entries(FIRST).every(([id, state]) => all[id] === state),
    );
    child.kill("SIGKILL");
    await gone;
    await until(
      () => processesWith(home),
      (left) => left.length === 0,
    );
  });
});
