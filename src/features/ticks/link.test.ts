import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../config/load.ts";
import { ourForge } from "../forge/forge.ts";
import { tickLink } from "./link.ts";

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-link-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const env = { CLAW_CODE_GITEA_URL: "https://git.example", GITEA_REPO: "org/fleet", GITEA_TOKEN: "s3cr3t" };

function copyOf(remote: string): string {
  const folder = folderOf();
  const ticks = join(folder, "the ticks");
  mkdirSync(ticks);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, stdio: "ignore" });
  git("init", "--quiet", "--initial-branch=trunk");
  git("remote", "add", "origin", remote);
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  git(...who, "commit", "--quiet", "--allow-empty", "--message=begin");
  return ticks;
}

it("D5: ticks in a working copy of the forge's repository are linked there", async () => {
  const config = await loadConfig(folderOf());
  const link = (ticks: string) => tickLink(config, ourForge(config, env, ticks), ticks);
  expect(link(copyOf("git@git.example:org/fleet.git"))).toBe(
    "https://git.example/org/fleet/src/branch/trunk/the%20ticks/{month}/{agent}.json",
  );
  expect(link(copyOf("git@git.example:org/other.git"))).toBeUndefined();
  expect(link(tmpdir())).toBeUndefined();
});

it("a link that the config names counts", async () => {
  const home = folderOf();
  writeFileSync(join(home, "rollcall.yaml"), "tick: { link: 'https://x.example/{month}/{agent}' }");
  const config = await loadConfig(home);
  expect(tickLink(config, ourForge(config, env, home), home)).toBe("https://x.example/{month}/{agent}");
});
