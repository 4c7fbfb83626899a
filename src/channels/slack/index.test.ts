import { expect, onTestFinished, test } from "vitest";
import { dispatch, KEY, UNSEEN } from "../../ports/channel.contract.ts";
import { FakeService, httpChannelContract } from "../../ports/fake-service.contract.ts";
import { opened } from "../kit/secrets.fixture.ts";

const PATH = "/services/T0123456/B0123456/s3cretPartOfTheAddress";
const open = (address: string) =>
  opened({ kind: "slack", urlEnv: "SLACK" }, { SLACK: `${address}${PATH}\n` });

interface Block {
  readonly type: string;
  readonly block_id?: string;
  readonly text: { readonly type: string; readonly text: string; readonly emoji?: boolean };
}

httpChannelContract("slack", {
  open,
  secrets: [PATH, "s3cretPartOfTheAddress"],
  good: [200, "ok"],
  complaint: (text) => `invalid_payload ${text}`,
  knowsGood: true,
  says: { 403: "in SLACK", 404: "404: check the webhook's address in SLACK", 410: "archived" },
  harmless({ url, body }) {
    expect(url).toBe(PATH);
    const { text, blocks, ...rest } = JSON.parse(body) as { text: string; blocks: Block[] };
    expect(rest).toEqual({ mrkdwn: false, link_names: false, unfurl_links: false, unfurl_media: false });
    expect(body.length).toBeLessThan(40_000);
    expect(blocks.length).toBeLessThanOrEqual(50);
    for (const part of [text, ...blocks.map((block) => block.text.text)]) {
      expect(part).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot);)/);
      expect(part).not.toMatch(UNSEEN);
      expect(part.length).toBeLessThanOrEqual(3000);
      expect(part.length).toBeGreaterThan(0);
    }
    expect(blocks[0]?.text.text.length).toBeLessThanOrEqual(150);
    expect(blocks[1]?.text.text.replace(/^https:.*$/gm, "")).not.toMatch(/@everyone|:\/\//);
    // What holds a fence itself is not put into one, and nothing else may hold markup.
    expect(new Set(blocks.map((block) => block.text.type))).toEqual(new Set(["plain_text"]));
    expect(blocks.at(-1)?.text.text).toContain("left out");
  },
});

test("a message has a title, its lines and a command to copy, and carries its key unseen", async () => {
  const fake = new FakeService();
  onTestFinished(() => fake.stop());
  fake.answer = (response) => response.end("ok");
  await open(await fake.start()).send(dispatch());
  const { blocks } = JSON.parse(fake.requests[0]?.body ?? "{}") as { blocks: Block[] };
  expect(blocks).toEqual([
    {
      type: "header",
      block_id: KEY,
      text: { type: "plain_text", text: "⚠️ builder is stalled", emoji: false },
    },
    {
      type: "section",
      text: {
        type: "plain_text",
        text: "since 12:00 (23 min)\nits screen shows nothing new\nhttp://127.0.0.1:7766/agents/builder",
        emoji: false,
      },
    },
    { type: "section", text: { type: "mrkdwn", text: "```rollcall peek builder```", verbatim: true } },
  ]);
});

test.each(["not an address", "ftp://x"])("%j is no webhook, and is not repeated", async (value) => {
  const channel = opened({ kind: "slack", urlEnv: "SLACK" }, { SLACK: value });
  expect(await channel.send(dispatch())).toEqual({
    outcome: "retry",
    problem: "SLACK does not contain a webhook address",
  });
});
