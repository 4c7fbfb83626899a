import { expect, onTestFinished, test } from "vitest";
import { dispatch, HOSTILE, ORDINARY, UNSEEN } from "../../ports/channel.contract.ts";
import { FakeService, httpChannelContract } from "../../ports/fake-service.contract.ts";
import { opened } from "../kit/secrets.fixture.ts";

const TOKEN = "tk_s3cretTokenOfMine";
const settings = (url: string) => ({ kind: "ntfy", topic: "fleet-7", url });
const open = (url: string) => opened({ ...settings(url), tokenEnv: "NTFY" }, { NTFY: TOKEN });

httpChannelContract("ntfy", {
  open,
  secrets: [TOKEN],
  good: [200, '{"id":"x1"}'],
  complaint: (error) => JSON.stringify({ code: 40001, http: 400, error }),
  knowsGood: true,
  says: { 401: "401: check the token in NTFY", 403: "403: the token in NTFY", 404: "without the topic" },
  harmless({ url, headers, body }) {
    expect(url).toBe("/");
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
    const { title, message, priority, click, markdown } = JSON.parse(body);
    expect({ priority, click, markdown }).toEqual({ priority: 5, click: undefined, markdown: undefined });
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
    expect(Buffer.byteLength(message)).toBeGreaterThan(3000);
    expect(Buffer.byteLength(title)).toBeLessThanOrEqual(1000);
    expect(`${title}${message}`).not.toMatch(UNSEEN);
    expect(title).not.toMatch(/@everyone|http:\/\/evil/);
  },
});

test("a message reads well, and the first link is where a tap leads", async () => {
  const fake = new FakeService();
  onTestFinished(() => fake.stop());
  fake.answer = (response) => response.end('{"id":"x"}');
  const url = await fake.start();
  await opened(settings(url)).send(dispatch());
  const [request] = fake.requests;
  expect(request?.headers.authorization).toBeUndefined();
  expect(JSON.parse(request?.body ?? "{}")).toEqual({
    topic: "fleet-7",
    title: "builder is stalled",
    message:
      "since 12:00 (23 min)\nits screen shows nothing new\n$ rollcall peek builder\nhttp://127.0.0.1:7766/agents/builder",
    priority: 4,
    tags: ["warning"],
    sequence_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    click: "http://127.0.0.1:7766/agents/builder",
  });
});

test("the same key gives the same notification, and another key another one", async () => {
  const fake = new FakeService();
  onTestFinished(() => fake.stop());
  fake.answer = (response) => response.end('{"id":"x"}');
  const channel = opened(settings(await fake.start()));
  for (const [key, message] of [
    ["a", ORDINARY],
    ["a", HOSTILE],
    ["b", ORDINARY],
  ] as const) {
    await channel.send(dispatch({ key, message }));
  }
  const [first, second, third] = fake.requests.map(({ body }) => JSON.parse(body).sequence_id);
  expect(first).toBe(second);
  expect(first).not.toBe(third);
});
