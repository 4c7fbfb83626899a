import { describe, expect, it } from "vitest";
import { Guard, isOwnPage } from "./guard.ts";
import type { Heads } from "./heads.ts";

const heads = (more: Partial<Heads>): Heads => ({
  host: "localhost:7766",
  origin: undefined,
  site: undefined,
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
    ["our own page passes", false, { origin: "http://localhost:7766", site: "same-origin" }, true],
  ];
  it.each(table)("%s", (_, open, given, passes) => {
    expect(new Guard(["roll.example"], open).refusal(heads(given)) === undefined).toBe(passes);
  });

  it("a name that passed once does not open the door for others", () => {
    const guard = new Guard([], false);
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
