import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { askHttp } from "./http.ts";

afterEach(() => void vi.unstubAllEnvs());

async function serve(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const plain = async (listener: RequestListener) => `http://${await serve(createServer(listener))}`;

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  return text;
}

describe("an answer", () => {
  test("comes with its status, headers and body", async () => {
    const url = await plain(async (request, response) => {
      const { method, headers, url: path } = request;
      const seen = [method, path, headers["user-agent"], headers["x-a"], await textOf(request)];
      response.writeHead(201, { "x-b": "c" }).end(JSON.stringify(seen));
    });
    const asked = { url: `${url}/x?y=z`, method: "POST", headers: { "x-a": "b" }, body: "schön" };
    const answer = await askHttp({ ...asked, most: 1000 });
    expect(answer).toMatchObject({ status: 201, headers: { "x-b": "c" }, url: `${url}/x?y=z` });
    if ("failure" in answer) throw new Error(answer.failure);
    expect(JSON.parse(answer.body.toString())).toEqual(["POST", "/x?y=z", "rollcall", "b", "schön"]);
    expect(answer).not.toHaveProperty("cut");
  });

  test("that is too large is cut, and says so; one that fits exactly is whole", async () => {
    const url = await plain((_, response) => response.end("x".repeat(100_000)));
    const body = Buffer.from("x".repeat(1000));
    expect(await askHttp({ url, most: 1000 })).toMatchObject({ status: 200, body, cut: "too-large" });
    const whole = await askHttp({ url, most: 100_000 });
    expect(whole).toMatchObject({ status: 200 });
    expect(whole).not.toHaveProperty("cut");
  });

  test("of which only the status counts is not read to its end", async () => {
    const url = await plain((_, response) => void response.writeHead(503).write("and so on"));
    expect(await askHttp({ url, most: 0 })).toMatchObject({ status: 503 });
    const most = (status: number) => (status === 200 ? 1000 : 0);
    expect(await askHttp({ url, most })).toMatchObject({ status: 503 });
  });

  test("that breaks off has its status, and says what happened", async () => {
    const url = await plain((_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("half", () => response.destroy());
    });
    const body = Buffer.from("half");
    expect(await askHttp({ url, most: 1000 })).toMatchObject({ status: 200, body, cut: "ECONNRESET" });
  });
});

describe("no answer", () => {
  test.each<[string, RequestListener]>([
    ["that begins", () => {}],
    ["that ends", (_, response) => void response.writeHead(200).write("begun")],
  ])("%s within its time is a time-out, and the connection is closed", async (_, listener) => {
    let left: Promise<unknown> | undefined;
    const url = await plain((request, response) => {
      left = once(request.socket, "close");
      listener(request, response);
    });
    expect(await askHttp({ url, most: 1000, timeout: 200 })).toEqual({ failure: "timeout" });
    await left;
  });

  test("is not waited for once the far side falls silent", async () => {
    const url = await plain((_, response) => void response.writeHead(200).write("begun"));
    expect(await askHttp({ url, most: 1000, silence: 100 })).toEqual({ failure: "timeout" });
  });

  test("is not waited for after an abort, and nothing is begun then", async () => {
    const asked: unknown[] = [];
    const abort = new AbortController();
    const url = await plain(() => {
      asked.push(1);
      abort.abort();
    });
    expect(await askHttp({ url, most: 0, abort: abort.signal })).toEqual({ failure: "aborted" });
    expect(await askHttp({ url, most: 0, abort: abort.signal })).toEqual({ failure: "aborted" });
    expect(asked).toHaveLength(1);
  });

  test("from where nobody listens means that nothing was sent", async () => {
    const server = createServer();
    const address = await serve(server);
    await new Promise((done) => server.close(done));
    expect(await askHttp({ url: `http://${address}`, most: 0 })).toEqual({
      failure: "ECONNREFUSED",
      unsent: true,
    });
  });

  test.each([
    ["an address that is none", { url: "http://[/bots3cret/send" }],
    ["an address of another kind", { url: "ftp://host/bots3cret/send" }],
    ["a header that cannot be sent", { url: "http://127.0.0.1:1/", headers: { authorization: "s3\ncret" } }],
    ["somebody who is not there", { url: "http://127.0.0.1:1/bots3cret/send?key=s3cret" }],
  ])("to %s tells no secret", async (_, asked) => {
    const answer = await askHttp({ ...asked, most: 0 });
    expect(answer).toHaveProperty("failure", expect.stringMatching(/^[A-Z_]+$/));
    expect(JSON.stringify(answer)).not.toContain("cret");
  });
});

describe("a redirection", () => {
  const moving = (status: number) =>
    plain(async (request, response) => {
      if (request.url === "/circle") return void response.writeHead(status, { location: "/circle" }).end();
      if (request.url === "/") return void response.writeHead(status, { location: "/there" }).end();
      response.end(`${request.method} ${request.url} ${await textOf(request)}`);
    });

  test("is an answer unless it is followed", async () => {
    const url = await moving(307);
    expect(await askHttp({ url, most: 100 })).toMatchObject({ status: 307, headers: { location: "/there" } });
  });

  test.each([
    [301, "GET /there "],
    [303, "GET /there "],
    [307, "POST /there text"],
    [308, "POST /there text"],
  ])("by %i is followed as %s", async (status, said) => {
    const url = await moving(status);
    const answer = await askHttp({ url, method: "POST", body: "text", most: 100, follow: true });
    expect(answer).toMatchObject({ status: 200, url: `${url}/there`, body: Buffer.from(said) });
  });

  test("in a circle ends as what it is", async () => {
    const url = await moving(302);
    expect(await askHttp({ url: `${url}/circle`, most: 0, follow: true })).toMatchObject({ status: 302 });
  });
});

describe("through a proxy", () => {
  /** A proxy that leads every name to one server, and keeps what it was asked. */
  async function proxyTo(address: string, status = 200) {
    const asked: { line: string; authorization: string | undefined }[] = [];
    const keep = ({ method, url, headers }: IncomingMessage) =>
      asked.push({ line: `${method} ${url}`, authorization: headers["proxy-authorization"] });
    const server = createServer((request, response) => {
      keep(request);
      response.end(`${request.headers.host} ${request.headers.authorization}`);
    });
    server.on("connect", (request: IncomingMessage, socket) => {
      keep(request);
      if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      const [host, port] = address.split(":");
      const far = connect(Number(port), host, () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      far.on("error", () => socket.destroy());
      socket.on("error", () => far.destroy());
      socket.pipe(far).pipe(socket);
    });
    return { asked, proxy: await serve(server) };
  }

  test("a plain address is asked for whole, and only the proxy gets its password", async () => {
    const { asked, proxy } = await proxyTo("");
    vi.stubEnv("HTTP_PROXY", `http://user:p%40ss@${proxy}`);
    const answer = await askHttp({ url: "http://me:own@far.example:81/x?y=z#part", most: 100 });
    const own = `Basic ${Buffer.from("me:own").toString("base64")}`;
    expect(answer).toMatchObject({ status: 200, body: Buffer.from(`far.example:81 ${own}`) });
    const authorization = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;
    expect(asked).toEqual([{ line: "GET http://far.example:81/x?y=z", authorization }]);
  });

  test("what goes direct does not pass it", async () => {
    const { asked, proxy } = await proxyTo("");
    vi.stubEnv("HTTP_PROXY", `http://${proxy}`);
    const url = await plain((_, response) => response.end());
    expect(await askHttp({ url, most: 0 })).toMatchObject({ status: 200 });
    expect(await askHttp({ url: "http://far.invalid/", most: 0, direct: true })).toHaveProperty("failure");
    expect(asked).toEqual([]);
  });

  test("a refusal of the proxy is told without the address", async () => {
    const { proxy } = await proxyTo("", 407);
    vi.stubEnv("HTTPS_PROXY", proxy);
    const answer = await askHttp({ url: "https://far.example/bots3cret", most: 0 });
    expect(answer).toEqual({ failure: "the proxy answered 407" });
  });

  test("a proxy that says nothing is given up in time", async () => {
    const server = createServer().on("connect", () => {});
    vi.stubEnv("HTTPS_PROXY", await serve(server));
    const answer = await askHttp({ url: "https://far.example/", most: 0, timeout: 100 });
    expect(answer).toEqual({ failure: "timeout" });
  });

  test.skipIf(spawnSync("openssl", ["version"]).status !== 0)(
    "TLS is spoken with the far side itself, whose certificate counts (needs openssl)",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "rollcall-tls-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const [key, cert] = [join(folder, "key"), join(folder, "cert")];
      const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
      const name = ["-subj", "/CN=far.example", "-addext", "subjectAltName=DNS:far.example"];
      const made = ["req", "-x509", ...kind, "-keyout", key, "-out", cert, "-days", "2", ...name];
      execFileSync("openssl", made, { stdio: "ignore" });
      const secure = createSecureServer(
        { key: readFileSync(key), cert: readFileSync(cert) },
        (request, response) => response.end(`${request.method} ${request.url} ${request.headers.host}`),
      );
      const { asked, proxy } = await proxyTo(await serve(secure as Server));
      vi.stubEnv("HTTPS_PROXY", `http://user:pass@${proxy}`);
      const question = { url: "https://far.example/bots3cret", most: 100 };
      expect(await askHttp(question)).toEqual({ failure: "DEPTH_ZERO_SELF_SIGNED_CERT" });
      vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
      const body = Buffer.from("GET /bots3cret far.example");
      expect(await askHttp(question)).toMatchObject({ status: 200, body });
      const authorization = `Basic ${Buffer.from("user:pass").toString("base64")}`;
      expect(asked).toEqual([
        { line: "CONNECT far.example:443", authorization },
        { line: "CONNECT far.example:443", authorization },
      ]);
    },
  );
});
