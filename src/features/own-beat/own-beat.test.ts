import { EventEmitter, on, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { Beat } from "../../core/beat.ts";
import { Heartbeat, type HeartbeatOptions } from "./own-beat.ts";

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

const NO_SECRETS = {
  env: {},
  readFile: () => Promise.reject(Object.assign(new Error("no"), { code: "ENOENT" })),
};

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
    means: NO_SECRETS,
    log: SILENT,
  });
  onTestFinished(() => heartbeat.stop());
  const first = pinged();
  await heartbeat.start();
  await first;
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

/** A heartbeat that tells a chat; `stored` is told of each beat and `warned` of each warning. */
function telling(telegram: object, means: HeartbeatOptions["means"], every = 3_600_000) {
  const events = new EventEmitter();
  const heartbeat = new Heartbeat({
    config: { every, grace: 300_000, telegram: { chat: 1, tokenEnv: "T", url: "", ...telegram } },
    incarnation: { pid: 1, startTime: "1", bootId: "boot" },
    accept: async (beats) => void events.emit("stored", beats),
    trouble: () => undefined,
    broken: () => undefined,
    means,
    log: { ...SILENT, warn: (facts) => void events.emit("warned", facts) },
  });
  onTestFinished(() => heartbeat.stop());
  return { heartbeat, events };
}

it("a token file that is missing is a warning of each beat, and ends nothing", async () => {
  const { heartbeat, events } = telling({ tokenFile: "/nope" }, NO_SECRETS, 5);
  const warned = on(events, "warned");
  await heartbeat.start();
  for (let n = 0; n < 3; n++) {
    const { value } = await warned.next();
    expect(value).toEqual([{ problem: "/nope cannot be read (ENOENT): put the secret into this file" }]);
  }
});

it("a chat that never answers delays neither the start nor the next beat", async () => {
  const silent = createServer(() => {});
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { heartbeat, events } = telling({ url }, { ...NO_SECRETS, env: { T: "1:a" } }, 5);
  const stored = on(events, "stored");
  const asked = once(silent, "request");
  await heartbeat.start();
  await asked;
  // The limit for one answer is 10 s: three beats come before any chat has answered.
  for (let n = 0; n < 3; n++) await stored.next();
  expect(silent.listening).toBe(true);
});

it("another pace beats at once, and then at that pace", async () => {
  const { heartbeat, events } = telling({ tokenFile: "/nope" }, NO_SECRETS);
  await heartbeat.start();
  const stored = on(events, "stored");
  heartbeat.configure({ every: 5, grace: 300_000 });
  for (let n = 0; n < 3; n++) await stored.next();
});
