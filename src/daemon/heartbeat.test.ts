import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { Beat } from "../core/beat.ts";
import { Heartbeat } from "./heartbeat.ts";

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

/** Another watcher that hears our pings. */
async function outside(): Promise<{ url: string; heard: string[]; pinged: () => Promise<unknown> }> {
  const heard: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    heard.push(body);
    response.end();
    server.emit("pinged");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, heard, pinged: () => once(server, "pinged") };
}

it("the outside ping goes out at its own pace, ends when the pipeline does, and comes again with it", async () => {
  const { url, heard, pinged } = await outside();
  const beats: Beat[] = [];
  let broken: string | undefined;
  let looks = 0;
  let looked: () => void = () => {};
  const heartbeat = new Heartbeat({
    config: { every: 3_600_000, grace: 300_000, ping: url },
    incarnation: { pid: 1, startTime: "1", bootId: "boot" },
    accept: async (all) => void beats.push(...all),
    trouble: () => undefined,
    broken: () => {
      looks += 1;
      looked();
      return broken;
    },
    pingEvery: 20,
    log: SILENT,
  });
  onTestFinished(() => heartbeat.stop());
  await heartbeat.start();
  expect(heard).toHaveLength(1);
  await pinged();
  await pinged();
  expect(beats).toHaveLength(1);
  broken = "nothing can be stored";
  await new Promise<void>((done) => {
    const from = looks;
    looked = () => (looks > from + 5 ? done() : undefined);
  });
  const before = heard.length;
  await new Promise<void>((done) => {
    const from = looks;
    looked = () => (looks > from + 5 ? done() : undefined);
  });
  expect(heard.length).toBe(before);
  broken = undefined;
  await pinged();
});
