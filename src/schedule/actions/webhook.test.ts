import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ActionScheduler } from "../engine/action-scheduler.ts";
import { memoryActionStore } from "../engine/memory-store.ts";
import { webhookAction } from "./webhook.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Asked {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const asked: Asked[] = [];
let answer: Answer = () => {};
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    asked.push({ method: request.method, path: request.url, headers: request.headers, body });
    answer(request, response);
  });
});
let host = "";
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  asked.length = 0;
  vi.unstubAllEnvs();
});

/** Calls the address as the daemon does, and gives what is recorded and what is said. */
async function call(answering: Answer, more: { timeout?: number; tokenEnv?: string; url?: string } = {}) {
  answer = answering;
  const said: string[] = [];
  const scheduler = new ActionScheduler({
    store: memoryActionStore(({ text }) => said.push(text)),
    log: silent,
  });
  const { timeout = 20_000, tokenEnv, url = `http://${host}/wake?key=hidden` } = more;
  scheduler.add(webhookAction("mine", { url, tokenEnv }), { cron: "0 0 1 1 *" }, { timeout });
  await scheduler.start();
  const { outcome, problem, metadata, dueAt } = await scheduler.run("mine");
  await scheduler.stop();
  return { outcome, problem, metadata, dueAt, said };
}

const reply =
  (status: number, body = ""): Answer =>
  (_, response) =>
    void response.writeHead(status).end(body);

describe("a webhook that answers", () => {
  it.each([
    ["204: quiet", 204, "", []],
    ["200 with nothing: quiet", 200, " \n", []],
    ["a page for people: quiet", 200, "<h1>OK</h1>", []],
    ["JSON that is no result: quiet", 200, '{"ok": true}', []],
    ["null: quiet", 200, "null", []],
    ["a result that does not notify: quiet", 200, '{"shouldNotify": false, "message": "no"}', []],
    ["a result: told", 200, '{"shouldNotify": true, "message": "Found 3"}', ["Found 3"]],
  ])("%s", async (_, status, body, said) => {
    expect(await call(reply(status, body))).toMatchObject({ outcome: "done", said });
  });

  it("hears which action it is, for which instant, and under which key", async () => {
    const { dueAt } = await call(reply(204));
    expect(asked).toHaveLength(1);
    const [{ method, headers, body } = {} as Asked] = asked;
    expect(method).toBe("POST");
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "idempotency-key": `action:mine:${dueAt}`,
    });
    expect(headers.authorization).toBeUndefined();
    expect(JSON.parse(body)).toEqual({ version: 1, action: "mine", dueAt: new Date(dueAt).toISOString() });
  });

  it("gets the token that the variable holds", async () => {
    vi.stubEnv("WAKE_TOKEN", "s3cret\n");
    await call(reply(204), { tokenEnv: "WAKE_TOKEN" });
    expect(asked[0]?.headers.authorization).toBe("Bearer s3cret");
  });
});

describe("a webhook fails", () => {
  it.each([
    ["on 500", reply(500, "a long story"), "HOST answered 500"],
    ["on 404", reply(404), "HOST answered 404"],
    [
      "on 500 with a body that never ends",
      (_: unknown, response: ServerResponse) => void response.writeHead(500).write("x"),
      "HOST answered 500",
    ],
    [
      "on a reply that is too long",
      (_: unknown, response: ServerResponse) => {
        const more = () => {
          while (response.write("x".repeat(10_000)));
        };
        response.on("drain", more);
        more();
      },
      "the reply of HOST is longer than 65536 characters",
    ],
    [
      "when the connection breaks off",
      (_: unknown, response: ServerResponse) => void response.destroy(),
      "HOST cannot be reached (ECONNRESET)",
    ],
    [
      "when the reply breaks off",
      (_: unknown, response: ServerResponse) =>
        void response.writeHead(200, { "content-length": "50" }).write("{", () => response.destroy()),
      "HOST cannot be reached (ECONNRESET)",
    ],
  ] satisfies [string, Answer, string][])("%s", async (_, answering, problem) => {
    const ran = await call(answering);
    expect(ran).toMatchObject({ outcome: "failed", problem: problem.replace("HOST", host), said: [] });
  });

  it("when it is sent elsewhere, and goes nowhere else with its token", async () => {
    vi.stubEnv("WAKE_TOKEN", "s3cret");
    const ran = await call((_, response) => void response.writeHead(307, { location: "/elsewhere" }).end(), {
      tokenEnv: "WAKE_TOKEN",
    });
    expect(ran).toMatchObject({ outcome: "failed", problem: `${host} answered 307` });
    expect(asked.map(({ path }) => path)).toEqual(["/wake?key=hidden"]);
  });

  it("when nobody listens, and does not show the query", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    await new Promise((done) => other.close(done));
    const ran = await call(reply(204), { url: `http://127.0.0.1:${port}/?key=hidden` });
    expect(ran).toMatchObject({
      outcome: "failed",
      problem: `127.0.0.1:${port} cannot be reached (ECONNREFUSED)`,
    });
  });

  it("without the token that it needs, and calls nobody", async () => {
    vi.stubEnv("WAKE_TOKEN", "");
    const ran = await call(reply(204), { tokenEnv: "WAKE_TOKEN" });
    expect(ran).toMatchObject({ outcome: "failed", problem: "the variable WAKE_TOKEN holds no token" });
    expect(asked).toEqual([]);
  });

  it("with a token that cannot be sent, and does not show it", async () => {
    vi.stubEnv("WAKE_TOKEN", "s3\ncret");
    const ran = await call(reply(204), { tokenEnv: "WAKE_TOKEN" });
    expect(ran).toMatchObject({ outcome: "failed", problem: "the variable WAKE_TOKEN holds no token" });
  });
});

describe("a webhook that hangs is given up when its time is over", () => {
  it.each<[string, Answer]>([
    ["before it answers", () => {}],
    ["in the middle of its reply", (_, response) => void response.writeHead(200).write("{")],
  ])("%s", async (_, answering) => {
    let closed: Promise<unknown> = Promise.reject(new Error("nobody called"));
    closed.catch(() => {});
    const ran = await call(
      (request, response) => {
        closed = once(response, "close");
        answering(request, response);
      },
      { timeout: 1000 },
    );
    expect(ran).toMatchObject({ outcome: "timed-out", problem: "it took longer than 1 s", said: [] });
    await closed;
  });
});
