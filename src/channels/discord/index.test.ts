import { expect, onTestFinished, test } from "vitest";
import { dispatch, UNSEEN } from "../../ports/channel.contract.ts";
import { FakeService, httpChannelContract } from "../../ports/fake-service.contract.ts";
import { opened } from "../kit/secrets.fixture.ts";

const PATH = "/api/webhooks/112233445566/s3cret-Tok_en";
const open = (address: string) =>
  opened({ kind: "discord", urlEnv: "DISCORD" }, { DISCORD: `${address}${PATH}?thread_id=7` });

httpChannelContract("discord", {
  open,
  secrets: [PATH, "s3cret-Tok_en"],
  good: [200, '{"id":"1"}'],
  complaint: (message) => JSON.stringify({ message, code: 50035 }),
  knowsGood: true,
  says: { 401: "401: check the webhook's address in DISCORD", 404: "the webhook does not exist" },
  pause: '{"message":"slow down","retry_after":7,"global":false}',
  harmless({ url, body }) {
    expect(url).toBe(`${PATH}?thread_id=7&wait=true`);
    const { content, allowed_mentions, flags } = JSON.parse(body);
    expect({ allowed_mentions, flags }).toEqual({ allowed_mentions: { parse: [] }, flags: 4 });
    expect(content.length).toBeLessThanOrEqual(2000);
    expect(content.length).toBeGreaterThan(1000);
    expect(content).not.toMatch(UNSEEN);
    // Whatever means something stands behind a backslash, but for our own title, footer and addresses.
    const theirs = content
      .replace(/^\*\*(.*)\*\*$/m, "$1")
      .replace(/^-# ref/m, "")
      .replaceAll(/^<https:\/\/[^<>\s]+>$/gm, "");
    expect(theirs.replaceAll(/\\./gs, "")).not.toMatch(/[\\*_~`|>#[\]()<@:]/);
  },
});

test("a message reads well", async () => {
  const fake = new FakeService();
  onTestFinished(() => fake.stop());
  fake.answer = (response) => response.writeHead(204).end();
  expect(await open(await fake.start()).send(dispatch())).toEqual({ outcome: "sent" });
  expect(JSON.parse(fake.requests[0]?.body ?? "{}").content).toBe(
    "**⚠️ builder is stalled**\nsince 12\\:00 \\(23 min\\)\nits screen shows nothing new\n" +
      "```\nrollcall peek builder\n```\n<http://127.0.0.1:7766/agents/builder>\n" +
      "-# ref incident\\-7f3a.telling\\-1",
  );
});
