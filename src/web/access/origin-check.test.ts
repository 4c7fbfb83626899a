import { describe, expect, it } from "vitest";
import type { Heads } from "./heads.ts";
import { isOwnPage, OriginCheck } from "./origin-check.ts";

const heads = (more: Partial<Heads>): Heads => ({
  host: "localhost:7766",
  origin: undefined,
  site: undefined,
  mode: undefined,
  authorization: undefined,
  cookie: undefined,
  forwarded: false,
  ...more,
});

describe("what the guard lets pass", () => {
  const table: readonly [string, boolean, Partial<Heads>, boolean][] = [
    ["localhost passes", false, {}, true],
    ["any loopback address passes", false, { host: "127.0.0.9:1" }, true],
    ["IPv6 loopback passes", false, { host: "[::1]:7766" }, true],
    ["a name that was made to point here does not", false, { host: "evil.example:7766" }, false],
    ["no Host does not", false, { host: undefined }, false],
    ["a name that begins like loopback does not", false, { host: "127.0.0.1.evil.example" }, false],
    ["a name of the config passes, in any case", false, { host: "Roll.Example" }, true],
    ["another machine's address does not on loopback", false, { host: "192.0.2.7:7766" }, false],
    ["an address passes where others may reach us", true, { host: "192.0.2.7:7766" }, true],
    ["a foreign name does not there either", true, { host: "evil.example" }, false],
    ["a page of another site does not", false, { site: "cross-site" }, false],
    ["a page of another origin does not", false, { origin: "https://evil.example" }, false],
    ["a page without an origin does not", false, { origin: "null" }, false],
    ["a page of another port of this machine does not", false, { origin: "http://localhost:9999" }, false],
    ["another name of this machine is another origin", false, { origin: "http://127.0.0.1:7766" }, false],
    ["an image on such a page does not", false, { site: "same-site" }, false],
    ["an address that a person typed passes", false, { site: "none" }, true],
    ["a page behind TLS passes", false, { host: "roll.example", origin: "https://roll.example" }, true],
    [
      "its port may be written out",
      false,
      { host: "roll.example:443", origin: "https://roll.example" },
      true,
    ],
    ["our own page passes", false, { origin: "http://localhost:7766", site: "same-origin" }, true],
  ];
  it.each(table)("%s", (_, open, given, passes) => {
    expect(new OriginCheck(["roll.example"], open).refusal(heads(given)) === undefined).toBe(passes);
  });

  it("a link from anywhere opens a page, and nothing else", () => {
    const guard = new OriginCheck([], false);
    for (const site of ["cross-site", "same-site"]) {
      expect(guard.refusal(heads({ site, mode: "navigate" }), true)).toBeUndefined();
      expect(guard.refusal(heads({ site, mode: "navigate" }))).toContain("other sites");
      expect(guard.refusal(heads({ site, mode: "no-cors" }), true)).toContain("other sites");
    }
    expect(guard.refusal(heads({ host: "evil.example", mode: "navigate" }), true)).toContain("evil.example");
  });

  it("a name that passed once does not open the door for others", () => {
    const guard = new OriginCheck([], false);
    expect(guard.refusal(heads({}))).toBeUndefined();
    expect(guard.refusal(heads({ host: "evil.example" }))).toContain("evil.example");
  });

  it("a cookie speaks only for the very page that we served", () => {
    expect(isOwnPage(heads({ origin: "http://localhost:7766" }))).toBe(true);
    expect(isOwnPage(heads({ origin: "http://localhost:3000" }))).toBe(false);
    expect(isOwnPage(heads({ origin: undefined }))).toBe(false);
    expect(isOwnPage(heads({ origin: "null" }))).toBe(false);
  });
});
