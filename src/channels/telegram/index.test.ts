import { expect, onTestFinished, test } from "vitest";
import { dispatch, UNSEEN } from "../../ports/channel.contract.ts";
import { FakeService, httpChannelContract } from "../../ports/fake-service.contract.ts";
import { opened } from "../kit/secrets.fixture.ts";

const TOKEN = "123456789:AAE-s3cret_Tok3n";
const open = (url: string) => opened({ kind: "telegram", chat: -100123, url }, { TELEGRAM_BOT_TOKEN: TOKEN });

/** The text without its markup; throws if a tag is unknown, open at the end or closed in the wrong order. */
function textOf(html: string): string {
  const open: string[] = [];
  const text = html.replaceAll(/<(\/?)([^>]*)>/g, (_, end: string, tag: string) => {
    if (!["b", "i", "pre", "code"].includes(tag)) throw new Error(`<${tag}> is not ours`);
    if (end === "") open.push(tag);
    else if (open.pop() !== tag) throw new Error(`</${tag}> closes nothing`);
    return "";
  });
  expect(open).toEqual([]);
  expect(text).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot);)/);
  return text;
}

httpChannelContract("telegram", {
  open,
  secrets: [TOKEN, "AAE-s3cret_Tok3n"],
  good: [200, '{"ok":true,"result":{"message_id":1}}'],
  complaint: (description) => JSON.stringify({ ok: false, description }),
  knowsGood: true,
  says: {
    400: "400: check the chat",
    401: "401: check the token in TELEGRAM_BOT_TOKEN",
    403: "403: the bot was blocked",
    404: "404: check the token",
  },
  pause: '{"ok":false,"parameters":{"retry_after":7}}',
  harmless({ url, body }) {
    expect(url).toBe(`/bot${TOKEN}/sendMessage`);
    const { text, parse_mode, link_preview_options } = JSON.parse(body);
    expect({ parse_mode, link_preview_options }).toEqual({
      parse_mode: "HTML",
      link_preview_options: { is_disabled: true },
    });
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(text.length).toBeGreaterThan(3000);
    expect(text).not.toMatch(UNSEEN);
    textOf(text);
    // Within <pre> and within an address nothing is a mention.
    const prose = text.replaceAll(/<pre>.*?<\/pre>|^https:.*$/gms, "");
    expect(prose).not.toMatch(/@(?:everyone|here)|:\/\/| \/stop\b/);
    expect(text).toContain("are left out");
  },
});

test("a message reads well", async () => {
  const fake = new FakeService();
  onTestFinished(() => fake.stop());
  fake.answer = (response) => response.end('{"ok":true}');
  await open(await fake.start()).send(dispatch());
  const { text, chat_id, disable_notification } = JSON.parse(fake.requests[0]?.body ?? "{}");
  expect({ chat_id, disable_notification }).toEqual({ chat_id: -100123, disable_notification: false });
  expect(text).toBe(
    "<b>⚠️ builder is stalled</b>\nsince 12:00 (23 min)\nits screen shows nothing new\n" +
      "<pre>rollcall peek builder</pre>\nhttp://127.0.0.1:7766/agents/builder\n" +
      "<i>ref</i> <code>incident-7f3a.telling-1</code>",
  );
});

test("a group that became a supergroup is told with its new id", async () => {
  const fake = new FakeService();
  onTestFinished(() => fake.stop());
  const description = "Bad Request: group chat was upgraded";
  fake.answer = (response) =>
    response.writeHead(400).end(JSON.stringify({ description, parameters: { migrate_to_chat_id: -1009 } }));
  expect(await open(await fake.start()).send(dispatch())).toEqual({
    outcome: "refused",
    problem: `400: check the chat: the bot must be a member of it (Telegram says: ${description}; the chat is now -1009)`,
  });
});

test("what is no token is not sent anywhere", async () => {
  const channel = opened({ kind: "telegram", chat: 1 }, { TELEGRAM_BOT_TOKEN: "../../evil?x" });
  expect(await channel.send(dispatch())).toEqual({
    outcome: "retry",
    problem: "TELEGRAM_BOT_TOKEN does not contain a bot token (123456:ABC…)",
  });
});
