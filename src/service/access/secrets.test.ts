import { describe, expect, it } from "vitest";
import { isHashOf, newPingKey, newToken, readPingKey, readToken } from "./secrets.ts";

describe("secrets", () => {
  it("a token is read back into its id and a secret that its hash proves", () => {
    const made = newToken();
    const read = readToken(made.text);
    expect(read?.id).toBe(made.id);
    expect(isHashOf(made.hash, read?.secret ?? "")).toBe(true);
    expect(isHashOf(made.hash, `${read?.secret}x`)).toBe(false);
    expect(made.text).not.toContain(made.hash);
  });

  it("a ping key fits into an address and is no token", () => {
    const made = newPingKey();
    expect(made.text).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(readPingKey(made.text)?.id).toBe(made.id);
    expect(readToken(made.text)).toBeUndefined();
    expect(readPingKey(newToken().text)).toBeUndefined();
  });

  it("no two are alike", () => {
    expect(new Set(Array.from({ length: 100 }, () => newToken().text)).size).toBe(100);
  });
});
