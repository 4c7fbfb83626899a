import { createHmac } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { dispatch, HOSTILE, KEY, ORDINARY } from "../../ports/channel.contract.ts";
import { FakeService, httpChannelContract, type Request } from "../../ports/fake-service.contract.ts";
import { opened } from "../kit/secrets.fixture.ts";

const SECRET = "whsec-s3cret";
const settings = (url: string) => ({ kind: "webhook", url: `${url}/hook`, secretEnv: "HOOK" });

function expectSigned({ headers, body }: Request): void {
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers["rollcall-signature"])) ?? [];
  expect(v1).toBe(createHmac("sha256", SECRET).update(`${t}.${body}`).digest("hex"));
  expect(Math.abs(Number(t) * 1000 - Date.now())).toBeLessThan(300_000);
}

httpChannelContract("webhook", {
  open: (url) => opened(settings(url), { HOOK: SECRET }),
  secrets: [SECRET],
  good: [200, ""],
  complaint: (text) => text,
  knowsGood: false,
  says: { 401: "check the secret in HOOK", 403: "check the secret in HOOK", 404: "check the address in url" },
  harmless(request) {
    expectSigned(request);
    expect(request.headers["idempotency-key"]).toBe(KEY);
    const { version, key, at, message } = JSON.parse(request.body);
    expect({ version, key, at }).toEqual({ version: 1, key: KEY, at: "2026-03-01T12:00:00.000Z" });
    expect(message.data).toEqual(HOSTILE.data);
    expect(message.commands).toHaveLength(1);
    expect(JSON.stringify(message)).not.toMatch(/\\u00|\\r|\\n|\u202e|\ud800/);
    expect(request.body.length).toBeLessThan(50_000);
  },
});

test("an ordinary message arrives as it is, signed", async () => {
  const fake = new FakeService();
  onTestFinished(() => fake.stop());
  const channel = opened(settings(await fake.start()), { HOOK: SECRET });
  expect(await channel.send(dispatch())).toEqual({ outcome: "sent" });
  const [request] = fake.requests;
  expect(JSON.parse(request?.body ?? "{}").message).toEqual(ORDINARY);
  if (request !== undefined) expectSigned(request);
});

test("an address that is a secret is told by its place", async () => {
  const fake = new FakeService();
  onTestFinished(() => fake.stop());
  fake.answer = (response) => response.writeHead(404).end();
  const address = `${await fake.start()}/hook/s3cret-path`;
  const channel = opened(
    { kind: "webhook", urlEnv: "ADDRESS", secretEnv: "HOOK" },
    { ADDRESS: address, HOOK: SECRET },
  );
  expect(await channel.send(dispatch())).toEqual({
    outcome: "refused",
    problem: "404: there is no receiver at this address; check the address in ADDRESS",
  });
});

test("what cannot be written as JSON is a problem and no crash", async () => {
  const channel = opened(settings("http://127.0.0.1:1"), { HOOK: SECRET });
  const message = { ...ORDINARY, data: { count: 1n } };
  expect(await channel.send(dispatch({ message }))).toEqual({
    outcome: "retry",
    problem: "webhook failed unexpectedly (TypeError)",
  });
});
