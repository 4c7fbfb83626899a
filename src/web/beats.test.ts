import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { Beat } from "../core/beat.ts";
import { postBeats, simpleBeat } from "./beats.ts";

let stop: () => void = () => {};
afterEach(() => stop());

test("a beat whose commit hangs gets 503 and when to come again, and its late commit harms nothing", async () => {
  let commit: () => void = () => {};
  const committed = new Promise<void>((done) => {
    commit = done;
  });
  const intake = { accept: () => committed, now: Date.now, newId: () => "id", patience: 20 };
  const server = createServer((request, response) => {
    if (request.url === "/api/v1/beats") postBeats(intake, request, response);
    else simpleBeat(intake, "a", new URLSearchParams(), request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  stop = () => server.close();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers = await Promise.all([
    fetch(`${url}/beat/a`),
    fetch(`${url}/api/v1/beats`, { method: "POST", body: JSON.stringify({ agent: "a" }) }),
  ]);
  for (const answer of answers) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await answer.json()).toMatchObject({
      code: "cannot-store",
      detail: expect.stringContaining("may still be stored"),
    });
  }
  commit();
  await committed;
  expect((await fetch(`${url}/beat/a`)).status).toBe(200);
});

test("a body that says it is JSON tells the fields of a beat, and any other body its message", async () => {
  const beats: Beat[] = [];
  const accept = async (some: readonly Beat[]) => void beats.push(...some);
  const intake = { accept, now: Date.now, newId: () => "id" };
  const server = createServer((request, response) =>
    simpleBeat(intake, "a", new URLSearchParams("cycle=7"), request, response),
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  stop = () => server.close();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/beat/a`;
  const post = (body: string, type = "application/json; charset=utf-8") =>
    fetch(url, { method: "POST", body, headers: { "content-type": type } });
  expect((await post('{"status":"error","action":"sync"}')).status).toBe(200);
  expect((await post('{"status":"error"}', "text/plain")).status).toBe(200);
  expect(beats).toMatchObject([
    { agent: "a", status: "error", action: "sync", cycle: 7 },
    { agent: "a", status: "ok", message: '{"status":"error"}' },
  ]);
  for (const [body, detail] of [
    ["{bad", "not valid JSON"],
    ["[1]", "the fields of one beat"],
    ['{"agent":"b"}', 'the path names the agent "a"'],
    ['{"status":"bad"}', "status"],
  ] as const) {
    const refused = await post(body);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ detail: expect.stringContaining(detail) });
  }
  expect(beats).toHaveLength(2);
});
