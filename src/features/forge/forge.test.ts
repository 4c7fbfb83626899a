import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Config, loadConfig } from "../../config/load.ts";
import { DEFAULT_TEMPLATE } from "../../core/rca/template.ts";
import { ourForge, rcaTemplate } from "./forge.ts";

async function configOf(text = "", files: Record<string, string> = {}): Promise<Config> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-forge-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  if (text !== "") writeFileSync(join(home, "rollcall.yaml"), text);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(home, name), content);
  return loadConfig(home);
}

const GITEA = { GITEA_URL: "https://git.example/x", GITEA_REPO: "org/fleet", GITEA_TOKEN: "s3cr3t" };
const IN_FILE = "forge: {kind: github, repo: org/fleet, tokenFile: token.txt}\n";

describe("our forge", () => {
  it("is that of the environment if the config names none, and that of the config otherwise", async () => {
    expect(ourForge(await configOf(), GITEA)).toMatchObject({
      forge: { name: "gitea org/fleet at https://git.example/x/api/v1" },
      secrets: ["s3cr3t"],
    });
    expect(ourForge(await configOf(IN_FILE, { "token.txt": " t0ken\n" }), GITEA)).toMatchObject({
      forge: { name: "github org/fleet at https://api.github.com" },
      secrets: ["t0ken"],
    });
  });

  it("is in the repository that a git remote of the working directory names, unless the environment names one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-forge-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
    git("init", "--quiet");
    git("remote", "add", "origin", "git@git.example:team/agents.git");
    const old = { CLAW_CODE_GITEA_URL: "https://git.example", GITEA_TOKEN: "s3cr3t" };
    const config = await configOf();
    const nameOf = (env: NodeJS.ProcessEnv) => ourForge(config, env, folder);
    expect(nameOf(old)).toMatchObject({ forge: { name: "gitea team/agents at https://git.example/api/v1" } });
    expect(nameOf({ ...old, GITEA_REPO: "org/fleet" })).toMatchObject({
      forge: { name: "gitea org/fleet at https://git.example/api/v1" },
    });
    git("remote", "set-url", "origin", "/srv/git/agents.git");
    expect(nameOf(old)).toEqual({
      problem: `GITEA_REPO: expected a repository such as org/fleet, because no git remote of ${folder} names one`,
    });
  });

  it.each([
    ["nothing is said", "", {}, "no forge is configured"],
    [
      "the repository is missing",
      "",
      { GITEA_URL: "https://git.example" },
      "GITEA_REPO: expected a repository such as org/fleet, because no git remote of ",
    ],
    [
      "the address is none",
      "",
      { ...GITEA, GITEA_URL: "git.example" },
      "GITEA_URL: expected an address such as",
    ],
    [
      "the token is missing",
      "",
      { ...GITEA, GITEA_TOKEN: undefined },
      "there is no token in the environment variable GITEA_TOKEN",
    ],
    [
      "the token is empty",
      "",
      { ...GITEA, GITEA_TOKEN: " " },
      "there is no token in the environment variable GITEA_TOKEN",
    ],
    [
      "the token would break a header",
      "",
      { ...GITEA, GITEA_TOKEN: "s3cr3t\nx" },
      "GITEA_TOKEN contains something that is no token",
    ],
    ["the token's file is missing", IN_FILE, GITEA, "there is no token in the file token.txt"],
  ])("there is none, and why: %s", async (_, text, env, problem) => {
    const found = ourForge(await configOf(text), env, tmpdir());
    expect(found).toEqual({ problem: expect.stringContaining(problem) });
    expect(JSON.stringify(found)).not.toContain("s3cr3t");
  });
});

describe("the form of issues", () => {
  const OWN = "forge: {kind: github, repo: o/r, tokenEnv: T, template: form.md}\n";

  it("is ours, or the team's", async () => {
    expect(rcaTemplate(await configOf())).toBe(DEFAULT_TEMPLATE);
    expect(rcaTemplate(await configOf(OWN, { "form.md": "{{agent}}" }))).toBe("{{agent}}");
  });

  it.each([
    ["there is none", {}, "form.md: the template cannot be read"],
    ["too long", { "form.md": "x".repeat(12_001) }, "expected at most 12000 characters"],
    ["a placeholder that there is not", { "form.md": "{{x}}" }, "line 1: there is no placeholder {{x}}"],
  ])("is refused: %s", async (_, files, words) => {
    const config = await configOf(OWN, files);
    expect(() => rcaTemplate(config)).toThrow(words);
  });
});
