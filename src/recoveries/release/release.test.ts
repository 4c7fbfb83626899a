import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Release } from "../../core/recovery/ladder.ts";
import { NEVER, targetOf, temporaryFolder } from "../kit/recovery.fixture.ts";
import { release } from "./release.ts";

const orphan = () => targetOf({ key: "allegro-1:0:release", aim: { state: "dead", reason: "orphan" } });

function act(how: Release, abort: AbortSignal = NEVER, home = temporaryFolder()) {
  return release(how, { home }).act(orphan(), abort);
}

/** A far side that answers with this, and remembers what it was asked. */
async function farSide(status: number, headers: Record<string, string> = {}) {
  const asked: { body: unknown; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    asked.push({ body: JSON.parse(Buffer.concat(chunks).toString()), headers: request.headers });
    if (status === 0) return;
    response.writeHead(status, headers).end("x".repeat(100_000));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/release?token=s3cret`;
  return { url, asked, server };
}

describe("a release by command", () => {
  test("is told whose work is free, and done when the command says so", async () => {
    const home = temporaryFolder();
    const command = 'echo "$ROLLCALL_AGENT $ROLLCALL_REASON"';
    expect(await act({ by: "command", command }, NEVER, home)).toMatchObject({ outcome: "done" });
    expect(readFileSync(join(home, "logs", "allegro.release.log"), "utf8")).toBe("allegro orphan\n");
  });

  test("that fails has failed", async () => {
    const acted = await act({ by: "command", command: "exit 7" });
    expect(acted).toMatchObject({ outcome: "failed", problem: expect.stringContaining("exit 7") });
  });

  test("that does not end is killed when its time is over", async () => {
    const abort = new AbortController();
    const acting = act({ by: "command", command: ["sleep", "600"] }, abort.signal);
    abort.abort();
    expect(await acting).toMatchObject({ outcome: "failed", problem: expect.stringContaining("killed") });
  });
});

describe("a release by webhook", () => {
  test("says whose work is free, under a key", async () => {
    const { url, asked } = await farSide(200);
    expect(await act({ by: "webhook", url })).toEqual({ outcome: "done", note: "the webhook answered 200" });
    expect(asked).toMatchObject([
      {
        headers: { "idempotency-key": "allegro-1:0:release", "content-type": "application/json" },
        body: { event: "release", agent: "allegro", incident: "allegro-1", state: "dead", reason: "orphan" },
      },
    ]);
  });

  test.each([
    [500, {}],
    [404, {}],
    [302, { location: "http://127.0.0.1:1/elsewhere" }],
  ])("that answers %i has failed, and its address is not said", async (status, headers) => {
    const { url } = await farSide(status, headers);
    const acted = await act({ by: "webhook", url });
    expect(acted).toEqual({ outcome: "failed", problem: `the webhook answered ${status}` });
  });

  test("that does not answer is given up", async () => {
    const { url, asked } = await farSide(0);
    const abort = new AbortController();
    const acting = act({ by: "webhook", url }, abort.signal);
    while (asked.length === 0) await new Promise((done) => setImmediate(done));
    abort.abort();
    expect(await acting).toEqual({ outcome: "failed", problem: "the webhook did not answer (time-out)" });
  });

  test("that is not there has failed, and its address is not said", async () => {
    const { url, server } = await farSide(200);
    await new Promise((done) => server.close(done));
    expect(await act({ by: "webhook", url })).toEqual({
      outcome: "failed",
      problem: "the webhook did not answer (ECONNREFUSED)",
    });
  });
});
