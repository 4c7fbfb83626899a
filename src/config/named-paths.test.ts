import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { pathProblem } from "./named-paths.ts";

const root = mkdtempSync(join(tmpdir(), "rollcall-paths-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const home = join(root, "home");
const logs = join(root, "sessions");
mkdirSync(join(home, "logs"), { recursive: true });
mkdirSync(logs);
writeFileSync(join(root, "secret"), "");
symlinkSync(join(root, "secret"), join(logs, "link.log"));
symlinkSync(root, join(logs, "up"));
const allowed = { folders: [join(home, "logs"), logs, "~/.claude/projects"], home };

const log = (path: string, more = allowed) => pathProblem({ id: "bot", log: { path } }, more);

describe("the files of an agent that somebody else than the owner adds", () => {
  it.each([
    ["a file", join(logs, "bot.log")],
    ["a file that is not there yet, in a folder that is not there yet", join(logs, "new/bot.log")],
    ["a pattern", join(logs, "{agent}-*.log")],
    ["a log in the home", join(home, "logs/bot.pane.log")],
    ["a folder of the user", "~/.claude/projects/x/*.jsonl"],
    ["the same by its key", "{home}/.claude/projects/x/*.jsonl"],
  ])("may be in the folders of the config: %s", (_, path) => {
    expect(log(path)).toBeUndefined();
  });

  it.each([
    ["elsewhere", "/etc/shadow"],
    ["by a way back", join(logs, "../secret")],
    ["by a way back after a pattern", join(logs, "*", "..", "..", "secret")],
    ["relative to nobody knows what", "sessions/bot.log"],
    ["by a name that begins alike", `${logs}-other/bot.log`],
    ["by a link to a file", join(logs, "link.log")],
    ["by a link to a folder", join(logs, "up/secret")],
    ["by a link before a pattern", join(logs, "up/sec*")],
    ["by a pattern above them", join(root, "*/bot.log")],
    ["of another user", "~root/.claude/projects/x.jsonl"],
    ["the token of the home", join(home, "token")],
    ["nothing", ""],
  ])("may not be %s", (_, path) => {
    expect(log(path)).toMatch(/^log\.path: expected a path in one of the folders of access\.folders \(/);
  });

  it("are never in the home itself, though a folder around it is allowed", () => {
    const wide = { folders: [root, homedir()], home };
    expect(log(join(root, "bot.log"), wide)).toBeUndefined();
    expect(log(join(home, "logs/bot.log"), wide)).toBeUndefined();
    for (const path of ["home/token", "*/token", "ho*/token", "home/rollcall.db"])
      expect(log(join(root, path), wide)).toBeDefined();
  });

  it.each([
    { log: { folder: "/etc" } },
    { log: { path: join(logs, "{x}"), keys: { x: "../secret" } } },
    { log: { path: "{x}", keys: { x: "/etc/shadow" } } },
    { transcript: { path: "/etc/*" } },
    { transcript: { folder: "/etc" } },
    { process: { pidFile: "/etc/shadow" } },
    { process: { journal: "/etc/shadow" } },
    { tmux: { session: "work", socketPath: "/run/other/tmux" } },
  ])("are looked at wherever they are named: %j", (signals) => {
    expect(pathProblem({ id: "bot", ...signals }, allowed)).toBeDefined();
    expect(
      pathProblem(
        { id: "bot", process: { journal: true }, transcript: { client: "codex", cwd: "/x" } },
        allowed,
      ),
    ).toBeUndefined();
  });
});
