import { describe, expect, test } from "vitest";
import { UNIT_MARK, unitName, unitText } from "./unit.ts";

const parts = {
  scope: "system",
  program: { node: "/usr/bin/node", script: "/opt/rollcall/bin/rollcall.js" },
  path: "/usr/bin:/bin",
  watchdogMs: 60_000,
} as const;

const directives = (text: string) => text.split("\n").filter((line) => /^\w+=/.test(line));

describe("C8: the unit says what a watcher needs", () => {
  test.each([
    ["user", ["WantedBy=default.target"], ["User="]],
    ["system", ["WantedBy=multi-user.target", "User=root", "ProtectKernelModules=yes"], []],
    ["template", ["WantedBy=multi-user.target", "User=%i"], ["Protect", "Restrict", "NoNewPrivileges"]],
  ] as const)("for %s", (scope, there, absent) => {
    const lines = directives(unitText({ ...parts, scope }));
    expect(lines).toEqual(
      expect.arrayContaining([
        "After=network.target",
        "StartLimitIntervalSec=0",
        "Type=notify",
        "NotifyAccess=all",
        "ExecStart=/usr/bin/node /opt/rollcall/bin/rollcall.js up",
        "ExecReload=/bin/kill -HUP $MAINPID",
        "Restart=on-failure",
        "RestartSec=10s",
        "WatchdogSec=60s",
        "StandardOutput=journal",
        "StandardError=journal",
        "KillMode=process",
        "OOMPolicy=continue",
        "Environment=PATH=/usr/bin:/bin",
        ...there,
      ]),
    );
    for (const start of [
      ...absent,
      "PrivateTmp",
      "ProtectHome",
      "MemoryDenyWriteExecute",
      "Environment=ROLL",
    ]) {
      expect(lines.filter((line) => line.startsWith(start))).toEqual([]);
    }
  });

  test("it begins with the mark, and a template has a template's name", () => {
    expect(unitText(parts).startsWith(`${UNIT_MARK}\n[Unit]\n`)).toBe(true);
    expect([unitName("user"), unitName("system"), unitName("template")]).toEqual([
      "rollcall.service",
      "rollcall.service",
      "rollcall@.service",
    ]);
  });

  test.each([
    [90_000, "90s"],
    [1500, "1.5s"],
  ])("a watchdog of %i ms", (watchdogMs, span) => {
    expect(directives(unitText({ ...parts, watchdogMs }))).toContain(`WatchdogSec=${span}`);
  });
});

describe("paths arrive as they are", () => {
  test.each([
    ["a space", "/a b", '"/a b"', '"/a b"'],
    ["a percent sign", "/a%b", "/a%%b", "/a%%b"],
    ["a dollar sign, which is a variable in arguments only", "/a$b", '"/a$b"', '"/a$$b"'],
    ["other scripts", "/東京", '"/東京"', '"/東京"'],
  ])("with %s", (_, path, first, later) => {
    const text = unitText({ ...parts, program: { node: path, script: path }, config: path });
    expect(directives(text)).toContain(`ExecStart=${first} ${later} up --config ${later}`);
  });

  test.each([
    ["quotes", `/a"b'c`, `"/a\\"b'c"`],
    ["a backslash", "/a\\b", '"/a\\\\b"'],
  ])("with %s, but not that of node", (_, path, later) => {
    const text = unitText({ ...parts, program: { node: "/n", script: path } });
    expect(directives(text)).toContain(`ExecStart=/n ${later} up`);
    const act = () => unitText({ ...parts, program: { node: path, script: "/s" } });
    expect(act).toThrow("systemd cannot start");
  });

  test("in the environment, where a dollar sign is no variable", () => {
    const lines = directives(unitText({ ...parts, home: '/a b%c"d\\e$f' }));
    expect(lines).toContain('Environment="ROLLCALL_HOME=/a b%%c\\"d\\\\e$f"');
  });

  test("a newline is refused, because it would begin another directive", () => {
    const home = "/a\nExecStartPre=/bin/evil";
    expect(() => unitText({ ...parts, home })).toThrow(expect.objectContaining({ code: "bad-text" }));
  });
});

test("what was named is handed on: home, config and address", () => {
  const text = unitText({ ...parts, home: "/srv/roll", config: "/etc/rollcall.yaml", listen: "[::1]:7766" });
  expect(directives(text)).toEqual(
    expect.arrayContaining([
      'ExecStart=/usr/bin/node /opt/rollcall/bin/rollcall.js up --config /etc/rollcall.yaml --listen "[::1]:7766"',
      "Environment=ROLLCALL_HOME=/srv/roll",
    ]),
  );
});
