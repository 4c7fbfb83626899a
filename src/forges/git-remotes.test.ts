import { describe, expect, it } from "vitest";
import { repoOfRemotes } from "./git-remotes.ts";

const FORGE = "https://git.example:3000/sub";
const listed = (...remotes: [name: string, url: string][]) =>
  remotes.map(([name, url]) => `${name}\t${url} (fetch)\n${name}\t${url} (push)\n`).join("");

describe("the repository of a remote", () => {
  it.each([
    ["https://git.example/org/fleet.git", "org/fleet"],
    ["https://git.example:3000/sub/org/fleet", "org/fleet"],
    ["http://me:s3cr3t@git.example/org/fleet.git/", "org/fleet"],
    ["ssh://git@git.example:2222/org/fleet.git", "org/fleet"],
    ["ssh://git.example/sub/org/fleet.js.git", "org/fleet.js"],
    ["git@git.example:org/fleet.git", "org/fleet"],
    ["git.example:/org/fleet", "org/fleet"],
    ["git@[::1]:org/fleet.git", "org/fleet"],
    ["git+ssh://git@git.example/org/fleet", "org/fleet"],
    ["/srv/git/org/fleet.git", undefined],
    ["../fleet.git", undefined],
    ["file:///srv/git/org/fleet.git", undefined],
    ["git@git.example:fleet.git", undefined],
    ["https://git.example/", undefined],
  ])("%s is %s", (url, repo) => {
    expect(repoOfRemotes(listed(["origin", url]), FORGE)).toBe(repo);
  });

  it.each<[string, [string, string][], string | undefined]>([
    [
      "at the forge's own host",
      [
        ["origin", "https://github.com/me/mine"],
        ["team", "git@git.example:org/fleet.git"],
      ],
      "org/fleet",
    ],
    [
      "of origin if no host is the forge's",
      [
        ["backup", "https://a.example/x/y"],
        ["origin", "git@alias:org/fleet.git"],
      ],
      "org/fleet",
    ],
    ["of the only one", [["upstream", "git@alias:org/fleet.git"]], "org/fleet"],
    [
      "of none of several strangers",
      [
        ["a", "https://a.example/x/y"],
        ["b", "https://b.example/x/z"],
      ],
      undefined,
    ],
    ["of none where there is none", [], undefined],
  ])("is that %s", (_, remotes, repo) => {
    expect(repoOfRemotes(listed(...remotes), FORGE)).toBe(repo);
  });

  it("is found in a partial clone, too", () => {
    const listing = "origin\thttps://git.example/org/fleet.git (fetch) [blob:none]\n";
    expect(repoOfRemotes(listing, FORGE)).toBe("org/fleet");
  });
});
