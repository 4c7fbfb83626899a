import { expect, test } from "vitest";
import { importHealthchecks } from "./healthchecks.ts";

const check = {
  name: "Filesystem Backup",
  slug: "filesystem-backup",
  tags: "",
  grace: 600,
  n_pings: 1,
  status: "up",
  methods: "",
  manual_resume: false,
  ping_url: "https://hc-ping.com/31365bce-8da9-4729-8ff3-aaa71d56b712",
  channels: "c1,c2",
  timeout: 3600,
};
const channels = {
  channels: [
    { id: "c1", name: "Team Slack", kind: "slack" },
    { id: "c2", name: "My Phone", kind: "sms" },
    { id: "c3", name: "Guild", kind: "discord" },
    { id: "c4", name: "Bot", kind: "telegram" },
  ],
};
const read = (checks: object, more?: object) =>
  importHealthchecks({
    checks: { file: "checks.json", text: JSON.stringify(checks) },
    ...(more === undefined ? {} : { channels: { file: "channels.json", text: JSON.stringify(more) } }),
  });

test("carries names, periods, grace, schedules and zones", () => {
  const cron = { ...check, name: "Nachtlauf Ä", slug: "", schedule: "15 5 * * *", tz: "Europe/Riga" };
  const { config, todo } = read({ checks: [check, cron] });
  expect(config).toEqual({
    agents: [
      { id: "filesystem-backup", name: "Filesystem Backup", every: "1h", grace: "10m" },
      {
        id: "nachtlauf-a",
        name: "Nachtlauf Ä",
        schedule: "15 5 * * *",
        timezone: "Europe/Riga",
        grace: "10m",
      },
    ],
  });
  expect(todo).toContain(
    "Filesystem Backup: ping http://127.0.0.1:7766/ping/KEY/filesystem-backup instead of its old address",
  );
});

test("carries channels that need nothing but a secret, and who is told", () => {
  const [quiet, lost] = [
    { ...check, name: "Quiet", slug: "quiet", channels: "" },
    { ...check, name: "Lost", slug: "lost", channels: "c2" },
  ];
  const { config, notCarried, todo } = read({ checks: [check, quiet, lost] }, channels);
  expect(config).toMatchObject({
    channels: {
      "team-slack": { kind: "slack", urlEnv: "TEAM_SLACK_URL" },
      guild: { kind: "discord", urlEnv: "GUILD_URL" },
    },
    // Nobody heard of "quiet". All who heard of "lost" are gone, so everybody hears of it now.
    policy: {
      tell: [
        { agents: "filesystem-backup", to: ["team-slack"] },
        { agents: "quiet", to: [] },
        { agents: "*" },
      ],
    },
  });
  expect(notCarried).toEqual([
    expect.stringContaining('the integration "My Phone": Rollcall has no sms channel'),
    expect.stringContaining("{ kind: telegram, chat: CHAT }"),
  ]);
  expect(todo).toContain('set TEAM_SLACK_URL to the webhook address of the integration "Team Slack"');
});

test("lists what it cannot carry", () => {
  const { config, notCarried, todo } = read({
    checks: [
      {
        ...check,
        tags: "prod db",
        methods: "POST",
        filter_body: true,
        manual_resume: true,
        status: "paused",
      },
      { ...check, name: "Month end", schedule: "*-*~1 12:00", tz: "UTC" },
      { ...check, name: "Empty", timeout: undefined },
      "rubbish",
    ],
  });
  expect(config).toMatchObject({ agents: [{ id: "filesystem-backup" }] });
  expect(notCarried).toEqual([
    "the integrations: add --channels FILE with the reply of GET /api/v3/channels/",
    'Filesystem Backup: the tags "prod db"',
    "Filesystem Backup: the rule that only POST counts as a ping",
    "Filesystem Backup: the keywords in pings and mails",
    "Filesystem Backup: the rule that a pause ends only by hand",
    'Month end: the schedule "*-*~1 12:00" is not a cron expression; write it as five fields',
    "Empty: it has neither a timeout in seconds nor a schedule",
    'checks[3]: expected a check, such as {"name": "Backup", "timeout": 3600}',
  ]);
  expect(todo).toContain("Filesystem Backup is paused: rollcall agents pause filesystem-backup");
});

test("says what it expected", () => {
  expect(() => read({ monitorList: [] })).toThrow(
    "checks.json is not an export of Healthchecks; expected the reply of GET /api/v3/checks/",
  );
  expect(() => read({ checks: [] }, { checks: [] })).toThrow("channels.json is not a list of integrations");
  expect(() => importHealthchecks({ checks: { file: "x", text: "0 1 * * * a" } })).toThrow("x is not JSON");
});
