import { expect, test } from "vitest";
import { importUptimeKuma } from "./uptime-kuma.ts";

const notification = (id: number, name: string, config: object) => ({
  id,
  name,
  active: true,
  userId: 1,
  isDefault: false,
  config: JSON.stringify({ name, ...config }),
});
const http = {
  id: 1,
  name: "API",
  type: "http",
  url: "https://api.example.org/health",
  method: "GET",
  interval: 60,
  retryInterval: 30,
  maxretries: 3,
  timeout: 48,
  maxredirects: 10,
  accepted_statuscodes: ["200-299"],
  active: true,
  upsideDown: false,
  notificationIDList: { "1": true },
};
const notificationList = [
  notification(1, "Ops Telegram", {
    type: "telegram",
    telegramBotToken: "123456789:AAH-s3cr3t",
    telegramChatID: "-1001234567890",
  }),
  notification(2, "Mail", {
    type: "smtp",
    smtpHost: "smtp.example.org",
    smtpPort: 465,
    smtpUsername: "kuma",
    smtpPassword: "s3cr3t",
    smtpFrom: "Kuma <kuma@example.org>",
    smtpTo: "a@example.org, b@example.org",
  }),
  notification(3, "Chat", { type: "slack", slackwebhookURL: "https://hooks.slack.com/services/s3cr3t" }),
  notification(4, "Push", {
    type: "ntfy",
    ntfytopic: "fleet-7f3a",
    ntfyserverurl: "https://ntfy.example.org",
    ntfyAuthenticationMethod: "accessToken",
    ntfyaccesstoken: "tk_s3cr3t",
  }),
  notification(5, "Pager", { type: "PagerDuty", pagerdutyIntegrationKey: "s3cr3t" }),
  notification(6, "Odd", { type: "constructor" }),
  notification(7, "Own", { type: "ntfy", ntfytopic: "a", ntfyserverurl: "https://me:s3cr3t@example.org" }),
];
const read = (backup: object) =>
  importUptimeKuma(JSON.stringify({ version: "1.23.11", ...backup }), "kuma.json");

test("carries addresses, pushes, groups, retries and intervals", () => {
  const { config, todo } = read({
    notificationList: [],
    monitorList: [
      { id: 10, name: "Servers", type: "group", interval: 60 },
      { ...http, parent: 10 },
      {
        id: 2,
        name: "Nightly agent",
        type: "push",
        pushToken: "s3cr3t",
        interval: 900,
        retryInterval: 60,
        maxretries: 2,
      },
      { id: 3, name: "Strict", type: "push", interval: 60, maxretries: 0, active: false },
    ],
  });
  expect(config).toEqual({
    livenessInterval: "1m",
    agents: [
      {
        id: "api",
        name: "API",
        group: "Servers",
        http: { url: "https://api.example.org/health", expect: "200-399", timeoutMs: 48_000 },
      },
      { id: "nightly-agent", name: "Nightly agent", every: "15m", grace: "2m" },
      { id: "strict", name: "Strict", every: "1m", grace: "10s" },
    ],
    policy: { tell: [{ agents: "api", after: "1m30s" }, { agents: "*" }] },
  });
  expect(todo).toEqual([
    "Nightly agent: call http://127.0.0.1:7766/beat/nightly-agent instead of its push address",
    "Strict: call http://127.0.0.1:7766/beat/strict instead of its push address",
    "Strict is paused: rollcall agents pause strict",
  ]);
});

test("carries channels and who is told, and never a secret", () => {
  const imported = read({
    notificationList,
    monitorList: {
      "1": { ...http, maxretries: 0 },
      "2": { ...http, id: 2, name: "Web", notificationIDList: { "5": true } },
    },
  });
  expect(imported.config).toMatchObject({
    channels: {
      "ops-telegram": { kind: "telegram", chat: -1_001_234_567_890, tokenEnv: "OPS_TELEGRAM_TOKEN" },
      mail: {
        kind: "email",
        from: "kuma@example.org",
        to: ["a@example.org", "b@example.org"],
        host: "smtp.example.org",
        port: 465,
        user: "kuma",
        passwordEnv: "MAIL_PASSWORD",
      },
      chat: { kind: "slack", urlEnv: "CHAT_URL" },
      push: { kind: "ntfy", topic: "fleet-7f3a", tokenEnv: "PUSH_TOKEN", url: "https://ntfy.example.org" },
    },
    policy: {
      tell: [{ agents: "api", to: ["ops-telegram"] }, { agents: "web", after: "1m30s" }, { agents: "*" }],
    },
  });
  expect(imported.notCarried).toEqual([
    'the notification "Pager": Rollcall has no PagerDuty channel',
    'the notification "Odd": Rollcall has no constructor channel',
    'the notification "Own": the address of its server is invalid or contains a password',
  ]);
  expect(imported.todo).toContain(
    "set MAIL_PASSWORD for the channel mail: the value of smtpPassword in the backup",
  );
  expect(JSON.stringify(imported)).not.toContain("s3cr3t");
});

test("lists what it cannot carry", () => {
  const { config, notCarried } = read({
    monitorList: [
      { ...http, name: "Word", type: "keyword", maxredirects: 0, accepted_statuscodes: ["200-299", "401"] },
      { ...http, name: "Port", type: "port" },
      { ...http, name: "Down", upsideDown: true },
      { ...http, name: "Login", url: "https://me:s3cr3t@example.org" },
      { ...http, name: "Patch", method: "PATCH" },
      { ...http, name: "Slow", interval: 120, ignoreTls: true, headers: '{"x": 1}' },
    ],
  });
  expect(config).toMatchObject({ agents: [{ id: "word", http: { expect: "200-299" } }, { id: "slow" }] });
  expect(notCarried).toEqual([
    "Word: the keyword: Rollcall checks only the status of the answer",
    "Word: the other good statuses 401",
    'Port: Rollcall has no monitor of the type "port"',
    "Down: it is in upside-down mode, and Rollcall cannot require that an address does not answer",
    "Login: its address contains a password, and a config must not",
    "Patch: Rollcall does not send PATCH requests",
    "Slow: the headers and the body of its request",
    "Slow: the rule that bad certificates are accepted",
    "the monitors have different intervals; Rollcall checks all of them every 1m",
  ]);
});

test.each(["[]", '{"checks": []}', '"x"'])("%s is no backup", (text) => {
  expect(() => importUptimeKuma(text, "kuma.json")).toThrow(
    /^kuma\.json is not a backup of Uptime Kuma; expected/,
  );
});
