import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { pushTicks } from "./push.ts";

const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** A bare repository, and clones of it as hosts have them. */
function repositories(hosts: readonly string[], { empty = false } = {}): { bare: string; root: string } {
  const root = mkdtempSync(join(tmpdir(), "rollcall-push-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const bare = join(root, "bare.git");
  execFileSync("git", ["init", "--quiet", "--bare", "-b", "main", bare]);
  for (const host of hosts) {
    execFileSync("git", ["clone", "--quiet", bare, join(root, host)], { stdio: "ignore" });
    git(join(root, host), "checkout", "--quiet", "-B", "main");
    if (empty || host !== hosts[0]) {
      if (!empty) git(join(root, host), "pull", "--quiet", "origin", "main");
      continue;
    }
    const who = ["-c", "user.name=x", "-c", "user.email=x@localhost"];
    git(join(root, host), ...who, "commit", "--quiet", "--allow-empty", "-m", "begin");
    git(join(root, host), "push", "--quiet", "origin", "main");
  }
  return { bare, root };
}

function submit(clone: string, agent: string, env = process.env): ReturnType<typeof pushTicks> {
  const folder = join(clone, "ticks/2026-04");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${agent}.json`), `{"agent":"${agent}"}\n`);
  return pushTicks(join(clone, "ticks"), [join(folder, `${agent}.json`)], `tick: ${agent}`, env);
}

const arrived = (bare: string): string[] =>
  git(bare, "ls-tree", "-r", "--name-only", "main").trim().split("\n");

it("ticks that five hosts push at the same time all arrive", async () => {
  const hosts = ["a", "b", "c", "d", "e"];
  const { bare, root } = repositories(hosts);
  const pushed = await Promise.all(hosts.map((host) => submit(join(root, host), host)));
  expect(pushed).toEqual(hosts.map(() => ({ outcome: "pushed" })));
  expect(arrived(bare)).toEqual(hosts.map((host) => `ticks/2026-04/${host}.json`));
});

it("also from hosts that have told git no name", async () => {
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
  vi.stubEnv("GIT_CONFIG_SYSTEM", "/dev/null");
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const hosts = ["a", "b", "c", "d"];
  const { bare, root } = repositories(hosts);
  const pushed = await Promise.all(hosts.map((host) => submit(join(root, host), host)));
  expect(pushed).toEqual(hosts.map(() => ({ outcome: "pushed" })));
  expect(arrived(bare)).toHaveLength(hosts.length);
});

it("also into a repository that was empty", async () => {
  const { bare, root } = repositories(["a", "b"], { empty: true });
  const pushed = await Promise.all(["a", "b"].map((host) => submit(join(root, host), host)));
  expect(pushed).toEqual([{ outcome: "pushed" }, { outcome: "pushed" }]);
  expect(arrived(bare)).toEqual(["ticks/2026-04/a.json", "ticks/2026-04/b.json"]);
});

it("two agents of one clone at the same time, and what else lies there stays as it is", async () => {
  const { bare, root } = repositories(["a"]);
  const clone = join(root, "a");
  writeFileSync(join(clone, "draft.txt"), "not yet");
  git(clone, "add", "draft.txt");
  const pushed = await Promise.all(["x", "y"].map((agent) => submit(clone, agent)));
  expect(pushed).toEqual([{ outcome: "pushed" }, { outcome: "pushed" }]);
  expect(arrived(bare)).toEqual(["ticks/2026-04/x.json", "ticks/2026-04/y.json"]);
  expect(git(clone, "status", "--porcelain")).toBe("A  draft.txt\n");
});

it("an agent that commits in the same clone between our look and our commit", async () => {
  const { bare, root } = repositories(["a"]);
  const bin = join(root, "bin");
  mkdirSync(bin);
  // The first commit fails as git does then, and leaves a mark.
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const said = "fatal: cannot lock ref 'HEAD': is at 67d404e but expected 599defc";
  writeFileSync(
    join(bin, "git"),
    `#!/bin/sh\ncase " $* " in *" commit "*) mkdir "${bin}/tried" 2>/dev/null && { echo "${said}" >&2; exit 128; };; esac\nexec "${real}" "$@"\n`,
    { mode: 0o755 },
  );
  const clone = join(root, "a");
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  expect(await submit(clone, "x", env)).toEqual({ outcome: "pushed" });
  expect(existsSync(join(bin, "tried"))).toBe(true);
  expect(arrived(bare)).toEqual(["ticks/2026-04/x.json"]);
});

it("the same again changes nothing, and pushes what an earlier push could not", async () => {
  const { bare, root } = repositories(["a"]);
  const clone = join(root, "a");
  git(clone, "remote", "set-url", "origin", join(root, "nowhere.git"));
  expect(await submit(clone, "x")).toMatchObject({
    outcome: "failed",
    problem: expect.stringContaining("git push failed"),
  });
  git(clone, "remote", "set-url", "origin", bare);
  expect(await submit(clone, "x")).toEqual({ outcome: "pushed" });
  expect(await submit(clone, "x")).toEqual({ outcome: "pushed" });
  expect(git(bare, "rev-list", "--count", "main").trim()).toBe("2");
});

it("two hosts with the same agent: the second one says so, and leaves its clone in order", async () => {
  const { root } = repositories(["a", "b"]);
  expect(await submit(join(root, "a"), "x")).toEqual({ outcome: "pushed" });
  const folder = join(root, "b/ticks/2026-04");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "x.json"), '{"agent":"other"}\n');
  const pushed = await pushTicks(join(root, "b/ticks"), [join(folder, "x.json")], "tick: x", process.env);
  expect(pushed).toMatchObject({ outcome: "failed", problem: expect.stringContaining("does not fit") });
  expect(git(join(root, "b"), "status", "--porcelain", "--branch")).toMatch(/^## main/);
});

it("says that there is no repository, and never an address with a password", async () => {
  const root = mkdtempSync(join(tmpdir(), "rollcall-push-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  expect(await submit(root, "x")).toMatchObject({
    outcome: "failed",
    problem: expect.stringContaining("is not in a git repository"),
  });
  const { root: other } = repositories(["a"]);
  git(join(other, "a"), "remote", "set-url", "origin", "http://bob:hunter22@127.0.0.1:1/x.git");
  const pushed = await submit(join(other, "a"), "x");
  expect(pushed).toMatchObject({ outcome: "failed" });
  expect(JSON.stringify(pushed)).not.toContain("hunter22");
});
