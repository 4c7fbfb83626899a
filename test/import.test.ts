// `rollcall import` as its owner calls it, with a crontab program of the test's own.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, rollcall, temporaryHome } from "./product.ts";

process.env.PATH = "/usr/local/bin:/usr/bin:/bin";

/** A home with one file or folder of each kind in it, and a crontab that names some of them. */
function started() {
  const home = temporaryHome();
  const at = (name: string) => join(home, name);
  const put = (name: string, content: unknown, mode = 0o600) =>
    writeFileSync(at(name), typeof content === "string" ? content : JSON.stringify(content), { mode });
  for (const folder of ["allegro", "fleet", "fleet/config", "fleet/ticks"]) mkdirSync(at(folder));
  put("allegro/heartbeat_daemon.py", '#!/usr/bin/env python3\nAGENT_NAME = "allegro"\n', 0o755);
  put("fleet/config/agent-registry.json", { agents: [{ id: "allegro", active: true, home_dir: home }] });
  const jobs = ["PATH=/usr/bin", "*/15 * * * * /srv/presto/run.sh", "30 2 * * * ./backup.sh > /tmp/b.log"];
  put("jobs.cron", `${jobs.join("\n")}\n0 3 * * * /bin/long ${"x".repeat(990)}\n`);
  put("dump.pm2", [
    { name: "bot", pm_exec_path: "/srv/bot.js", pm_cwd: "/srv", exec_interpreter: "node", status: "online" },
  ]);
  put("checks.json", {
    checks: [{ name: "Backup", slug: "backup", timeout: 3600, grace: 600, channels: "c1" }],
  });
  put("channels.json", { channels: [{ id: "c1", name: "Team", kind: "slack" }] });
  put("kuma.json", {
    notificationList: [
      { id: 1, name: "Ops", config: '{"type":"telegram","telegramChatID":"-42","telegramBotToken":"x"}' },
    ],
    monitorList: [
      { id: 1, name: "API", type: "http", url: "https://example.org", interval: 60, maxretries: 1 },
    ],
  });
  put(
    "spooled",
    `0 1 * * * others\n*/15 * * * * ${at("allegro/heartbeat_daemon.py")}\n0 18 4 * * ${at("fleet/check.py")}\n`,
  );
  put("fake-crontab", `#!/bin/sh\n[ "$1" = -l ] && cat '${at("spooled")}'\n`, 0o755);
  const run = (...args: string[]) => cli(home, "import", ...args, "--crontab", at("fake-crontab"));
  return { home, at, put, run };
}

test("A5, D6: what every import prints passes config check as it stands", async () => {
  const { home, at, put, run } = started();
  const sources = [
    ["heartbeat-daemon", at("allegro")],
    ["tick-scripts", at("fleet")],
    ["pm2", at("dump.pm2")],
    ["healthchecks", at("checks.json"), "--channels", at("channels.json")],
    ["uptime-kuma", at("kuma.json")],
    ["crontab", at("jobs.cron")],
  ];
  for (const [kind = "", ...words] of sources) {
    const printed = await run(kind, ...words);
    expect([kind, printed.status]).toEqual([kind, 0]);
    expect(printed.stderr).toContain("Remove these once Rollcall is watching:\n");
    put(`${kind}.yaml`, printed.stdout);
    const checked = await cli(home, "config", "check", "--config", at(`${kind}.yaml`));
    expect([kind, checked.status, checked.stdout]).toEqual([
      kind,
      0,
      expect.stringMatching(/ is (fine|valid)/),
    ]);
  }
  expect(readFileSync(at("spooled"), "utf8")).toContain("heartbeat_daemon.py\n");
  expect(existsSync(at("rollcall.yaml"))).toBe(false);
});

test("A5: --write makes the config and a whole new crontab, and replaces neither unasked", async () => {
  const { home, at, run } = started();
  const daemon = at("allegro/heartbeat_daemon.py");
  const written = await run("heartbeat-daemon", at("allegro"), "--write");
  expect(written.stdout).toBe(
    `wrote ${at("rollcall.yaml")}; check it: rollcall config check\n` +
      `wrote ${at("crontab.imported")}; install it: crontab ${at("crontab.imported")}\n`,
  );
  expect(written.stderr).toContain(`  crontab line 2: */15 * * * * ${daemon}\n`);
  const lines = readFileSync(at("crontab.imported"), "utf8").split("\n");
  expect(lines[0]).toBe("0 1 * * * others");
  expect(lines.find((line) => line.startsWith("*/15"))).toMatch(
    new RegExp(
      `^\\*/15 \\* \\* \\* \\* /usr/bin/env ROLLCALL_HOME=${home} \\S+ ${rollcall} run allegro -- ${daemon}$`,
    ),
  );
  expect(statSync(at("crontab.imported")).mode & 0o777).toBe(0o600);
  expect((await cli(home, "config", "check")).status).toBe(0);

  const before = readFileSync(at("rollcall.yaml"), "utf8");
  const again = await run("crontab", at("jobs.cron"), "--write");
  expect(again).toMatchObject({ status: 1, stdout: "" });
  expect(again.stderr).toContain(
    `rollcall: ${at("rollcall.yaml")} exists, so nothing was written; write beside it`,
  );
  expect(readFileSync(at("rollcall.yaml"), "utf8")).toBe(before);

  const replaced = await run("crontab", at("jobs.cron"), "--write", "--force", "--json");
  expect(JSON.parse(replaced.stdout)).toMatchObject({
    config: { agents: [{ id: "presto", schedule: "*/15 * * * *" }, { id: "backup" }] },
    // A job that does not fit stays as it was.
    crontab: expect.stringMatching(
      /^PATH=\/usr\/bin\n# >>> rollcall agent presto >>>\n[\s\S]*\n0 3 \* \* \* \/bin\/long x+\n$/,
    ),
    canGo: [{ line: 1 }, { line: 2 }],
    notCarried: [expect.stringMatching(/^agent long: the command would have \d+ bytes/)],
    written: { config: at("rollcall.yaml"), crontab: at("crontab.imported") },
  });
  expect(readFileSync(at("rollcall.yaml"), "utf8")).toContain("id: presto");
});

test("a file of another kind is refused with what was expected", async () => {
  const { at, run } = started();
  for (const [words, says] of [
    [["crontab", at("jobs.cron"), "--write", "--config", "/proc/none/x.yaml"], "cannot be written (ENOENT)"],
    [["pm2", at("checks.json")], "is not a file of pm2; expected ~/.pm2/dump.pm2"],
    [["crontab", at("none")], `there is no file ${at("none")}`],
    [["tick-scripts", at("allegro")], "has no config/agent-registry.json; expected a checkout"],
    [["heartbeat-daemon", at("fleet/check.py")], "although crontab line 3 names it: that line runs nothing"],
  ] as const) {
    const { status, stdout, stderr } = await run(...words);
    expect([words[0], status, stdout]).toEqual([words[0], 1, ""]);
    expect(stderr).toMatch(/^rollcall: [^\n]*\n$/);
    expect(stderr).toContain(says);
  }
});
