import { describe, expect, it } from "vitest";
import { forgeOf } from "./registry.ts";
import { forgeFromEnvironment, forgeSettings } from "./settings.ts";

describe("the root of the API", () => {
  it.each([
    ["gitea", "https://git.example", "https://git.example/api/v1"],
    ["gitea", "https://git.example/", "https://git.example/api/v1"],
    ["gitea", "http://host:3000/sub/path//", "http://host:3000/sub/path/api/v1"],
    ["gitea", "https://git.example/api/v1/", "https://git.example/api/v1"],
    ["github", undefined, "https://api.github.com"],
    ["github", "https://github.com", "https://api.github.com"],
    ["github", "https://api.github.com", "https://api.github.com"],
    ["github", "https://ghe.example/x", "https://ghe.example/x/api/v3"],
    ["github", "https://ghe.example/api/v3", "https://ghe.example/api/v3"],
    ["forgejo", "https://code.example/x", "https://code.example/x/api/v1"],
    ["gitlab", undefined, "https://gitlab.com/api/v4"],
    ["gitlab", "https://gitlab.com", "https://gitlab.com/api/v4"],
    ["gitlab", "https://git.example/gitlab/", "https://git.example/gitlab/api/v4"],
    ["gitlab", "https://git.example/api/v4/", "https://git.example/api/v4"],
    ["gitea", "https://u:p@git.example", undefined],
    ["gitea", "https://git.example/?token=x", undefined],
    ["gitea", "file:///etc/passwd", undefined],
    ["gitea", "git.example", undefined],
  ] as const)("of %s at %s is %s", (kind, address, api) => {
    expect(forgeOf(kind).apiOf(address)).toBe(api);
  });
});

const right = { kind: "gitea", url: "https://git.example", repo: "org/fleet", tokenEnv: "T" };

describe("settings of a forge", () => {
  it("have a time-out", () => {
    expect(forgeSettings.parse(right)).toEqual({ ...right, timeout: 10_000 });
  });

  it("take GitLab's groups within groups, and need no address of its own site", () => {
    const settings = { kind: "gitlab", repo: "org/sub/fleet", tokenEnv: "T" };
    expect(forgeSettings.parse(settings)).toMatchObject(settings);
  });

  it.each([
    ["another kind", { kind: "bitbucket" }, "one of gitea, forgejo, github and gitlab"],
    ["no address of a Forgejo", { kind: "forgejo", url: undefined }, "an address such as"],
    ["groups within groups", { repo: "org/sub/fleet" }, "a repository such as org/fleet"],
    ["no address of a Gitea", { url: undefined }, "an address such as https://git.example.org"],
    ["a secret in the address", { url: "https://u:p@git.example" }, "without a user or password"],
    ["no repository", { repo: "fleet" }, "a repository such as org/fleet"],
    ["a way out", { repo: "../admin" }, "a repository such as org/fleet"],
    ["no token", { tokenEnv: undefined }, "either tokenEnv or tokenFile"],
    ["two tokens", { tokenFile: "x" }, "either tokenEnv or tokenFile"],
    ["a time-out that is none", { timeout: "soon" }, "a duration such as 10s"],
  ])("are refused with %s", (_, change, words) => {
    const checked = forgeSettings.safeParse({ ...right, ...change });
    expect(checked.error?.issues.map(({ message }) => message).join()).toContain(words);
  });
});

describe("the environment", () => {
  it.each([
    [{ GITEA_URL: "https://a", GITEA_REPO: "o/r" }, "https://a"],
    [{ CLAW_CODE_GITEA_URL: "https://b", GITEA_REPO: "o/r" }, "https://b"],
    [{ GITEA_URL: "https://a", CLAW_CODE_GITEA_URL: "https://b", GITEA_REPO: "o/r" }, "https://a"],
  ])("serves without a config: %j", (env, url) => {
    expect(forgeFromEnvironment(env)).toEqual({ kind: "gitea", url, repo: "o/r", tokenEnv: "GITEA_TOKEN" });
  });

  it("that says nothing gives nothing, and half of it is not enough", () => {
    expect(forgeFromEnvironment({ GITEA_TOKEN: "x" })).toBeUndefined();
    expect(forgeSettings.safeParse(forgeFromEnvironment({ GITEA_URL: "https://a" })).success).toBe(false);
  });
});
