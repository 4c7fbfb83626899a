import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact } from "./redact.ts";
import { TOKEN_SHAPES } from "./token-shapes.ts";

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
    [
      "a bot in an address",
      S("https://api.telegram.org/bot123456789", ":AAF0123456789abcdefghijklmnopqrstuvw/getMe ok"),
      "AAF0123",
      "/getMe ok",
    ],
    ["escaped JSON", '"{\\"password\\": \\"hunter22\\", \\"port\\": 80}"', "hunter22", "port"],
    [
      "JSON that is escaped twice",
      '{\\\\\\"api_key\\\\\\": \\\\\\"hunter22\\\\\\", \\\\\\"port',
      "hunter22",
      "port",
    ],
    [
      "JSON whose quotes are code points",
      "{\\u0022secret\\u0022:\\u0022hunter22\\u0022,",
      "hunter22",
      "secret",
    ],
    ["a quoted value that was cut", 'see "password": "hunter22 and mo', "hunter22", "see"],
    [
      "a token of ours",
      S("got rc", "_0a1b2c3d_0123456789abcdefABCDEF0123456789 ok"),
      "0123456789abcdef",
      "ok",
    ],
    ["a token of Docker", S("got dckr", "_pat_0123456789abcdefABCDEF01234 ok"), "0123456789abcdef", "ok"],
    ["a token of Vault", S("got hvs", ".CAESIJ0123456789abcdefABCDEF ok"), "0123456789abcdef", "ok"],
    ["a key of Groq", S("got gsk", "_0123456789abcdefABCDEF0123456789 ok"), "0123456789abcdef", "ok"],
    ["a token behind an escaped sign", S("a\\nghp", "_0123456789abcdefABCDEF ok"), "0123456789abcdef", "ok"],
    ["a token behind a colour", S("\x1b[31mghp", "_0123456789abcdefABCDEF ok"), "0123456789abcdef", "ok"],
    ["curl with a password", "curl -sSu bob:hunter22 https://git.example/x", "hunter22", "git.example/x"],
    ["curl with a long option", "curl --user=bob:hunter22 -o file", "hunter22", "-o file"],
    ["curl over two lines", "curl \\\n  -u 'bob:hunter22' x.example", "hunter22", "x.example"],
    ["a line of .netrc", "machine x login bob password hunter22\nok", "hunter22", "ok"],
    ["lines of .netrc", "machine git.example\n  login bob\n  password hunter22\nok", "hunter22", "ok"],
    ["basic access", "basic Ym9iOmh1bnRlcjIy ok", "Ym9iOmh1bnRlcjIy", "ok"],
    ["a signed address", "GET /x?X-Amz-Signature=0123abcd&page=2", "0123abcd", "page=2"],
    [
      "a ping address",
      "https://hc.example/ping/01234567-89ab-cdef-0123-456789abcdef/start",
      "89ab",
      "/start",
    ],
    ["a private key without its beginning", "AAAA\nBBBB\n-----END PRIVATE KEY-----\nok", "BBBB", "ok"],
    ["a value in an encoded address", "x?q=password%3Dhunter22 ok", "hunter22", "ok"],
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
    'used 12,345 tokens; tokens: 12.3k, "max_tokens": 4096',
    "image sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "session 123e4567-e89b-12d3-a456-426614174000 of /home/me/.local/share/task-runner-service/queue",
    "cmVwb3J0OiBhbGwgaXMgd2VsbCwgbm90aGluZyB0byBkbw==",
    "basic functionality works; the bearer of bad news; the login form and the password field",
    "npm_config_user_agent and the constraint pk_users_organization_id",
    "docker run -u 1000:1000 debian; git push -u origin main:main",
    "glass-half-full-of-something, pypi-publish-to-the-registry, disk-usage-of-all-volumes",
    "[2026-04-01 06:00:00] 12:34:56 INFO worker-3: done in 1.5s (80%)",
  ])("leaves alone: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  const RUNS = { numRuns: 20 };
  const word = fc.stringMatching(/^[a-z]{1,12}$/);
  /** No ten characters of a secret may stay, wherever its rows end. */
  const expectGone = (clean: string, secret: string) => {
    const rest = clean.replaceAll("\n", "");
    const pieces = Array.from({ length: secret.length - 9 }, (_, at) => secret.slice(at, at + 10));
    expect(pieces.filter((piece) => rest.includes(piece))).toEqual([]);
  };
  const folded = (text: string, width: number) =>
    text.match(new RegExp(`.{1,${width}}`, "gs"))?.join("\n") ?? "";
  const escaped = (text: string, depth: number): string =>
    depth === 0 ? text : escaped(JSON.stringify(text), depth - 1);

  it.each(Object.entries(TOKEN_SHAPES))("takes out tokens of %s, also wrapped or escaped", (_, shape) => {
    const token = fc.stringMatching(new RegExp(`^(?:${shape})$`)).filter(({ length }) => length <= 500);
    fc.assert(
      fc.property(token, fc.array(word), fc.integer({ min: 40, max: 200 }), (secret, words, width) => {
        const text = [...words, secret, "and more"].join(" ");
        expectGone(redact(text), secret);
        expectGone(redact(`first row\n${folded(text, width)}\nlast row`), secret);
        for (const depth of [1, 2, 3]) expectGone(redact(escaped(`words\n${secret}\n`, depth)), secret);
      }),
      RUNS,
    );
  });

  it("takes out a value by its name, also wrapped or escaped", () => {
    const name = fc.constantFrom("password", "DB_PASSWORD", "accessToken", "api-key", "client_secret");
    const width = fc.integer({ min: 40, max: 200 });
    fc.assert(
      fc.property(name, fc.string(), fc.integer({ min: 0, max: 3 }), width, (key, odd, depth, columns) => {
        const [head, tail] = ["H34d0fS3cr3t", "T41l0fS3cr3t"];
        const json = escaped(JSON.stringify({ a: 1, [key]: `${head}${odd}${tail}` }), depth);
        for (const text of [json, folded(`some words ${json}`, columns)]) {
          const clean = redact(text).replaceAll("\n", "");
          expect(clean).not.toContain(head);
          expect(clean).not.toContain(tail);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("leaves rows alone that no secret crosses", () => {
    const row = "x".repeat(80);
    const secret = S("ghp", "_0123456789abcdefABCDEF");
    const text = [row, `${"y".repeat(70)} ${secret.slice(0, 9)}`, `${secret.slice(9)} z`, row, row, "end"];
    expect(redact(text.join("\n"))).toBe([row, `${"y".repeat(70)} [redacted] z`, row, row, "end"].join("\n"));
  });

  it("leaves ordinary output alone", () => {
    const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
    const piece = fc.oneof(
      word,
      hex(7),
      hex(40),
      hex(64),
      fc.uuid(),
      fc.array(word, { minLength: 1 }).map((words) => `/${words.join("/")}`),
      fc.base64String({ minLength: 8, maxLength: 60 }).map((text) => `"${text}"`),
      fc.ipV4(),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = folded(pieces.join(" "), 80);
        expect(redact(text)).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  it("is quick on hostile text, and does nothing to what it has done", () => {
    for (const unit of [
      "token",
      "a_",
      "--token ",
      "https://a",
      "eyJ",
      "eyJ-",
      'password="\\',
      "-----BEGIN PRIVATE KEY-----",
      "x-",
      "1:",
      "curl -u ",
      "curl \\",
      "machine a ",
      "AAAA\n",
      "-----END PRIVATE KEY-----",
      '\\"password\\":\\"\\',
      "bearer a",
      "\\\\",
      `${"a".repeat(79)}\n`,
      "://",
      "?key=",
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
