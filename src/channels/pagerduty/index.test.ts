import { expect, onTestFinished, test } from "vitest";
import { merged } from "../../core/delivery/batch.ts";
import type { Delivery } from "../../core/delivery/delivery.ts";
import type { Message } from "../../core/delivery/message.ts";
import { dispatch, ORDINARY, UNSEEN } from "../../ports/channel.contract.ts";
import { FakeService, httpChannelContract } from "../../ports/fake-service.contract.ts";
import { opened } from "../kit/secrets.fixture.ts";

const KEY = "s3cretRoutingKeyOf32Characters00";
const open = (url: string) => opened({ kind: "pagerduty", url, routingKeyEnv: "PAGER" }, { PAGER: KEY });
const TAKEN = '{"status":"success","message":"Event processed","dedup_key":"x"}';

httpChannelContract("pagerduty", {
  open,
  secrets: [KEY],
  good: [202, TAKEN],
  complaint: (text) => JSON.stringify({ status: "invalid event", message: "invalid", errors: [text, KEY] }),
  knowsGood: true,
  says: { 400: "400: check the integration key in PAGER", 404: "404: check the url" },
  harmless({ url, body }) {
    expect(url).toBe("/v2/enqueue");
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(512_000);
    const { routing_key, event_action, dedup_key, payload, links } = JSON.parse(body);
    expect({ routing_key, event_action, dedup_key }).toEqual({
      routing_key: KEY,
      event_action: "trigger",
      dedup_key: "incident-7f3a.telling-1",
    });
    expect(payload).toMatchObject({ source: "rollcall", severity: "critical" });
    expect(payload.summary.length).toBeLessThanOrEqual(1024);
    expect(payload.custom_details.details.length).toBeLessThanOrEqual(8000);
    expect(`${payload.summary}${payload.custom_details.details}`).not.toMatch(UNSEEN);
    expect(payload.summary).not.toMatch(/@everyone|http:\/\/evil/);
    expect(links.map(({ href }: { href: string }) => href)).toEqual([
      'https://example.org/?q="><b>',
      "https://example.org/@everyone",
    ]);
  },
});

async function listening() {
  const fake = new FakeService();
  onTestFinished(() => fake.stop());
  fake.answer = (response) => response.writeHead(202).end(TAKEN);
  const events = () => fake.requests.map(({ body }) => JSON.parse(body));
  return { fake, events, channel: open(await fake.start()) };
}

const about = (incident: string, more: Partial<Message> = {}): Message => ({
  ...ORDINARY,
  data: { incident, subject: "builder" },
  ...more,
});

test("an incident is one alert, from its opening to its end", async () => {
  const { channel, events } = await listening();
  await channel.send(dispatch({ message: about("builder-1", { severity: "critical" }) }));
  await channel.send(dispatch({ message: about("builder-1", { severity: "resolved" }), key: "other" }));
  expect(events()[0]).toEqual({
    routing_key: KEY,
    dedup_key: "builder-1",
    event_action: "trigger",
    client: "Rollcall",
    payload: {
      summary: "builder is stalled",
      source: "builder",
      severity: "critical",
      timestamp: "2026-03-01T12:00:00.000Z",
      custom_details: {
        details:
          "since 12:00 (23 min)\nits screen shows nothing new\n$ rollcall peek builder\n" +
          "http://127.0.0.1:7766/agents/builder\nref incident-7f3a.telling-1",
      },
    },
    links: [{ href: "http://127.0.0.1:7766/agents/builder", text: "http://127.0.0.1:7766/agents/builder" }],
  });
  expect(events()[1]).toMatchObject({ event_action: "resolve", dedup_key: "builder-1" });
});

const together = (...messages: Message[]) =>
  merged({ key: "group:k", deliveries: messages.map((message) => ({ message }) as Delivery) });

test("what goes out as one message is one event for each incident", async () => {
  const { channel, events } = await listening();
  const message = together(
    about("a-1", { severity: "critical" }),
    about("b-7", { severity: "resolved" }),
    ORDINARY,
  );
  expect(await channel.send(dispatch({ key: "group:k", message }))).toEqual({ outcome: "sent" });
  expect(events().map(({ event_action, dedup_key }) => [event_action, dedup_key])).toEqual([
    ["trigger", "a-1"],
    ["resolve", "b-7"],
    ["trigger", "group:k.2"],
  ]);
});

test("the next attempt goes on with the event that was not taken", async () => {
  const { fake, channel, events } = await listening();
  const message = together(about("a-1"), about("b-1"), about("c-1"));
  fake.answer = (response) =>
    fake.requests.length === 2 ? response.writeHead(429).end() : response.writeHead(202).end(TAKEN);
  const send = () => channel.send(dispatch({ key: "group:k", message }));
  expect(await send()).toMatchObject({ outcome: "retry" });
  expect(await send()).toEqual({ outcome: "sent" });
  expect(events().map(({ dedup_key }) => dedup_key)).toEqual(["a-1", "b-1", "b-1", "c-1"]);
});

test("an id that is too long for PagerDuty still names one alert", async () => {
  const { channel, events } = await listening();
  for (const id of ["x".repeat(256), "x".repeat(256), "y".repeat(256)])
    await channel.send(dispatch({ message: about(id) }));
  const [first, second, third] = events().map(({ dedup_key }) => dedup_key);
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(first).toBe(second);
  expect(first).not.toBe(third);
});
