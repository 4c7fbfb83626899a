import { expect, test } from "vitest";
import type { ChannelReply } from "./exchange.ts";
import { type HttpService, httpAddress, jsonOf, receiptOf } from "./http.ts";

const service: HttpService = {
  name: "Chat",
  advice: { 401: "check the token in CHAT", other: "check the settings" },
  secrets: ["s3cret-token"],
  reason: ({ body }) => body,
};
const reply = (status: number, body = ""): ChannelReply => ({ status, headers: {}, body });

test.each([
  [reply(200), { outcome: "sent" }],
  [reply(401), { outcome: "refused", problem: "401: check the token in CHAT" }],
  [reply(418, "teapot"), { outcome: "refused", problem: "418: check the settings (Chat says: teapot)" }],
  [reply(429, "slow"), { outcome: "retry", problem: "429: Chat does not accept it now (Chat says: slow)" }],
  [
    reply(400, "\u001b[31mno s3cret-token\u001b[0m"),
    { outcome: "refused", problem: "400: check the settings (Chat says: no …)" },
  ],
  [reply(0), { outcome: "retry", problem: "0: Chat does not accept it now" }],
  [reply(599), { outcome: "retry", problem: "599: Chat does not accept it now" }],
])("$status $body", (given, receipt) => {
  expect(receiptOf(given, service)).toEqual(receipt);
});

test("a long reason is cut", () => {
  const receipt = receiptOf(reply(400, "x".repeat(60_000)), service);
  expect(JSON.stringify(receipt).length).toBeLessThan(400);
});

test.each(["", "null", "7", "[", '"x"'])("%j is read as an object without keys", (body) => {
  expect(jsonOf(reply(200, body))).toEqual({});
});

test.each([
  ["https://example.org/x", true],
  ["http://127.0.0.1:1", true],
  ["ftp://example.org", false],
  ["file:///etc/passwd", false],
  ["example.org", false],
])("%s is an address of the web: %j", (text, is) => {
  expect(httpAddress(text) !== undefined).toBe(is);
});
