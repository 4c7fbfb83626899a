import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { homeAt } from "../home/home.ts";
import { ask } from "./client.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const home = homeAt("/nowhere");

it("a watcher that does not answer in time is a sentence with a code", async () => {
  const url = await serve(() => {});
  await expect(ask(home, url, "GET", "/", undefined, 1000)).rejects.toMatchObject({
    code: "no-answer",
    message: `the watcher at ${url} did not answer within 1 s`,
  });
});

it("a watcher that dies before it answers is another", async () => {
  const url = await serve((request) => request.socket.destroy());
  await expect(ask(home, url, "GET", "/")).rejects.toMatchObject({
    code: "no-answer",
    message: `the watcher at ${url} stopped before it answered`,
  });
});

it("without a limit it is waited for", async () => {
  const url = await serve((_, response) => setTimeout(() => response.end('{"ok":true}'), 300));
  expect(await ask(home, url, "GET", "/", undefined, 0)).toEqual({ ok: true });
});
