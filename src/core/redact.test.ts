import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact } from "./redact.ts";

// Put together here, so that no scanner takes this file for a leak.
const S = (...parts: string[]): string => parts.join("");
const KEY = S("-----BEGIN OPENSSH ", "PRIVATE KEY-----");

describe("redact", () => {
  it.each([
    ["an environment variable", "export DB_PASSWORD=hunter22 next", "hunter22", "next"],
    ["a quoted one", 'API_KEY="two words" next', "two words", "next"],
    ["JSON", '{"accessToken": "abc\\"def", "b": 1}', "abc", '"b": 1'],
    ["YAML", "client_secret: s3cr3t\nport: 80", "s3cr3t", "port: 80"],
    ["an option", "deploy --token s3cr3t --fast", "s3cr3t", "--fast"],
    ["an option with =", "deploy --api-key=s3cr3t --fast", "s3cr3t", "--fast"],
    ["a query", "GET /x?access_token=s3cr3t&page=2", "s3cr3t", "page=2"],
    ["a bearer header", "Authorization: Bearer abcdefgh12345\nHost: x", "abcdefgh12345", "Host: x"],
    ["a bearer alone", "curl -H bearer abcdefgh12345 done", "abcdefgh12345", "done"],
    ["a header of Gitea", "authorization: token 0123456789abcdef\nok", "0123456789abcdef", "ok"],
    ["a cookie", "Set-Cookie: sid=abc; Path=/\nok", "abc", "ok"],
    ["an API key header", "X-Api-Key: abc\nok", "abc", "ok"],
    [
      "an address with a password",
      "git push https://bob:hunter22@git.example/x.git",
      "hunter22",
      "git.example/x.git",
    ],
    ["an address with a token", "https://0123456789abcdef@git.example/x", "0123456789abcdef", "git.example"],
    ["a database address", "postgres://u:p%40ss@db:5432/x", "p%40ss", "db:5432/x"],
    ["a private key", `${KEY}\nAAAA\nBBBB\n-----END OPENSSH PRIVATE KEY-----\nok`, "BBBB", "ok"],
    ["a private key without its end", `see ${KEY}\nAAAA\nBBBB`, "BBBB", "see"],
    ["a token of GitHub", S("got ghp", "_0123456789abcdefABCDEF0123456789abcd ok"), "0123456789abcdef", "ok"],
    ["a newer one", S("got github", "_pat_11ABCDEFG0123456789_abcdef ok"), "11ABCDEFG", "ok"],
    ["a token of GitLab", S("got glpat", "-0123456789abcdefABCD ok"), "0123456789abcdef", "ok"],
    ["a token of Slack", S("got xoxb", "-123456789012-abcdef ok"), "123456789012", "ok"],
    ["a key of a model", S("got sk", "-ant-api03-0123456789abcdefABCDEF ok"), "0123456789abcdef", "ok"],
    ["a key of Stripe", S("got sk", "_live_0123456789abcdefABCDEF ok"), "0123456789abcdef", "ok"],
    ["a key of AWS", S("got AKIA", "IOSFODNN7EXAMPLE ok"), "IOSFODNN7", "ok"],
    ["a key of Google", S("got AIza", "SyA0123456789abcdefghijklmnopqrstuv ok"), "SyA0123", "ok"],
    ["a web token", S("got eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl ok"), "c2lnbmF0dXJl", "ok"],
    ["a bot of Telegram", S("bot 123456789", ":AAF0123456789abcdefghijklmnopqrstuvw ok"), "AAF0123", "ok"],
    ["a hook of Slack", S("https://hooks.slack", ".com/services/T000/B000/XXXXYYYY ok"), "XXXXYYYY", "ok"],
  ])("takes out %s and leaves the rest", (_, text, secret, rest) => {
    const clean = redact(text);
    expect(clean).not.toContain(secret);
    expect(clean).toContain("[redacted]");
    expect(clean).toContain(rest);
  });

  it("takes out what is known, whatever its form", () => {
    expect(redact("a plain-word b plain-word", ["plain-word", ""])).toBe("a [redacted] b [redacted]");
  });

  it.each([
    "allegro ended its cycle 7 at 2026-04-01T06:00:00.000Z",
    "no answer from https://forge.example/org/fleet/issues/12 within 10 s",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "tests: 12 passed, 0 failed",
    "mail ann@example.org",
    "pid 4711, exit status 1",
  ])("leaves alone: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  it("is quick on hostile text, and does nothing to what it has done", () => {
    for (const unit of [
      "token",
      "a_",
      "--token ",
      "https://a",
      "eyJ",
      'password="\\',
      "-----BEGIN PRIVATE KEY-----",
      "x-",
      "1:",
    ]) {
      const text = unit.repeat(Math.ceil(100_000 / unit.length));
      redact(text);
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        const once = redact(`password=${text}`);
        expect(redact(once)).toBe(once);
      }),
      { examples: [['" "('], [">("]], numRuns: 1000 },
    );
  });
});
