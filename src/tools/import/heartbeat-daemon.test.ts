import { describe, expect, test } from "vitest";
import { importHeartbeatDaemon, type OldDaemon } from "./heartbeat-daemon.ts";

const PYTHON = `#!/usr/bin/env python3
import time
AGENT_NAME = "allegro"
HEARTBEAT_FILE = "/root/.allegro/heartbeat.json"
INTERVAL = 15 * 60
STALE_AFTER = 20 * 60
`;
const read = (more: Partial<OldDaemon>) =>
  importHeartbeatDaemon({
    path: "/root/allegro",
    scripts: [{ path: "/root/allegro/heartbeat_daemon.py", text: PYTHON }],
    crontab: "",
    zone: "UTC",
    user: "root",
    home: "/root",
    ...more,
  });

describe("a daemon that cron wakes", () => {
  const crontab = `MAILTO=me
*/15 * * * * ~/allegro/heartbeat_daemon.py >> /tmp/x.log 2>&1
*/5 * * * * /root/allegro/check_heartbeat.sh
0 1 * * * /root/allegro-other/x.sh
`;

  test("A5: goes on under rollcall run, at its schedule, and the line that looked for missed beats can go", () => {
    const imported = read({ crontab });
    expect(imported.config).toEqual({
      agents: [
        { id: "allegro", schedule: "*/15 * * * *", timezone: "UTC", grace: "5m", process: { journal: true } },
      ],
    });
    expect(imported.wakes).toMatchObject([
      {
        schedule: "*/15 * * * *",
        args: ["run", "allegro", "--", "/bin/sh", "-c", "~/allegro/heartbeat_daemon.py >> /tmp/x.log 2>&1"],
        replaces: 1,
      },
    ]);
    expect(imported.canGo.map(({ line }) => line)).toEqual([1, 2]);
    expect(imported.todo).toEqual([
      "let programs that read /root/.allegro/heartbeat.json call rollcall check allegro or rollcall status allegro --json instead",
      expect.stringContaining("line 3 of the crontab looks for missed beats"),
    ]);
  });

  test("is found by its script alone, too", () => {
    const { canGo } = read({ path: "/root/allegro/heartbeat_daemon.py", crontab });
    expect(canGo.map(({ line }) => line)).toEqual([1]);
  });
});

test("a loop that nothing wakes is started at boot, and promises what its script says", () => {
  const text = "while true; do date > /tmp/stamp; sleep 9m; done\n# dead: find /tmp/stamp -mmin +20\n";
  const scripts = [{ path: "/srv/presto/bin/heartbeat.sh", text }];
  const { config, wakes } = read({ path: "/srv/presto", scripts });
  expect(config).toEqual({
    agents: [{ id: "presto", every: "9m", grace: "11m", process: { journal: true } }],
  });
  expect(wakes).toMatchObject([
    { schedule: "@reboot", args: ["run", "presto", "--", "/bin/sh", "/srv/presto/bin/heartbeat.sh"] },
  ]);
});

test("its chat is carried where the script names it, and listed where it does not", () => {
  const path = "/root/allegro/heartbeat_daemon.py";
  const send = 'curl "https://api.telegram.org/bot$TELEGRAM_BOT_TOKEN/sendMessage"\n';
  expect(read({ scripts: [{ path, text: `CHAT_ID=-1001234567890\n${send}` }] }).config).toMatchObject({
    channels: { telegram: { kind: "telegram", chat: -1_001_234_567_890 } },
  });
  expect(read({ scripts: [{ path, text: send }] }).notCarried).toEqual([
    expect.stringContaining("its messages to Telegram"),
  ]);
});

test("a folder without a script that nothing names is none", () => {
  expect(() => read({ scripts: [] })).toThrow(
    "/root/allegro contains no script, and no crontab line names it; expected the folder or the script",
  );
});
