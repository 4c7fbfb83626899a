import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { RawBeats } from "./access/raw-beats.ts";
import { type Door, openDoor } from "./door.ts";
import type { BeatAnswer } from "./kit/beat-answer.ts";

const log = { info() {}, warn() {}, error() {} };
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Taken {
  readonly request: RawBeats;
  readonly answer: BeatAnswer;
}

/** A door whose beats are answered at once, unless they shall wait or leave; node:http says what it read. */
async function opened(beats: "answered" | "waits" | "leaves" = "answered") {
  const taken: Taken[] = [];
  const door: Door = await openDoor(
    { host: "127.0.0.1", port: 0, log },
    (request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on("end", () => response.end(`http ${request.method} ${request.url} ${body}`));
    },
    (request, answer) => {
      taken.push({ request, answer });
      if (beats === "answered") answer.stored();
      if (beats === "leaves") request.leave();
    },
  );
  closing.push(() => door.stop());
  return { door, taken, port: Number(new URL(door.url).port) };
}

function dialled(port: number, options = {}): Socket {
  const socket = connect({ port, host: "127.0.0.1", ...options });
  closing.push(() => socket.destroy());
  return socket;
}

/** What the server says until the text is in it. */
async function heard(socket: Socket, text: string): Promise<string> {
  let said = "";
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    if (said.includes(text)) return said;
  }
  return said;
}

const BODY = '{"agent":"a"}';
const post = (more: readonly string[] = [], body = BODY, length = Buffer.byteLength(body)) =>
  ["POST /api/v1/beats HTTP/1.1", "Host: localhost", `Content-Length: ${length}`, ...more, "", body].join(
    "\r\n",
  );

describe("the lane takes", () => {
  test.each([
    ["a plain beat", post(), BODY],
    ["what a fetch sends", post(["Connection: keep-alive", "Accept: */*", "sec-fetch-mode: cors"]), BODY],
    ["text beyond ASCII", post([], '{"agent":"ä"}'), '{"agent":"ä"}'],
    ["a token", post(["authorization: Bearer abc"]), BODY],
  ])("%s", async (_, request, body) => {
    const { port, taken } = await opened();
    const socket = dialled(port);
    socket.write(request);
    expect(await heard(socket, "\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 204 No Content\r\nDate: .* GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n\r\n$/,
    );
    expect(taken.map(({ request }) => request.body)).toEqual([{ text: body }]);
    expect(taken[0]?.request.heads).toMatchObject({ host: "localhost", forwarded: false });
    expect(taken[0]?.request.heads.authorization).toBe(_ === "a token" ? "Bearer abc" : undefined);
  });

  test("one after the other on a connection", async () => {
    const { port, taken } = await opened();
    const socket = dialled(port);
    for (let i = 0; i < 3; i++) {
      socket.write(post());
      await heard(socket, "204");
    }
    expect(taken).toHaveLength(3);
  });

  test("one that is not UTF-8, and says so", async () => {
    const { port, taken } = await opened();
    const socket = dialled(port);
    socket.write(Buffer.concat([Buffer.from(post([], "", 1)), Buffer.from([0xff])]));
    await heard(socket, "204");
    expect(taken[0]?.request.body).toMatchObject({ refused: "bad-json" });
  });
});

describe("left to node:http, whole", () => {
  const odd = "http POST /api/v1/beats {";
  test.each([
    ["another address", post().replace("/api/v1/beats", "/beat/x"), "http POST /beat/x {"],
    ["a header that it does not know", post(["Via: 1.1 proxy"]), odd],
    [
      "a body in chunks",
      `${post(["Transfer-Encoding: chunked"], "").replace(/Content-Length.*\r\n/, "")}d\r\n${BODY}\r\n0\r\n\r\n`,
      odd,
    ],
    ["a connection to be closed", post(["Connection: close"]), odd],
    ["two requests at once", `${post()}${post()}`, `${odd}"agent":"a"}`],
  ])("%s", async (_, request, said) => {
    const { port, taken } = await opened();
    const socket = dialled(port);
    socket.write(request);
    expect(await heard(socket, said)).toContain(said);
    expect(taken).toEqual([]);
  });

  test.each([
    ["a length twice", post([`Content-Length: ${BODY.length + 1}`])],
    ["a length and chunks", post(["Transfer-Encoding: chunked"])],
    ["a header without a colon", post(["nonsense"])],
    ["a space before the colon", post().replace("Content-Length:", "Content-Length :")],
    ["a bare line feed in a header", post(["Accept: a\nX: b"])],
    ["no host", post().replace("Host: localhost\r\n", "")],
  ])("%s, which refuses it", async (_, request) => {
    const { port, taken } = await opened();
    const socket = dialled(port);
    socket.write(request);
    expect(await heard(socket, "\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    expect(taken).toEqual([]);
  });

  test("a request in pieces, after one that was not", async () => {
    const { port, taken } = await opened();
    const socket = dialled(port);
    socket.write(post());
    await heard(socket, "204");
    const [head, body] = [post().slice(0, 40), post().slice(40)];
    socket.write(head, () => setImmediate(() => socket.write(body)));
    expect(await heard(socket, BODY)).toContain(`http POST /api/v1/beats ${BODY}`);
    expect(taken).toHaveLength(1);
  });

  test("what comes before the answer, and answered after it", async () => {
    const { port, taken } = await opened("waits");
    const socket = dialled(port);
    socket.write(post());
    await expect.poll(() => taken.length).toBe(1);
    socket.write(post().replace("/api/v1/beats", "/beat/x"));
    await new Promise(setImmediate);
    taken[0]?.answer.stored();
    expect(await heard(socket, BODY)).toMatch(/^HTTP\/1\.1 204 [\s\S]*http POST \/beat\/x /);
  });
});

describe("a request that its taker leaves goes to node:http whole", () => {
  test("at once, with all that come after it", async () => {
    const { port, taken } = await opened("leaves");
    const socket = dialled(port);
    for (let i = 0; i < 2; i++) {
      socket.write(post());
      expect(await heard(socket, BODY)).toContain(`http POST /api/v1/beats ${BODY}`);
    }
    expect(taken).toHaveLength(1);
  });

  test("later, with what came meanwhile", async () => {
    const { port, taken } = await opened("waits");
    const socket = dialled(port);
    socket.write(post());
    await expect.poll(() => taken.length).toBe(1);
    const second = '{"agent":"b"}';
    socket.write(post([], second), () => setImmediate(() => taken[0]?.request.leave()));
    const said = await heard(socket, second);
    expect(said.indexOf(BODY)).toBeGreaterThan(0);
    expect(said.indexOf(second)).toBeGreaterThan(said.indexOf(BODY));
  });

  test("unless its sender has ended its half: then it must send it again", async () => {
    const { port, taken } = await opened("waits");
    const socket = dialled(port, { allowHalfOpen: true });
    socket.end(post());
    await expect.poll(() => taken[0]?.request.socket.readableEnded).toBe(true);
    taken[0]?.request.leave();
    expect(await heard(socket, "no end")).toMatch(
      /^HTTP\/1\.1 503 [\s\S]*Connection: close[\s\S]*send it again/,
    );
  });
});

test("a problem is told as node:http tells it", async () => {
  const { port, taken } = await opened("waits");
  const socket = dialled(port);
  socket.write(post());
  await expect.poll(() => taken.length).toBe(1);
  taken[0]?.answer.problem("cannot-store", "die Platte hängt", { retryAfter: 5000 });
  const said = await heard(socket, "}\n");
  expect(said).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
  expect(said).toContain("retry-after: 5\r\n");
  const [head = "", body = ""] = said.split("\r\n\r\n");
  expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`);
  expect(JSON.parse(body)).toMatchObject({ code: "cannot-store", detail: "die Platte hängt" });
});

test("who ends its half of the connection is answered, and then it is closed", async () => {
  const { port, taken } = await opened("waits");
  const socket = dialled(port, { allowHalfOpen: true });
  socket.end(post());
  await expect.poll(() => taken.length).toBe(1);
  await new Promise(setImmediate);
  taken[0]?.answer.stored();
  expect(await heard(socket, "never said")).toMatch(/^HTTP\/1\.1 204 /);
});

test("a door that stops answers who waits, closes who does not, and takes nothing new", async () => {
  const { door, port, taken } = await opened("waits");
  const [idle, busy] = [dialled(port), dialled(port)];
  const ended = new Promise((done) => idle.once("close", done));
  idle.on("error", () => {});
  idle.resume();
  busy.write(post());
  await expect.poll(() => taken.length).toBe(1);
  const stopped = door.stop();
  await ended;
  taken[0]?.answer.stored();
  expect(await heard(busy, "204")).toMatch(/^HTTP\/1\.1 204 /);
  await stopped;
});
