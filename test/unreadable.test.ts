// Logs that cannot be read: that is said by name, the next best decides, and nobody is dead for it.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentOf, daemon, rollcall, temporaryHome, until } from "./product.ts";
import { config, flipsOf, isIn } from "./watching.ts";

/** Root may read everything, so as root the watcher runs as somebody else. */
const isRoot = process.getuid?.() === 0;
const somebody = isRoot ? { uid: 65534, gid: 65534 } : undefined;
const canRun = spawnSync(process.execPath, [rollcall, "--version"], { ...somebody }).status === 0;
const whyNot = canRun ? "" : " (skipped: another user cannot read this checkout)";

/** A home with two agents that have the same log; one has a process too. */
function watched() {
  const home = temporaryHome();
  const log = join(home, "logs", "session.log");
  mkdirSync(dirname(log));
  writeFileSync(log, "one\n");
  const child = spawn("sleep", ["300"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const path = `log: { path: "${log}", plain: true }`;
  const agents = `  - { id: writer, ${path} }\n  - { id: both, ${path}, process: { pid: ${child.pid} } }\n`;
  writeFileSync(join(home, "rollcall.yaml"), config(agents));
  if (somebody === undefined) return { home, log };
  for (const each of [home, dirname(log), log]) chownSync(each, somebody.uid, somebody.gid);
  return { home, log };
}

const CASES: { name: string; says: string; spoil: (log: string) => void; mend: (log: string) => void }[] = [
  {
    name: "a folder stands in its place",
    says: "is a folder",
    spoil: (log) => mkdirSync(log),
    mend: (log) => rmSync(log, { recursive: true }),
  },
  {
    name: "it is a symbolic link to itself",
    says: "leads in a circle",
    spoil: (log) => symlinkSync(log, log),
    mend: (log) => rmSync(log),
  },
  {
    name: "a file stands where its folder was",
    says: "a part of its path is not a folder",
    spoil: (log) => {
      rmSync(dirname(log), { recursive: true });
      writeFileSync(dirname(log), "");
    },
    mend: (log) => {
      rmSync(dirname(log));
      mkdirSync(dirname(log));
    },
  },
  {
    name: "its folder is closed to this user",
    says: "may not be read by this user",
    spoil: (log) => chmodSync(dirname(log), 0),
    mend: (log) => chmodSync(dirname(log), 0o755),
  },
];

describe.skipIf(!canRun)(`a log that could be read and cannot any more${whyNot}`, () => {
  it.each(CASES)("B7: because $name is no death, and the process decides", async ({ says, spoil, mend }) => {
    const { home, log } = watched();
    const { url } = await daemon(home, {}, somebody);
    await isIn(url, "writer", "alive");
    renameSync(log, `${log}.1`);
    spoil(log);
    const named = (json: string) => json.includes(log) && json.includes(says);
    await until(
      () => agentOf(url, "writer"),
      (agent) => agent?.state === "unknown" && named(agent.why),
    );
    const both = await until(
      () => agentOf(url, "both"),
      (agent) => named(JSON.stringify(agent?.evidence ?? [])),
    );
    expect(both).toMatchObject({ state: "alive", reason: "present" });
    mend(log);
    writeFileSync(log, "two\n");
    expect(await isIn(url, "writer", "alive")).toMatchObject({ reason: "working" });
    for (const id of ["writer", "both"]) expect(await flipsOf(home, id)).not.toContain("dead");
  });
});
