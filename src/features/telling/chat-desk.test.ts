import { expect, onTestFinished, test } from "vitest";
import { encodePress } from "../../channels/kit/press.ts";
import { opened } from "../../channels/kit/secrets.fixture.ts";
import type { ChatDeed } from "../../core/delivery/deed.ts";
import type { Incident } from "../../core/incident/incident.ts";
import { wordsFor } from "../../core/incident/words.ts";
import { dispatch } from "../../ports/channel.contract.ts";
import type { Channel } from "../../ports/channel.ts";
import { ChatDesk } from "./chat-desk.ts";
import { FakeTelegram } from "./fake-telegram.fixture.ts";

const T = Date.parse("2026-03-02T08:00:00Z");
const F = "fingerprint-1234";
const ALICE = 7;
const STRANGER = 8;

const asked = {
  ...{ text: "Do you want to proceed?", fingerprint: F, change: 1, attach: "tmux attach -t bot" },
  choices: [
    { number: 1, label: "Yes" },
    { number: 2, label: "No" },
  ],
};

const waiting: Incident = {
  ...{ id: "bot-1", kind: "agent", subject: "bot", group: "web", state: "waiting", reason: "permission" },
  ...{ why: "asks", severity: "warning", since: T, noticedAt: T, openedAt: T, episodes: [T] },
  ...{ flapping: false, change: 1, told: {}, asked },
};

/** A desk that hears a fake Telegram, and notes what it does. */
async function desk() {
  const telegram = new FakeTelegram();
  const url = await telegram.start();
  const settings = { kind: "telegram", chat: -5, url, people: { [ALICE]: "Alice" } };
  const channel: Channel = opened(settings, { TELEGRAM_BOT_TOKEN: "1:a" });
  const did: string[] = [];
  const audit: string[] = [];
  const state = { incident: waiting };
  const log = { info() {}, warn() {}, error() {}, debug() {} };
  const chat = new ChatDesk(
    {
      incidents: () => [state.incident],
      async acknowledge(id, by) {
        did.push(`acknowledge ${id} by ${by}`);
        state.incident = { ...state.incident, acknowledged: { at: T, by } };
      },
      silence: async (agent, by) => did.push(`silence ${agent} by ${by}`),
      async takeStep(agent, step) {
        did.push(`${step} ${agent}`);
        return `${step} is done`;
      },
      async answer(agent, choice, fingerprint) {
        if (did.some((each) => each.startsWith("answer"))) throw new Error("it asks another question by now");
        did.push(`answer ${agent} ${choice} ${fingerprint}`);
        return "answered";
      },
      audit: async (who, what) => audit.push(`${who}: ${what}`),
    },
    log as never,
  );
  chat.listen([channel.chat].flatMap((each) => each ?? []));
  onTestFinished(async () => {
    await chat.stop();
    await telegram.stop();
  });
  const press = (person: number, deed: ChatDeed) => telegram.press(person, encodePress("bot-1", deed));
  return { telegram, channel, did, audit, state, press };
}

test("a message has a button for each answer and deed, and its end takes the place of the alert", async () => {
  const { telegram, channel } = await desk();
  const message = wordsFor(waiting, "opened", T, { stepFor: () => "nudge" });
  const sent = await channel.send(dispatch({ message }));
  expect(sent).toEqual({ outcome: "sent", ref: expect.stringMatching(/^\d+$/) });
  const [[id, shown] = []] = telegram.messages;
  const markup = shown?.reply_markup as { inline_keyboard: { text: string; callback_data: string }[][] };
  const rows = markup.inline_keyboard;
  expect(rows.map((row) => row.map(({ text }) => text))).toEqual([
    ["1. Yes"],
    ["2. No"],
    ["Acknowledge", "Silence 1 h", "Nudge"],
  ]);
  for (const { callback_data } of rows.flat())
    expect(Buffer.byteLength(callback_data)).toBeLessThanOrEqual(64);
  const over: Incident = { ...waiting, resolved: { at: T, how: "recovered", why: "alive: works" } };
  const end = wordsFor(over, "resolved", T);
  expect(await channel.send(dispatch({ key: "end", message: end, earlier: [String(id)] }))).toMatchObject({
    outcome: "sent",
  });
  expect([...telegram.messages.values()].map(({ text, reply_markup }) => [text, reply_markup])).toEqual([
    [expect.stringContaining("bot: resolved"), undefined],
  ]);
  // One that is gone cannot be changed: then the end is a message of its own.
  await channel.send(dispatch({ key: "end", message: end, earlier: ["1"] }));
  expect(telegram.messages.size).toBe(2);
});

test("a person on the list acknowledges, silences, steps and answers, and all of it is audited under their name", async () => {
  const { did, audit, press } = await desk();
  expect(await press(ALICE, { do: "acknowledge" })).toBe("Acknowledged by Alice.");
  expect(await press(ALICE, { do: "silence" })).toContain("for an hour");
  expect(await press(ALICE, { do: "nudge" })).toBe("nudge is done");
  expect(await press(ALICE, { do: "answer", choice: 2, fingerprint: F })).toBe("answered");
  expect(did).toEqual([
    "acknowledge bot-1 by Alice",
    "silence bot by Alice",
    "nudge bot",
    `answer bot 2 ${F}`,
  ]);
  expect(audit).toEqual(
    ["acknowledge", "silence", "nudge", "answer 2"].map((what) => `Alice: chat: ${what} bot-1`),
  );
});

test("a stranger does nothing, is told so, and is audited", async () => {
  const { did, audit, press } = await desk();
  expect(await press(STRANGER, { do: "answer", choice: 1, fingerprint: F })).toContain("not on the list");
  expect(did).toEqual([]);
  expect(audit).toEqual(["P8 (chat 8): refused: pressed a button without being on the list"]);
});

test("a button that is pressed twice, or after it is over, does nothing more", async () => {
  const { did, audit, press, state } = await desk();
  await press(ALICE, { do: "acknowledge" });
  expect(await press(ALICE, { do: "acknowledge" })).toBe("Already acknowledged by Alice.");
  await press(ALICE, { do: "answer", choice: 1, fingerprint: F });
  expect(await press(ALICE, { do: "answer", choice: 1, fingerprint: F })).toBe(
    "Not done: it asks another question by now",
  );
  expect(audit.at(-1)).toBe("Alice: chat: answer 1 bot-1: refused: it asks another question by now");
  state.incident = { ...state.incident, resolved: { at: T, how: "recovered", why: "" } };
  expect(await press(ALICE, { do: "restart" })).toBe("This is over.");
  expect(did).toHaveLength(2);
});

test("presses are heard again after the connection was lost, each once", async () => {
  const { telegram, did, press } = await desk();
  await press(ALICE, { do: "nudge" });
  await telegram.stop();
  const waitsForIt = press(ALICE, { do: "restart" });
  await telegram.start();
  expect(await waitsForIt).toBe("restart is done");
  expect(await press(ALICE, { do: "silence" })).toContain("for an hour");
  expect(did).toEqual(["nudge bot", "restart bot", "silence bot by Alice"]);
  expect(telegram.calls.filter(({ method }) => method === "answerCallbackQuery")).toHaveLength(3);
});
