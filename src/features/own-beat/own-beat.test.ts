import { EventEmitter, on, once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { type Config, defaultConfig } from "../../config/load.ts";
import type { Beat } from "../../core/beat.ts";
import { MINUTE } from "../../core/duration.ts";
import { systemClock } from "../../system/clock.ts";
import { OwnBeat } from "./own-beat.ts";

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

type Beats = Partial<Config["daemon"]["heartbeat"]>;

/** A config with only these settings of the daemon's own beats. */
function beating(beats: Beats): Config {
  const config = defaultConfig();
  const heartbeat = { ...config.daemon.heartbeat, ...beats };
  return { ...config, daemon: { ...config.daemon, heartbeat } };
}

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
  const heartbeat = new OwnBeat({
    config: beating({ every: 3_600_000, ping: url }),
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
function telling(telegram: object, every = 3_600_000) {
  const events = new EventEmitter();
  const heartbeat = new OwnBeat({
    config: beating({
      every,
      telegram: { chat: 1, tokenEnv: "T", url: "https://api.telegram.org", ...telegram },
    }),
    incarnation: { pid: 1, startTime: "1", bootId: "boot" },
    accept: async (beats) => void events.emit("stored", beats),
    trouble: () => undefined,
    broken: () => undefined,
    log: { ...SILENT, warn: (facts) => void events.emit("warned", facts) },
  });
  onTestFinished(() => heartbeat.stop());
  return { heartbeat, events };
}

it("a token file that is missing is a warning of each beat, and ends nothing", async () => {
  const { heartbeat, events } = telling({ tokenFile: "/nope" }, 5);
  const warned = on(events, "warned");
  await heartbeat.start();
  for (let n = 0; n < 3; n++) {
    const { value } = await warned.next();
    const why = "/nope cannot be read (ENOENT): put the secret into this file";
    expect(value).toEqual([{ problem: `channel daemon.heartbeat.telegram: ${why}` }]);
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
  const folder = mkdtempSync(join(tmpdir(), "rollcall-beat-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tokenFile = join(folder, "token");
  writeFileSync(tokenFile, "1:a");
  const { heartbeat, events } = telling({ url, tokenFile }, 5);
  const stored = on(events, "stored");
  const asked = once(silent, "request");
  await heartbeat.start();
  await asked;
  // The limit for one answer is 30 s: three beats come before any chat has answered.
  for (let n = 0; n < 3; n++) await stored.next();
  expect(silent.listening).toBe(true);
});

it("another pace is in force only after a beat, and then beats at that pace", async () => {
  const { heartbeat, events } = telling({ tokenFile: "/nope" });
  await heartbeat.start();
  const stored = on(events, "stored");
  const putInForce = await heartbeat.prepare(beating({ every: 5 }));
  await stored.next();
  putInForce();
  for (let n = 0; n < 3; n++) await stored.next();
});

it.each([
  [2_000, 1_600],
  [15 * MINUTE, 14.5 * MINUTE],
])("of a promise for every %i ms, a beat goes out after %i ms", async (every, wait) => {
  const asked = vi.spyOn(systemClock, "after");
  onTestFinished(() => asked.mockRestore());
  const { heartbeat } = telling({ tokenFile: "/nope" }, every);
  await heartbeat.start();
  expect(asked.mock.calls.map(([first]) => first)).toContain(wait);
});
