import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { lookAt } from "../kit/signals.fixture.ts";
import { httpSettings, httpSignal } from "./index.ts";

async function serve(
  answer: RequestListener,
  port = 0,
): Promise<{ port: number; stop: () => Promise<void> }> {
  const server: Server = createServer(answer).listen(port, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  onTestFinished(stop);
  return { port: (server.address() as AddressInfo).port, stop };
}

const answering =
  (status: () => number): RequestListener =>
  (_, response) => {
    response.statusCode = status();
    response.end("body");
  };

const signalAt = (port: number, more: object = {}, memory?: unknown) =>
  httpSignal(httpSettings.parse({ url: `http://127.0.0.1:${port}/health`, ...more }), memory);

test("an address that answers is present, once", async () => {
  const { port } = await serve(answering(() => 204));
  const signal = signalAt(port);
  expect(await signal.look(lookAt(1))).toEqual([{ kind: "present", signal: "http", at: 1 }]);
  expect(await signal.look(lookAt(2))).toEqual([]);
  expect(await signal.look(lookAt(3, { fresh: true }))).toMatchObject([{ kind: "present", at: 3 }]);
});

test("a wrong status is a doubt at first and an end the second time, and a good answer ends both", async () => {
  let status = 200;
  const { port } = await serve(answering(() => status));
  const signal = signalAt(port);
  await signal.look(lookAt(1));
  status = 503;
  expect(await signal.look(lookAt(2))).toEqual([
    {
      kind: "degraded",
      signal: "http",
      at: 2,
      problem: `http://127.0.0.1:${port}/health answered 503`,
    },
  ]);
  expect(await signal.look(lookAt(3))).toEqual([
    { kind: "gone", signal: "http", at: 1, seenAt: 3, clean: false, exit: "answered 503" },
  ]);
  expect(await signal.look(lookAt(4))).toEqual([]);
  status = 200;
  expect(await signal.look(lookAt(5))).toMatchObject([{ kind: "present", at: 5 }]);
});

test("one failure between good answers is a doubt and no end", async () => {
  let status = 200;
  const { port } = await serve(answering(() => status));
  const signal = signalAt(port);
  const kinds: string[] = [];
  for (const [now, next] of [200, 500, 200, 500, 200].entries()) {
    status = next;
    kinds.push(...(await signal.look(lookAt(now))).map(({ kind }) => kind));
  }
  expect(kinds).toEqual(["present", "degraded", "present", "degraded", "present"]);
});

test("nobody who listens does not answer, and comes back when somebody does", async () => {
  const first = await serve(answering(() => 200));
  const signal = signalAt(first.port);
  await signal.look(lookAt(1));
  await first.stop();
  expect(await signal.look(lookAt(2))).toMatchObject([{ kind: "degraded" }]);
  expect(await signal.look(lookAt(3))).toMatchObject([
    { kind: "gone", at: 1, exit: "does not answer (ECONNREFUSED)" },
  ]);
  // Another watcher that remembers it says so at once.
  const after = signalAt(first.port, {}, JSON.parse(JSON.stringify(signal.memory?.())));
  expect(await after.look(lookAt(4, { fresh: true }))).toMatchObject([{ kind: "gone", at: 1, seenAt: 4 }]);
  await serve(
    answering(() => 200),
    first.port,
  );
  expect(await signal.look(lookAt(5))).toMatchObject([{ kind: "present" }]);
});

test("a server that hangs does not answer in time", async () => {
  const { port } = await serve(() => {});
  const signal = signalAt(port, { timeoutMs: 50 });
  expect(await signal.look(lookAt(1))).toMatchObject([
    { kind: "degraded", problem: expect.stringContaining("no answer within 50 ms") },
  ]);
});

test("a look that is ended before its time proves nothing, however often", async () => {
  const { port } = await serve(() => {});
  const signal = signalAt(port);
  for (const now of [1, 2, 3]) {
    const abort = new AbortController();
    const looking = signal.look(lookAt(now, { abort: abort.signal }));
    abort.abort();
    const facts = await looking;
    expect(facts.every(({ kind }) => kind === "degraded")).toBe(true);
  }
});

test("a redirection is an answer and is not followed; which answers are good can be set", async () => {
  const { port } = await serve((_, response) => {
    response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
  });
  expect(await signalAt(port).look(lookAt(1))).toMatchObject([{ kind: "present" }]);
  expect(await signalAt(port, { expect: 200 }).look(lookAt(1))).toMatchObject([{ kind: "degraded" }]);
});

test("names, passwords and queries are sent, but never told", async () => {
  let heard = "";
  const { port } = await serve((request, response) => {
    heard = `${request.headers.authorization} ${request.url}`;
    response.writeHead(401).end();
  });
  const url = `http://user:pa55@127.0.0.1:${port}/health?key=s3cret`;
  const signal = httpSignal(httpSettings.parse({ url }));
  const facts = [...(await signal.look(lookAt(1))), ...(await signal.look(lookAt(2)))];
  expect(facts).toHaveLength(2);
  expect(JSON.stringify([facts, signal.memory?.()])).not.toMatch(/pa55|s3cret|user/);
  expect(heard).toBe(`Basic ${Buffer.from("user:pa55").toString("base64")} /health?key=s3cret`);
});

test.each([
  { value: { url: "ftp://x" }, says: "an address such as http://" },
  { value: { url: "http://x", expect: "2xx" }, says: "a range such as 200-299" },
  { value: { url: "http://x", expect: "299-200" }, says: "a range such as 200-299" },
  { value: { url: "http://x", method: "DELETE" }, says: "GET, HEAD, POST or OPTIONS" },
  { value: { url: "http://x", timeoutMs: 0 }, says: "milliseconds" },
])("$value is refused, with what would be right", ({ value, says }) => {
  const { error } = httpSettings.safeParse(value);
  expect(error?.issues.map(({ message }) => message).join()).toContain(says);
});
