import { describe, expect, it } from "vitest";
import { type Access, allows, type Need } from "./token.ts";

describe("who may do what", () => {
  const table: readonly [Access, Need, boolean, string][] = [
    ["nobody", "nothing", true, "what needs nothing is everybody's"],
    ["nobody", "beat", false, "from elsewhere a beat needs a token"],
    ["nobody", "read", false, "from elsewhere reading needs a token"],
    ["local", "beat", true, "on loopback a beat needs none"],
    ["local", "read", false, "on loopback reading needs one: any user and any proxy is there"],
    ["local", "admin", false, "on loopback every change needs one"],
    ["beat", "beat", true, "a beat token sends beats"],
    ["beat", "read", false, "a beat token is write only"],
    ["beat", "admin", false, "a beat token changes nothing else"],
    ["read", "read", true, "a read token reads"],
    ["read", "beat", false, "a read token sends no beat"],
    ["read", "admin", false, "a read token changes nothing"],
    ["admin", "beat", true, "an admin token sends beats"],
    ["admin", "read", true, "an admin token reads"],
    ["admin", "admin", true, "an admin token changes things"],
  ];
  it.each(table)("%s for %s: %s, for %s", (standing, need, allowed) => {
    expect(allows(standing, need)).toBe(allowed);
  });
});
