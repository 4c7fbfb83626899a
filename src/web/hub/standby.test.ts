import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { Intake } from "../../hub/intake.ts";
import type { KnownHub } from "../../ports/hubs.ts";
import type { Inbox } from "../../ports/inbox.ts";
import { systemClock } from "../../system/clock.ts";
import { uuidv7 } from "../../system/uuid.ts";
import { type Door, openDoor } from "../door.ts";
import { Forwarder } from "./forward.ts";
import { Standby } from "./standby.ts";
import { Taker } from "./taker.ts";

const TOKEN = "token-of-the-home";
const log = { debug() {}, info() {}, warn() {}, error() {} };

interface Heard {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A hub that owns, and what it heard. It answers when `answers` says so. */
async function owner(
  answers = (_: IncomingMessage, response: ServerResponse) => void response.end("well"),
  tls?: { readonly cert: string; readonly key: string },
) {
  const heard: Heard[] = [];
  const take = async (asked: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const part of asked) body += String(part);
    heard.push({ method: asked.method ?? "", url: asked.url ?? "", headers: asked.headers, body });
    answers(asked, response);
  };
  const server: Server = tls === undefined ? createServer(take) : createSecureServer(tls, take);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  const scheme = tls === undefined ? "http" : "https";
  const address = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const hub: KnownHub = {
    ...{ id: address, url: address, address, key: "", version: "0", startedAt: 0, seen: 0, clockAhead: 0 },
  };
  return { hub, heard, close };
}

async function standbyAt(
  isHeard: () => boolean = () => true,
): Promise<{ standby: Standby; door: Door; url: string }> {
  const opened: { door?: Door } = {};
  const standby = new Standby(TOKEN, (...args) => opened.door?.pass(...args), isHeard);
  const door = await openDoor({ host: "127.0.0.1", port: 0, log }, standby.take, standby.takeBeats);
  opened.door = door;
  onTestFinished(() => door.stop());
  return { standby, door, url: door.url };
}

async function ask(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  const { method = "GET", headers = {}, body } = options;
  const sent = request(url, { method, headers: { ...headers, connection: "close" } }).end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const part of answer) text += String(part);
  return { status: answer.statusCode, headers: answer.headers, text };
}

it("passes a request on whole, says who asked, and lets nobody else say so", async () => {
  const [{ hub, heard }, { standby, url }] = [await owner(), await standbyAt()];
  standby.answeredBy(hub);
  const forged = { "rollcall-hub": "mine", "rollcall-caller": "owner", cookie: "a=b" };
  expect(
    await ask(`${url}/beat/allegro?x=1`, { method: "POST", body: "text", headers: { cookie: "a=b" } }),
  ).toMatchObject({
    ...{ status: 200, text: "well", headers: { "rollcall-owner": hub.url } },
  });
  expect(heard[0]).toMatchObject({
    ...{ method: "POST", url: "/beat/allegro?x=1", body: "text" },
    headers: {
      cookie: "a=b",
      "rollcall-hub": TOKEN,
      "rollcall-caller": "local",
      "rollcall-from": "127.0.0.1",
    },
  });
  const callerOf = async (headers: Record<string, string>) => {
    await ask(`${url}/x`, { headers });
    return heard.at(-1)?.headers["rollcall-caller"];
  };
  expect(await callerOf({ authorization: `Bearer ${TOKEN}` })).toBe("owner");
  expect(await callerOf({ authorization: "Bearer other" })).toBe("local");
  expect(await callerOf({ "x-forwarded-for": "203.0.113.9" })).toBe("other");
  expect(await callerOf({ host: "roll.example.org" })).toBe("other");
  // Who comes from another hub is not passed on again.
  expect(await ask(`${url}/x`, { headers: forged })).toMatchObject({ status: 421 });
});

it("keeps requests until somebody answers them: another hub, or we ourselves", async () => {
  const [{ hub, heard }, { standby, door, url }] = [await owner(), await standbyAt()];
  expect(await ask(`${url}/healthz`)).toMatchObject({
    status: 200,
    text: expect.stringContaining("standby"),
  });
  expect(await ask(`${url}/readyz`)).toMatchObject({ status: 503 });
  const first = ask(`${url}/first`, { method: "POST", body: "whole" });
  await expect.poll(() => ask(`${url}/healthz`)).toMatchObject({ status: 200 });
  standby.answeredBy(hub);
  expect(await first).toMatchObject({ status: 200, text: "well" });
  expect(heard).toMatchObject([{ url: "/first", body: "whole" }]);
  expect(await ask(`${url}/readyz`)).toMatchObject({ status: 200, text: expect.stringContaining(hub.url) });

  standby.answeredBy("self");
  const second = ask(`${url}/second`, { method: "POST", body: "mine" });
  const leave = door.enter(async (asked, response) => {
    for await (const part of asked) response.end(`own ${part}`);
  });
  standby.handOn();
  expect(await second).toMatchObject({ text: "own mine" });
  leave();
  expect(heard).toHaveLength(1);
});

it("asks the next owner again what only reads, and says of the rest that nobody knows", async () => {
  const [frozen, next] = [await owner(() => {}), await owner()];
  const { standby, url } = await standbyAt();
  standby.answeredBy(frozen.hub);
  const [read, written] = [ask(`${url}/read`), ask(`${url}/write`, { method: "POST", body: "once" })];
  await expect.poll(() => frozen.heard.length).toBe(2);
  standby.answeredBy(next.hub);
  expect(await read).toMatchObject({ status: 200, text: "well" });
  expect(await written).toMatchObject({ status: 503, text: expect.stringContaining("no-owner") });
  expect(next.heard.map(({ url: path }) => path)).toEqual(["/read"]);
});

it("waits for an owner that cannot be reached yet, with the body too", async () => {
  const gone = await owner();
  const next = await owner();
  const { standby, url } = await standbyAt();
  gone.close();
  standby.answeredBy(gone.hub);
  const asked = ask(`${url}/write`, { method: "POST", body: "once" });
  await ask(`${url}/healthz`);
  standby.answeredBy(next.hub);
  expect(await asked).toMatchObject({ status: 200 });
  expect(next.heard).toMatchObject([{ body: "once" }]);
});

it.skipIf(spawnSync("openssl", ["version"]).status !== 0)(
  "speaks TLS with a hub that shows the certificate that it is known by, and with nobody else (needs openssl)",
  async () => {
    const made = () => {
      const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
      const args = ["req", "-x509", ...kind, "-subj", "/CN=hub.example", "-keyout", "-", "-out", "-"];
      const text = execFileSync("openssl", args, { stdio: ["ignore", "pipe", "ignore"] }).toString();
      const part = (name: string) =>
        new RegExp(`-----BEGIN ${name}-----[^]*-----END ${name}-----`).exec(text)?.[0] ?? "";
      return { key: part("PRIVATE KEY"), cert: part("CERTIFICATE") };
    };
    const tls = made();
    const [{ hub, heard }, { standby, url }] = [await owner(undefined, tls), await standbyAt()];
    const known = { ...hub, certificate: tls.cert };
    standby.answeredBy(known);
    for (const body of ["one", "two"])
      expect(await ask(`${url}/x`, { method: "POST", body })).toMatchObject({ status: 200 });
    expect(await new Forwarder().health(known, 5000)).toBe("well");
    const other = { ...hub, id: "other", certificate: made().cert };
    expect(await new Forwarder().health(other, 5000)).toBeUndefined();
    standby.answeredBy(other);
    expect(await ask(`${url}/x`, { method: "POST", body: "three" })).toMatchObject({ status: 503 });
    expect(heard.map(({ body }) => body)).toEqual(["one", "two", ""]);
  },
);

it("sends no credentials over an open network: it names the owner instead", async () => {
  const { standby, url } = await standbyAt();
  const { hub } = await owner();
  standby.answeredBy({ ...hub, address: "http://192.0.2.1:7766", url: "https://hub2.example.org" });
  expect(await ask(`${url}/x`)).toMatchObject({
    ...{ status: 421, headers: { "rollcall-owner": "https://hub2.example.org" } },
    text: expect.stringContaining('"owner":"https://hub2.example.org"'),
  });
});

it("takes what it can while it starts as the owner itself, and keeps the rest until it answers", async () => {
  const { standby, door, url } = await standbyAt();
  const asked: (string | boolean)[] = [];
  let isTaken = true;
  const taker: Pick<Taker, "kindOf" | "take"> = {
    kindOf: () => "facts",
    take: async ({ body, response, isAlone }) => {
      asked.push(body.toString(), isAlone);
      if (!isTaken) return () => {};
      response.end("taken");
      return "answered";
    },
  };
  standby.taker = taker as Taker;
  standby.answeredBy("self");
  expect(await ask(url, { method: "POST", body: "one" })).toMatchObject({ text: "taken" });
  isTaken = false;
  const waiting = ask(url, { method: "POST", body: "two" });
  await expect.poll(() => asked).toEqual(["one", true, "two", true]);
  door.enter((_, response) => void response.end("well"));
  standby.handOn();
  expect(await waiting).toMatchObject({ text: "well" });
});

it("takes nothing for the owner while a hub would not understand it: requests go on to the owner, beats of files wait", async () => {
  let isHeard = false;
  const [{ hub, heard }, { standby, url }] = [await owner(), await standbyAt(() => isHeard)];
  const taken: string[] = [];
  const taker: Pick<Taker, "kindOf" | "take" | "acceptOwn"> = {
    kindOf: () => "facts",
    take: async ({ body, response }) => {
      taken.push(body.toString());
      response.end("taken");
      return "answered";
    },
    acceptOwn: async () => taken.push("own") > 0,
  };
  standby.taker = taker as Taker;
  standby.answeredBy(hub);
  expect(await ask(url, { method: "POST", body: "one" })).toMatchObject({ text: "well" });
  await expect(standby.acceptOwn([])).rejects.toThrow("cannot be told");
  expect(heard).toHaveLength(1);
  expect(taken).toEqual([]);
  isHeard = true;
  expect(await ask(url, { method: "POST", body: "two" })).toMatchObject({ text: "taken" });
  await standby.acceptOwn([]);
  expect(taken).toEqual(["two", "own"]);
});

it("takes beats without node:http once the owner has taken one of the same sender", async () => {
  const [{ hub, heard }, { standby, url }] = [
    await owner((_, response) => void response.writeHead(204).end()),
    await standbyAt(),
  ];
  const put: string[] = [];
  let keeps: "all" | "none" | "fails" = "all";
  const inbox: Pick<Inbox, "access" | "put"> = {
    access: async () => 1,
    put: async ({ beats }) => {
      if (keeps === "fails") throw new Error("the server is away");
      if (keeps === "none") return undefined;
      put.push(...beats.map(({ action = "" }) => action));
      return new Set();
    },
  };
  standby.taker = new Taker(new Intake(inbox as Inbox, systemClock), Date.now, uuidv7);
  standby.answeredBy(hub);
  const byHttp: string[] = [];
  const take = vi.spyOn(standby.taker, "take");
  take.mockImplementation((asked) => {
    byHttp.push((JSON.parse(asked.body.toString()) as { action: string }).action);
    return Taker.prototype.take.call(standby.taker, asked);
  });
  const beat = async (action: string, headers = {}) => {
    // A connection for each, as node:http keeps those that it has.
    const agent = new Agent({ keepAlive: true });
    const sent = request(`${url}/api/v1/beats`, { method: "POST", headers, agent });
    sent.end(JSON.stringify({ agent: "web", action }));
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    answer.resume();
    await once(answer, "end");
    agent.destroy();
    return answer.statusCode;
  };

  expect(await beat("first")).toBe(204);
  expect(await beat("after it")).toBe(204);
  expect(await beat("of another sender", { authorization: "Bearer other" })).toBe(204);
  expect(put).toEqual(["after it"]);
  const told = () => heard.map(({ body }) => (JSON.parse(body) as { action: string }).action);
  expect(told()).toEqual(["first", "of another sender"]);

  keeps = "none";
  expect(await beat("under an older access")).toBe(204);
  expect(told()).toEqual(["first", "of another sender", "under an older access"]);
  expect(byHttp).toEqual(told());

  keeps = "fails";
  expect(await beat("that cannot be stored")).toBe(503);
  expect(byHttp).toEqual(told());
  expect(put).toEqual(["after it"]);
});
