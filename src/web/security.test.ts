import { mkdirSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ask, HOME_TOKEN, madeUpWeb } from "../../test/made-up-web.ts";

const NASTY = "\u001b]0;owned\u0007\u001b[2J<script>alert(1)</script>\"'&\u202e\0";

/** Opens a connection and sends something, or nothing. It is closed with the test. */
function open(url: string, text = ""): Promise<Socket> {
  const { port, hostname } = new URL(url);
  return new Promise((done, failed) => {
    const socket = connect(Number(port), hostname, () => {
      if (text !== "") socket.write(text);
      done(socket);
    });
    socket.on("error", failed);
    onTestFinished(() => void socket.destroy());
  });
}

/** Everything that a connection says until it ends. */
function saidBy(socket: Socket): Promise<string> {
  return new Promise((done) => {
    let said = "";
    socket.on("data", (chunk) => {
      said += String(chunk);
    });
    socket.on("close", () => done(said));
    socket.on("error", () => done(said));
  });
}

describe("a web page of somebody else", () => {
  it.each([
    ["a name that was made to point here", { host: "evil.example" }],
    ["a page of another site", { "sec-fetch-site": "cross-site" }],
    ["a page of another origin", { origin: "https://evil.example" }],
    ["a page without an origin", { origin: "null" }],
  ])("%s can neither read nor beat nor change, even with the token", async (_, headers) => {
    const { url } = await madeUpWeb();
    for (const [path, method] of [
      ["/api/v1/agents", "GET"],
      ["/api/v1/beats", "POST"],
      ["/beat/allegro", "GET"],
      ["/api/v1/agents", "POST"],
      ["/api/v1/session", "POST"],
      ["/api/v1/events", "GET"],
      ["/metrics", "GET"],
      ["/", "GET"],
    ]) {
      const said = await ask(`${url}${path}`, {
        method: String(method),
        headers,
        token: HOME_TOKEN,
        body: "{}",
      });
      expect(said).toMatchObject({ status: 403, json: { code: "not-allowed" } });
    }
  });
});

describe("ways out of the folder of pages", () => {
  it.each([
    "/../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/assets/..%5c..%5csecret.txt",
    "/assets/%2e%2e/%2e%2e/secret.txt",
    "//etc/passwd.txt",
    "/.hidden.txt",
    "/secret.txt%00.js",
    "/%",
    "/assets",
  ])("%s leads nowhere", async (path) => {
    const { url, pages } = await madeUpWeb();
    mkdirSync(join(pages, "assets"));
    writeFileSync(join(pages, ".hidden.txt"), "TREASURE");
    writeFileSync(join(pages, "..", "secret.txt"), "TREASURE");
    const said = await ask(url, { path });
    expect(said.body).not.toContain("TREASURE");
    expect(said.body).not.toContain("root:");
    expect([200, 404]).toContain(said.status);
  });
});

describe("senders that hold us up", () => {
  it("a thousand connections that say nothing do not stop a beat", async () => {
    const { url } = await madeUpWeb();
    await Promise.all(Array.from({ length: 1000 }, () => open(url)));
    expect((await ask(`${url}/beat/allegro`)).status).toBe(200);
  });

  it("who says nothing, or only half, is shown the door", async () => {
    const { url } = await madeUpWeb({ limits: { headers: 100, request: 200, connections: 100 } });
    const post = "POST /api/v1/beats HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{";
    const ping = "POST /ping/abc/def HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{";
    const said = await Promise.all(
      ["", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", post, ping].map(async (text) =>
        saidBy(await open(url, text)),
      ),
    );
    for (const answer of said.slice(1)) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect((await ask(`${url}/beat/allegro`)).status).toBe(200);
  });

  it("headers beyond measure are refused, and the next one is served", async () => {
    const { url } = await madeUpWeb();
    const socket = await open(
      url,
      `GET / HTTP/1.1\r\nHost: localhost\r\nX-Large: ${"x".repeat(20_000)}\r\n\r\n`,
    );
    expect(await saidBy(socket)).toMatch(/^HTTP\/1\.1 431 /);
    const garbled = await open(url, "\x16\x03\x01 what?\r\n\r\n");
    expect(await saidBy(garbled)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await ask(`${url}/beat/allegro`)).status).toBe(200);
  });

  it("a body beyond measure is refused, by its length and without one", async () => {
    const { url } = await madeUpWeb();
    const body = JSON.stringify({ id: "x".repeat(1024 * 1024) });
    for (const headers of [{ "content-length": String(body.length) }, { "transfer-encoding": "chunked" }]) {
      const said = await ask(`${url}/api/v1/agents`, {
        method: "POST",
        token: HOME_TOKEN,
        body,
        headers: { ...headers },
      });
      expect(said).toMatchObject({ status: 413, json: { code: "too-large" } });
    }
  });
});

describe("hostile text", () => {
  it("leaves as JSON that no browser takes for anything else, with every answer", async () => {
    const { url } = await madeUpWeb();
    const body = { agent: "allegro", action: NASTY, message: NASTY, host: NASTY, status: "error" };
    expect((await ask(`${url}/api/v1/beats`, { method: "POST", body })).status).toBe(204);
    await ask(`${url}/api/v1/silences`, {
      method: "POST",
      token: HOME_TOKEN,
      body: { agents: NASTY, for: "1h", why: NASTY, by: NASTY },
    });
    for (const path of [
      "/api/v1/agents",
      "/api/v1/agents/allegro",
      "/api/v1/agents/allegro/beats",
      "/api/v1/agents/allegro/flips",
      "/api/v1/silences",
      "/api/v1/incidents",
      `/api/v1/agents/${encodeURIComponent(NASTY)}`,
      `/${encodeURIComponent(NASTY)}.js`,
    ]) {
      const said = await ask(`${url}${path}`);
      expect(said.headers["content-type"]).toMatch(/^application\/(problem\+)?json$/);
      expect(said.headers["x-content-type-options"]).toBe("nosniff");
      expect(said.headers["content-security-policy"]).toContain("default-src 'none'");
      // JSON itself lets no control character through.
      expect(said.body).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    }
    expect((await ask(`${url}/api/v1/agents/allegro`)).json.agents[0]).toMatchObject({
      action: NASTY,
      message: NASTY,
    });
  });

  it("gets no script into a page, nor into the figures", async () => {
    const { url } = await madeUpWeb();
    const page = await ask(`${url}/`);
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain("unsafe");
    expect(page.body).not.toContain("<script");
    await ask(`${url}/api/v1/beats`, {
      method: "POST",
      body: { agent: "allegro", message: 'a"} 1\nfake_metric 1' },
    });
    expect((await ask(`${url}/metrics`)).body).not.toContain("fake_metric");
  });
});
