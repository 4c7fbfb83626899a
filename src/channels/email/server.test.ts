import { expect, test } from "vitest";
import { isLocal, serverOf } from "./server.ts";
import { emailSettings } from "./settings.ts";

const at = (value: string) => ({
  url: () => Promise.resolve({ value, place: "MAIL" }),
  password: undefined,
});
const settings = (more: object) =>
  emailSettings.parse({ kind: "email", from: "a@x.org", to: "b@x.org", ...more });

test.each([
  ["smtps://u:p@h", { host: "h", port: 465, secure: true, login: { user: "u", pass: "p" } }],
  ["smtp://u:p@h", { host: "h", port: 587, secure: false, login: { user: "u", pass: "p" } }],
  ["smtp://h:465", { host: "h", port: 465, secure: true }],
  ["smtp://h:25", { host: "h", port: 25, secure: false }],
  [
    "smtps://u%40x.org:p%2F%3A@[::1]:1465",
    { host: "::1", port: 1465, secure: true, login: { user: "u@x.org", pass: "p/:" } },
  ],
])("%s", async (address, server) => {
  expect(await serverOf(settings({ urlEnv: "MAIL" }), at(address))).toEqual({ ...server, place: "MAIL" });
});

test.each([
  [{ host: "h" }, { host: "h", port: 587, secure: false }],
  [
    { host: "h", port: 465 },
    { host: "h", port: 465, secure: true },
  ],
])("%j without an account", async (more, server) => {
  expect(await serverOf(settings(more), { url: undefined, password: undefined })).toMatchObject(server);
});

test.each([
  ["localhost", true],
  ["127.0.0.1", true],
  ["::1", true],
  ["127.0.0.1.evil.example", false],
  ["smtp.example.org", false],
])("%s is this machine: %j", (host, is) => {
  expect(isLocal(host)).toBe(is);
});
