// Buttons in a chat, through a running watcher. What each press does is tried in src/features/telling/chat-desk.test.ts.
import { expect, it, onTestFinished } from "vitest";
import { FakeTelegram } from "../src/features/telling/fake-telegram.fixture.ts";
import { cli, daemon, http, temporaryHome, until } from "./product.ts";

interface Keyboard {
  readonly inline_keyboard: { readonly text: string; readonly callback_data: string }[][];
}

it("a person on the list acknowledges from the chat under their name, and the alert changes when it is over", async () => {
  const telegram = new FakeTelegram();
  const api = await telegram.start();
  onTestFinished(() => telegram.stop());
  const phone = `{ kind: telegram, chat: 5, url: "${api}", people: { "7": Alice } }`;
  const home = temporaryHome(
    `policy: { group: 50ms }\nchannels: { phone: ${phone} }\nagents: [{ id: bot, every: 1h }]\n`,
  );
  const { url } = await daemon(home, { TELEGRAM_BOT_TOKEN: "1:a" });
  await cli(home, "beat", "bot", "--status", "error", "--message", "no space left");
  const [[id, sent] = []] = await until(
    () => [...telegram.messages],
    (messages) => messages.length > 0,
  );
  const { reply_markup: markup, text } = sent ?? {};
  expect(text).toContain("bot is failing");
  expect(text).toContain(`${url}/agents/bot`);
  const buttons = (markup as Keyboard).inline_keyboard.flat();
  expect(buttons.map((button) => button.text)).toEqual(["Acknowledge", "Silence 1 h"]);
  const data = (label: string) => buttons.find((button) => button.text === label)?.callback_data ?? "";

  expect(await telegram.press(8, data("Acknowledge"))).toContain("not on the list");
  expect(await telegram.press(7, data("Acknowledge"))).toBe("Acknowledged by Alice.");
  expect(await telegram.press(7, data("Silence 1 h"))).toContain("for an hour");
  const { incidents } = JSON.parse((await cli(home, "incidents", "list", "--json")).stdout);
  expect(incidents).toMatchObject([{ subject: "bot", acknowledged: { by: "Alice" } }]);
  const { silences } = JSON.parse((await cli(home, "silence", "list", "--json")).stdout);
  expect(silences).toMatchObject([{ agents: "bot", by: "Alice" }]);
  const audit = (await http(`${url}/api/v1/audit`)).body;
  expect(audit).toContain("chat: acknowledge bot-");
  expect(audit).toContain("P8 (chat 8)");

  await cli(home, "silence", "end", silences[0].id);
  await cli(home, "beat", "bot");
  await until(
    () => telegram.messages.get(id ?? 0),
    (message) => String(message?.text).includes("bot: resolved"),
  );
  expect(telegram.messages.size).toBe(1);
  expect(await telegram.press(7, data("Acknowledge"))).toBe("This is over.");
});
