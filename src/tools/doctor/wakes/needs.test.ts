import { describe, expect, it } from "vitest";
import { readCrontab } from "../../crontab.ts";
import { needsOfShell, needsOfWords } from "./needs.ts";
import { execCommands, readUnit, valuesOf } from "./unit.ts";

const around = {
  folder: "/home/me",
  variables: new Map([
    ["HOME", "/home/me"],
    ["PATH", "/usr/bin:/bin"],
  ]),
};

const needs = (line: string): string[] =>
  needsOfShell(line, around).needs.map(({ kind, name }) => `${kind} ${name}`);

describe("what a crontab line needs", () => {
  const table: readonly (readonly [line: string, ...needs: string[]])[] = [
    ["/opt/heartbeat.sh", "program /opt/heartbeat.sh"],
    ["heartbeat --now", "program heartbeat"],
    ["bin/heartbeat", "program /home/me/bin/heartbeat"],
    ["~/bin/heartbeat $HOME/x", "program /home/me/bin/heartbeat"],
    ["A=1 B='two words' /opt/x", "program /opt/x"],
    ["env -i -u B A=1 /opt/x", "program env", "program /opt/x"],
    ["env A=1 /opt/x", "program env", "program /opt/x"],
    ["cd /srv/bot && ./wake", "folder /srv/bot", "program /srv/bot/wake"],
    ["cd '/srv/my bot' && node wake.js", "folder /srv/my bot", "program node", "script /srv/my bot/wake.js"],
    ["/opt/my\\ bot/run", "program /opt/my bot/run"],
    ['"/opt/my bot/run" "a;b"', "program /opt/my bot/run"],
    ["/usr/bin/node --import /x.js -r y /opt/a.mjs --b", "program /usr/bin/node", "script /opt/a.mjs"],
    ["node -e 'go()'", "program node"],
    ["python3 -m heartbeat", "program python3"],
    ["python3 -u /opt/h.py", "program python3", "script /opt/h.py"],
    ["bash -lc 'cd /srv && ./h'", "program bash", "folder /srv", "program /srv/h"],
    ["sh -e /opt/h.sh", "program sh", "script /opt/h.sh"],
    ["flock -n /tmp/l timeout -k 5 60 /opt/h", ...["program flock", "program timeout", "program /opt/h"]],
    ["flock /tmp/l -c '/opt/h && true'", "program flock", "program /opt/h"],
    ["nice -n 10 ionice -c 3 /opt/h", "program nice", "program ionice", "program /opt/h"],
    ["/opt/h >> /var/log/h.log 2>&1 </dev/null", ...["output /var/log/h.log", "program /opt/h"]],
    ["/opt/h &>/var/log/h.log", "output /var/log/h.log", "program /opt/h"],
    ["[ -x /opt/h ] && /opt/h || echo no", "program /opt/h"],
    ["if test -f /x; then /opt/h; else /opt/i; fi", "program /opt/h", "program /opt/i"],
    [`X=/opt/h; $X/run; \${X}/more`, "program /opt/h/run", "program /opt/h/more"],
    ["$UNKNOWN/run", ...[]],
    ["$(which node) /opt/h.js", ...[]],
    ["/opt/h $(date +%s) `id`", "program /opt/h"],
    ["/opt/*/h", ...[]],
    ["(cd /srv; ./h) & /opt/i # /opt/j", "folder /srv", "program /srv/h", "program /opt/i"],
    [". /etc/profile; exec /opt/h", "file /etc/profile", "program /opt/h"],
    [
      "/usr/bin/node /opt/rollcall/bin/rollcall.js run allegro --timeout 5m -- /opt/agent.sh --x",
      ...["program /usr/bin/node", "script /opt/rollcall/bin/rollcall.js", "program /opt/agent.sh"],
    ],
    [
      "rollcall run allegro -- python3 bot.py",
      "program rollcall",
      "program python3",
      "script /home/me/bot.py",
    ],
  ];
  it.each(table)("%s", (line, ...expected) => {
    expect(needs(line)).toEqual(expected);
  });

  it("says when a quote is never closed", () => {
    expect(needsOfShell("/opt/h 'x", around).closed).toBe(false);
    expect(needsOfShell("/opt/h $(x", around).closed).toBe(false);
    expect(needsOfShell(`/opt/h "it's" 'a "b'`, around).closed).toBe(true);
  });

  it("looks for programs in the PATH that holds at that point", () => {
    const found = needsOfShell("export PATH=/opt/bin:$PATH; h; PATH=/x i", around).needs;
    expect(found.map(({ name, path }) => [name, path])).toEqual([
      ["h", "/opt/bin:/usr/bin:/bin"],
      ["i", "/x"],
    ]);
  });
});

describe("a crontab", () => {
  const text = [
    "# heartbeat",
    'PATH = "/opt/bin:/bin"',
    "*/15 * * * * /opt/h --at \\%H%input",
    "@reboot /opt/i",
    "# >>> rollcall >>>",
    "* * * * * /opt/j",
    "# <<< rollcall <<<",
    "* * * /opt/k",
  ].join("\n");

  it("gives its lines with the settings above them and without their input", () => {
    const lines = readCrontab(text, false);
    expect(lines.map(({ number, command, marked }) => [number, command, marked])).toEqual([
      [3, "/opt/h --at %H", false],
      [4, "/opt/i", false],
      [6, "/opt/j", true],
      [8, undefined, false],
    ]);
    expect(lines[0]?.settings.get("PATH")).toBe("/opt/bin:/bin");
  });

  it("has a user before the command where it is system-wide", () => {
    const [line] = readCrontab("0 * * * * root /opt/h\n", true);
    expect([line?.user, line?.command]).toEqual(["root", "/opt/h"]);
  });
});

describe("a unit", () => {
  const words = (value: string) =>
    execCommands(value, { h: "/home/me" }, new Map([["WHERE", "/srv"]])).map((command) => [...command]);
  const table: readonly { value: string; commands: (string | undefined)[][] }[] = [
    { value: "/opt/h --x", commands: [["/opt/h", "--x"]] },
    { value: "-!/opt/h", commands: [["/opt/h"]] },
    { value: "@/opt/h called given", commands: [["/opt/h", "given"]] },
    { value: '"/opt/my bot/h" "a b"', commands: [["/opt/my bot/h", "a b"]] },
    { value: "/opt/my\\x20bot/h \\x41\\s", commands: [["/opt/my bot/h", "A "]] },
    { value: "%h/bin/h %%", commands: [["/home/me/bin/h", "%"]] },
    {
      value: `/opt/h %i \${WHERE}/x $WHERE $OTHER $$`,
      commands: [["/opt/h", undefined, "/srv/x", "/srv", undefined, "$"]],
    },
    {
      value: "/opt/h a ; /opt/i \\; b",
      commands: [
        ["/opt/h", "a"],
        ["/opt/i", ";", "b"],
      ],
    },
  ];
  it.each(table)("runs $value", ({ value, commands }) => {
    expect(words(value)).toEqual(commands);
  });

  it("goes on after a backslash, and takes back with an empty value", () => {
    const text =
      "[Service]\nExecStart=/opt/a\n# ExecStart=/opt/b\nExecStart=\nExecStart=/opt/c \\\n; no\n  --d\n";
    expect(valuesOf(readUnit(text), "ExecStart")).toEqual(["/opt/c    --d"]);
  });

  it("needs the interpreter and the script", () => {
    const found = needsOfWords(["/usr/bin/node", "/opt/h.js"], around);
    expect(found.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "program /usr/bin/node",
      "script /opt/h.js",
    ]);
  });
});
