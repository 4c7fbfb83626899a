import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
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
