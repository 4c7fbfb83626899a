// `rollcall install cron` with a crontab program of the test's own: the crontab of whoever runs this is never touched.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cli, root, runToEnd, temporaryHome } from "./product.ts";

// The lines carry the PATH of whoever installs, and a long one would not fit beside the test's own long words.
process.env.PATH = "/usr/local/bin:/usr/bin:/bin";

/** A crontab program that keeps the crontab in a file, as Debian's does in its spool. */
function fakeCrontab(home: string, failing = "") {
  const [program, file] = [join(home, "fake-crontab"), join(home, "spooled")];
  const script = `#!/bin/sh
file='${file}'
${failing}
case $1 in
  -l) [ -f "$file" ] || { echo "no crontab for $(id -un)" >&2; exit 1; }; cat "$file" ;;
  -) cat >"$file.new" && mv "$file.new" "$file" ;;
  *) exit 2 ;;
esac
`;
  writeFileSync(program, script, { mode: 0o755 });
  return { program, file, read: () => readFileSync(file, "latin1") };
}

const OTHERS = "MAILTO=me\r\n# Gr\xfc\xdfe\n\n0 1 * * * a \\% b\n";

describe("the daemon's line", () => {
  test("A5: is put in once, and taken out again, and the rest stays byte for byte", async () => {
    const home = temporaryHome();
    const { program, file, read } = fakeCrontab(home);
    writeFileSync(file, OTHERS, "latin1");
    const first = await cli(home, "install", "cron", "--crontab", program);
    expect(first).toMatchObject({ status: 0, stderr: "" });
    expect(first.stdout).toBe("the line that restarts the daemon is in the crontab\n");
    const installed = read();
    expect(installed.startsWith(`${OTHERS}# >>> rollcall daemon >>>\n`)).toBe(true);
    expect(installed.endsWith("\n# <<< rollcall <<<\n")).toBe(true);
    const line = installed.split("\n").find((each) => each.startsWith("* * * * * "));
    expect(line).toMatch(
      /^\* \* \* \* \* \/usr\/bin\/env '?PATH=[^ ].* '?HOME=.* '?ROLLCALL_HOME=.* daemon ensure$/,
    );
    const paths = line?.split(" ").filter((word) => /\/(node|rollcall\.js)$/.test(word)) ?? [];
    expect(paths.map((path) => existsSync(path))).toEqual([true, true]);

    const second = await cli(home, "install", "cron", "--crontab", program);
    expect(second.stdout).toContain("nothing to do");
    expect(read()).toBe(installed);

    const removed = await cli(home, "uninstall", "cron", "--crontab", program);
    expect(removed).toMatchObject({
      status: 0,
      stdout: "removed the line that restarts the daemon from the crontab\n",
    });
    expect(read()).toBe(OTHERS);
    for (const which of [[], ["--all"]]) {
      const again = await cli(home, "uninstall", "cron", "--crontab", program, ...which);
      expect(again.stdout).toContain("nothing to do");
    }
  });

  test("hands on the home, the config and the address that were named", async () => {
    const home = temporaryHome("agents: []\n");
    const config = join(home, "rollcall.yaml");
    const named = ["--config", config, "--listen", "127.0.0.1:7777"];
    const shown = await cli(home, "install", "cron", "--print", ...named);
    expect(shown.stdout).toContain(`ROLLCALL_HOME=${home} `);
    expect(shown.stdout).toContain(`daemon ensure --config ${config} --listen 127.0.0.1:7777\n`);
    const bad = await cli(home, "install", "cron", "--print", "--listen", "here");
    expect(bad).toMatchObject({ status: 1, stderr: expect.stringContaining("expected an address such as") });
    expect((await cli(home, "install", "systemd", "--print", ...named)).stdout).toMatch(
      new RegExp(`^ExecStart=.* up --config ${config} --listen 127.0.0.1:7777$`, "m"),
    );
  });

  test("is shown without being written", async () => {
    const home = temporaryHome();
    const { program, file } = fakeCrontab(home);
    const { stdout } = await cli(home, "install", "cron", "--crontab", program, "--print");
    expect(stdout).toMatch(/ daemon ensure\n$/);
    expect(existsSync(file)).toBe(false);
  });

  test("works from a folder with spaces, quotes and percent signs", async () => {
    const home = temporaryHome();
    const place = join(home, "it's 100% $HOME");
    mkdirSync(join(place, "bin"), { recursive: true });
    writeFileSync(join(place, "bin/rollcall.js"), "console.log(JSON.stringify(process.argv.slice(2)))", {
      mode: 0o755,
    });
    writeFileSync(join(place, "package.json"), '{"type":"module"}');
    cpSync(join(root, "dist"), join(place, "dist"), { recursive: true });
    cpSync(join(root, "bin/rollcall.js"), join(place, "other/rollcall.cjs"));
    const { program, read } = fakeCrontab(home);
    const args = [
      join(place, "other/rollcall.cjs"),
      "install",
      "cron",
      "--crontab",
      program,
      "--home",
      place,
    ];
    expect(await runToEnd(process.execPath, args)).toMatchObject({ status: 0, stderr: "" });
    const line =
      read()
        .split("\n")
        .find((each) => each.startsWith("* * * * * ")) ?? "";
    const command = line.slice("* * * * * ".length).replaceAll("\\%", "%");
    expect((await runToEnd("/bin/sh", ["-c", command])).stdout).toBe('["daemon","ensure"]\n');
  });
});

describe("a wake of an agent", () => {
  const wake = (id: string, schedule: string, ...command: string[]) => [
    ...["install", "cron", "--agent", id, "--schedule", schedule],
    ...command,
  ];

  test("has a block for each agent, with the command as it was given", async () => {
    const home = temporaryHome();
    const { program, file, read } = fakeCrontab(home);
    writeFileSync(file, OTHERS, "latin1");
    const more = ["--crontab", program];
    await cli(
      home,
      ...wake(
        "allegro",
        "*/15 * * * *",
        ...more,
        "--timeout",
        "10m",
        "--",
        "sh",
        "-c",
        "a 100% \\% it's $(x)",
        "--home",
        "y",
      ),
    );
    await cli(home, ...wake("ezra", "@daily", ...more, "--", "sh", "-c", "naïve"));
    const both = read();
    expect(both.startsWith(OTHERS)).toBe(true);
    expect(both).toMatch(
      /\n\*\/15 \* \* \* \* .* run allegro --timeout 10m -- sh -c 'a 100\\% \\''\\% it'\\''s \$\(x\)' --home y\n/,
    );
    expect(both).toMatch(/\n@daily .* run ezra -- sh -c 'na\xc3\xafve'\n/);

    await cli(home, ...wake("allegro", "@hourly", ...more, "--", "sh"));
    expect(read()).toMatch(
      />>> rollcall agent allegro >>>\n#.*\n@hourly .* run allegro -- sh\n# <<< [\s\S]*agent ezra/,
    );
    const removed = await cli(home, "uninstall", "cron", "--agent", "allegro", ...more);
    expect(removed.stdout).toBe(
      "removed the line that wakes agent allegro from the crontab\nstill there: agent ezra (rollcall uninstall cron --all removes all)\n",
    );
    await cli(home, "uninstall", "cron", "--agent", "ezra", ...more);
    expect(read()).toBe(OTHERS);
  });

  test.each([
    ["seconds", wake("a", "0 * * * * *", "--", "sh"), 1, "has no seconds"],
    ["a newline in the command", wake("a", "@daily", "--", "sh", "-c", "a\nb"), 1, "newline"],
    ["a program that is not there", wake("a", "@daily", "--", "no-such-program"), 1, "no program"],
    ["no command", wake("a", "@daily"), 2, "--agent needs a command after --"],
    ["no schedule", ["install", "cron", "--agent", "a", "--", "sh"], 2, "a wake needs --schedule"],
    ["no agent", ["install", "cron", "--schedule", "@daily", "--", "sh"], 2, "need --agent ID"],
    ["a name that is none", wake("a b", "@daily", "--", "sh"), 2, "--agent: expected"],
    [
      "a time-out that is none",
      wake("a", "@daily", "--timeout", "soon", "--", "sh"),
      2,
      "a duration such as 10m",
    ],
    ["a command that is too long", wake("a", "@daily", "--", "sh", "x".repeat(1000)), 1, "at most 998"],
  ])("is refused: %s", async (_, args, status, words) => {
    const home = temporaryHome();
    const { program, file } = fakeCrontab(home);
    const [verb = "", kind = "", ...rest] = args;
    const done = await cli(home, verb, kind, "--crontab", program, ...rest);
    expect(done).toMatchObject({ status, stdout: "" });
    expect(done.stderr).toContain(words);
    expect(existsSync(file)).toBe(false);
  });
});

describe("nothing is written", () => {
  test.each([
    [
      "if the crontab cannot be read",
      'echo "you are not allowed to use this program" >&2; exit 1',
      "not allowed",
    ],
    ["if reading fails without a word", '[ "$1" = -l ] && exit 1', "status 1"],
    ["if cron does not take it", '[ "$1" = - ] && { echo "bad minute" >&2; exit 1; }', "bad minute"],
  ])("%s", async (_, failing, words) => {
    const home = temporaryHome();
    const { program, file, read } = fakeCrontab(home, failing);
    writeFileSync(file, OTHERS, "latin1");
    const done = await cli(home, "install", "cron", "--crontab", program);
    expect(done).toMatchObject({ status: 1, stdout: "" });
    expect(done.stderr).toContain(words);
    expect(read()).toBe(OTHERS);
  });

  test("if there is no cron", async () => {
    const home = temporaryHome();
    const done = await cli(home, "install", "cron", "--crontab", join(home, "nowhere"));
    expect(done).toMatchObject({ status: 1, stdout: "" });
    expect(done.stderr).toContain("install cron first");
  });

  test("if a block does not end", async () => {
    const home = temporaryHome();
    const { program, file, read } = fakeCrontab(home);
    const broken = `# >>> rollcall daemon >>>\n${OTHERS}`;
    writeFileSync(file, broken, "latin1");
    const done = await cli(home, "uninstall", "cron", "--crontab", program);
    expect(done.stderr).toContain("line 1 of the crontab");
    expect(read()).toBe(broken);
  });
});

test("a crontab that does not read back as it was written is told, and the one before is kept", async () => {
  const home = temporaryHome();
  const { program, file } = fakeCrontab(home, '[ "$1" = - ] && { head -c 10 >"$file"; exit 0; }');
  writeFileSync(file, OTHERS, "latin1");
  const done = await cli(home, "install", "cron", "--crontab", program);
  expect(done).toMatchObject({ status: 1, stdout: "" });
  expect(done.stderr).toContain(`(the one before: ${join(home, "crontab.before")})`);
  expect(readFileSync(join(home, "crontab.before"), "latin1")).toBe(OTHERS);
});

test("of ten wakes installed at once, all are there", async () => {
  const home = temporaryHome();
  const { program, read } = fakeCrontab(home);
  const ids = Array.from({ length: 10 }, (_, i) => `agent${i}`);
  await Promise.all(
    ids.map((id) =>
      cli(home, "install", "cron", "--crontab", program, "--agent", id, "--schedule", "@daily", "--", "sh"),
    ),
  );
  for (const id of ids) expect(read()).toContain(`# >>> rollcall agent ${id} >>>\n`);
});
