import { expect, onTestFinished, test } from "vitest";
import { dispatch, ORDINARY, UNSEEN } from "../../ports/channel.contract.ts";
import { FakeService, httpChannelContract } from "../../ports/fake-service.contract.ts";
import { opened } from "../kit/secrets.fixture.ts";
import { matrixSettings } from "./index.ts";

const TOKEN = "syt_s3cret_TokenOfMine";
const PATH = "/_matrix/client/v3/rooms/!fleet%3Aexample.org/send/m.room.message/";
const settings = (url: string) => ({ kind: "matrix", url, room: "!fleet:example.org", tokenEnv: "MATRIX" });
const open = (url: string) => opened(settings(url), { MATRIX: TOKEN });

httpChannelContract("matrix", {
  open,
  secrets: [TOKEN],
  good: [200, '{"event_id":"$1"}'],
  complaint: (error) => JSON.stringify({ errcode: "M_FORBIDDEN", error }),
  knowsGood: true,
  says: {
    401: "401: check the access token in MATRIX",
    403: "403: the account may not write there",
    404: "404: check the url and the room",
  },
  pause: '{"errcode":"M_LIMIT_EXCEEDED","error":"Too many requests","retry_after_ms":7000}',
  harmless({ url, headers, body }) {
    expect(url).toMatch(new RegExp(`^${PATH}[0-9a-f]{32}$`));
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
    // The server adds a sender, hashes and signatures.
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(62_000);
    const { body: text, formatted_body: html, format, ...content } = JSON.parse(body);
    expect({ format, ...content }).toEqual({
      format: "org.matrix.custom.html",
      msgtype: "m.text",
      "m.mentions": {},
    });
    for (const each of [text, html]) {
      expect(Buffer.byteLength(each)).toBeGreaterThan(10_000);
      expect(each).not.toMatch(UNSEEN);
      expect(each).toContain("left out");
    }
    const tags = [...html.matchAll(/<([^>]*)>/g)].map(([, tag]) => tag);
    const ours = /^(\/?(strong|em|code|pre)|\/a|br|a href="https?:\/\/[^"<>]+")$/;
    expect(tags.filter((tag) => !ours.test(tag))).toEqual([]);
    expect(html.replaceAll(/<[^>]*>/g, "")).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot);)/);
    // Commands and addresses are shown as they are; nothing else may mention the whole room.
    const prose = text.replaceAll(/^(\$ |https:).*$/gm, "");
    expect(prose).not.toMatch(/@(?:everyone|here)|:\/\//);
  },
});

async function listening(answer: string) {
  const fake = new FakeService();
  onTestFinished(() => fake.stop());
  fake.answer = (response) => response.end(answer);
  return { fake, channel: open(`${await fake.start()}/`) };
}

test("a message reads well, as text and as HTML", async () => {
  const { fake, channel } = await listening('{"event_id":"$1"}');
  await channel.send(dispatch());
  expect(JSON.parse(fake.requests[0]?.body ?? "{}")).toEqual({
    msgtype: "m.text",
    body:
      "⚠️ builder is stalled\nsince 12:00 (23 min)\nits screen shows nothing new\n" +
      "$ rollcall peek builder\nhttp://127.0.0.1:7766/agents/builder\nref incident-7f3a.telling-1",
    format: "org.matrix.custom.html",
    formatted_body:
      "<strong>⚠️ builder is stalled</strong><br>\nsince 12:00 (23 min)<br>\nits screen shows nothing new<br>\n" +
      "<pre><code>rollcall peek builder</code></pre>\n" +
      '<a href="http://127.0.0.1:7766/agents/builder">http://127.0.0.1:7766/agents/builder</a><br>\n' +
      "<em>ref</em> <code>incident-7f3a.telling-1</code>",
    "m.mentions": {},
  });
});

test("a repetition has the same transaction id, so that the server makes one message of both", async () => {
  const { fake, channel } = await listening('{"event_id":"$1"}');
  for (const [key, attempt] of [
    ["a", 1],
    ["a", 2],
    ["b", 1],
  ] as const)
    await channel.send(dispatch({ key, attempt }));
  const [first, second, third] = fake.requests.map(({ url }) => url);
  expect(first).toBe(second);
  expect(first).not.toBe(third);
});

test("information comes without a notification", async () => {
  const { fake, channel } = await listening('{"event_id":"$1"}');
  await channel.send(dispatch({ message: { ...ORDINARY, severity: "info" } }));
  expect(JSON.parse(fake.requests[0]?.body ?? "{}").msgtype).toBe("m.notice");
});

test("an alias of a room is no room", () => {
  const { error } = matrixSettings.safeParse({
    ...settings("https://matrix.example.org"),
    room: "#fleet:example.org",
  });
  expect(error?.issues[0]?.message).toContain("the id of a room such as !fleet:example.org");
});
