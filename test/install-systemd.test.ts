// `rollcall install systemd` into a folder of the test's own, with a systemctl that only notes what it is told.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { installSystemd, systemdUnit, uninstallSystemd } from "../src/tools/install/systemd.ts";
import { cli, root, runToEnd, temporaryHome } from "./product.ts";

/** A systemctl that notes its arguments and remembers whether the service is up. */
function fakeSystemd(home: string, failing = "") {
  const [systemctl, noted, up] = [join(home, "systemctl"), join(home, "noted"), join(home, "up")];
  const script = `#!/bin/sh
printf '%s\\n' "$*" >>'${noted}'
${failing}
case $* in
  *enable\\ --now*) : >'${up}' ;;
  *disable*) rm -f '${up}' ;;
  *is-enabled* | *is-active*) [ -f '${up}' ] ;;
esac
`;
  writeFileSync(systemctl, script, { mode: 0o755 });
  const unitDir = join(home, "units");
  const options = ["--unit-dir", unitDir, "--systemctl", systemctl];
  const told = () => {
    const lines = existsSync(noted) ? readFileSync(noted, "utf8").trim().split("\n") : [];
    writeFileSync(noted, "");
    return lines.filter((line) => line !== "");
  };
  return { systemctl, unitDir, options, told, unit: join(unitDir, "rollcall.service") };
}

describe("a service", () => {
  test.each([
    ["--user", "--user ", "default.target"],
    ["--system", "", "multi-user.target"],
  ])("%s is written, enabled and started, once", async (scope, manager, target) => {
    const home = temporaryHome();
    const { options, told, unit } = fakeSystemd(home);
    const first = await cli(home, "install", "systemd", scope, ...options);
    expect(first).toMatchObject({ status: 0, stderr: "" });
    expect(first.stdout).toContain(`wrote ${unit}\nenabled and started rollcall.service\n`);
    expect(told()).toEqual([`${manager}daemon-reload`, `${manager}enable --now rollcall.service`]);
    const text = readFileSync(unit, "utf8");
    expect(text).toContain(`WantedBy=${target}\n`);
    expect(text).toContain(`Environment=ROLLCALL_HOME=${home}\n`);
    expect(statSync(unit).mode & 0o777).toBe(0o644);

    const second = await cli(home, "install", "systemd", scope, ...options);
    expect(second.stdout).toContain("is up to date");
    expect(second.stdout).toContain("nothing to do");
    expect(told().filter((line) => !line.includes(" --quiet "))).toEqual([]);
    expect(readFileSync(unit, "utf8")).toBe(text);

    const removed = await cli(home, "uninstall", "systemd", scope, ...options);
    expect(removed).toMatchObject({ status: 0, stderr: "" });
    expect(told()).toEqual([`${manager}disable --now rollcall.service`, `${manager}daemon-reload`]);
    expect(existsSync(unit)).toBe(false);
    const again = await cli(home, "uninstall", "systemd", scope, ...options);
    expect(again.stdout).toContain("nothing to do");
    expect(told()).toEqual([]);
  });

  test("that was written but not started is started by the next install", async () => {
    const home = temporaryHome();
    const failing = fakeSystemd(home, 'case $* in *--now*) echo "no bus" >&2; exit 1 ;; esac');
    const first = await cli(home, "install", "systemd", "--user", ...failing.options);
    expect(first).toMatchObject({ status: 1, stdout: "" });
    expect(first.stderr).toContain("systemctl --user enable --now rollcall.service failed: no bus");
    failing.told();
    const { options, told } = fakeSystemd(home);
    expect((await cli(home, "install", "systemd", "--user", ...options)).status).toBe(0);
    expect(told()).toContain("--user enable --now rollcall.service");
  });

  test("that changes says how a running daemon takes it up", async () => {
    const home = temporaryHome();
    const { options, unit } = fakeSystemd(home);
    await cli(home, "install", "systemd", "--user", ...options);
    const config = join(home, "my config.yaml");
    writeFileSync(config, "agents: []\n");
    const { stdout } = await cli(home, "install", "systemd", "--user", ...options, "--config", config);
    expect(stdout).toContain("systemctl --user restart rollcall.service");
    expect(readFileSync(unit, "utf8")).toContain(`rollcall.js up --config "${config}"\n`);
  });

  test("of somebody else is neither changed nor removed", async () => {
    const home = temporaryHome();
    const { options, told, unit } = fakeSystemd(home);
    mkdirSync(join(home, "units"));
    writeFileSync(unit, "[Service]\nExecStart=/bin/true\n");
    for (const verb of ["install", "uninstall"]) {
      const done = await cli(home, verb, "systemd", "--user", ...options);
      expect(done).toMatchObject({ status: 1, stdout: "" });
      expect(done.stderr).toContain("was not written by Rollcall");
    }
    expect(readFileSync(unit, "utf8")).toBe("[Service]\nExecStart=/bin/true\n");
    expect(told()).toEqual([]);
  });

  test("is only shown with --print", async () => {
    const home = temporaryHome();
    const { options, told, unit } = fakeSystemd(home);
    const { status, stdout } = await cli(home, "install", "systemd", "--user", "--print", ...options);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^# Written by [\s\S]*\[Install\]\nWantedBy=default\.target\n$/);
    expect([existsSync(unit), told()]).toEqual([false, []]);
  });

  test.each([
    ["two kinds at once", ["--user", "--system"], 2, "cannot be used with"],
    ["a home for a template", ["--template", "--home", "/x"], 1, "--home cannot be used with a template"],
    [
      "a config that is not there",
      ["--user", "--config", "/no/such.yaml"],
      1,
      "/no/such.yaml: there is no such file",
    ],
    ["a home with a newline", ["--user", "--home", "/a\nb"], 1, "control character"],
  ])("is refused with %s", async (_, args, status, words) => {
    const home = temporaryHome();
    const { options, told } = fakeSystemd(home);
    const done = await cli(home, "install", "systemd", ...args, ...options);
    expect(done).toMatchObject({ status, stdout: "" });
    expect(done.stderr).toContain(words);
    expect([existsSync(join(home, "units")), told()]).toEqual([false, []]);
  });
});

/** A program that everybody can run, wherever this checkout lies. */
function openProgram(home: string) {
  chmodSync(home, 0o755);
  const [node, script] = [join(home, "node"), join(home, "rollcall.js")];
  for (const path of [node, script]) writeFileSync(path, "#!/bin/sh\n", { mode: 0o755 });
  return { node, script };
}

test("a template is written, and a user is left to be named", () => {
  const home = temporaryHome();
  const { systemctl, unitDir, told } = fakeSystemd(home);
  const env = { ...process.env, ROLLCALL_HOME: home };
  const options = { scope: "template", program: openProgram(home), unitDir, systemctl, env } as const;
  expect(installSystemd(options).said.join("\n")).toContain("systemctl enable --now rollcall@NAME");
  expect(told()).toEqual(["daemon-reload"]);
  const text = readFileSync(join(unitDir, "rollcall@.service"), "utf8");
  expect(text).toContain("User=%i\n");
  expect(text).not.toContain("ROLLCALL_HOME");
  expect(installSystemd(options).changed).toBe(false);
  expect(told()).toEqual([]);
  expect(uninstallSystemd(options).changed).toBe(true);
  expect(told()).toEqual(["stop rollcall@*.service", "disable rollcall@.service", "daemon-reload"]);
  expect(existsSync(join(unitDir, "rollcall@.service"))).toBe(false);
});

const hasVerify = spawnSync("systemd-analyze", ["--version"]).status === 0;

describe.skipIf(!hasVerify)("systemd-analyze finds nothing wrong (skipped where it is not installed)", () => {
  test.each([
    ["user", "rollcall.service"],
    ["system", "rollcall.service"],
    ["template", "rollcall@.service"],
  ] as const)("%s", async (scope, name) => {
    const home = temporaryHome();
    const unit = join(home, name);
    writeFileSync(unit, systemdUnit({ scope, program: openProgram(home) }));
    expect(await verify(unit, scope, home)).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("with hostile paths", async () => {
    const home = temporaryHome();
    const place = join(home, `a b %n "q" 'r' \\x $HOME`);
    const node = join(home, "a b %n $HOME", "node");
    const [script, config] = [join(place, "rollcall.js"), join(place, "c.yaml")];
    for (const path of [node, script, config]) {
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, "#!/bin/sh\n", { mode: 0o755 });
    }
    const unit = join(home, "rollcall.service");
    writeFileSync(unit, systemdUnit({ scope: "system", program: { node, script }, home: place, config }));
    expect(await verify(unit, "system", home)).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("and would find a program that is not there", async () => {
    const home = temporaryHome();
    const unit = join(home, "rollcall.service");
    writeFileSync(unit, "[Service]\nExecStart=/no/such/node x\n");
    expect((await verify(unit, "system", home)).stderr).toContain("/no/such/node");
  });

  function verify(unit: string, scope: string, home: string) {
    const args = [...(scope === "user" ? ["--user"] : []), "--man=no", "verify", unit];
    return runToEnd("systemd-analyze", args, { XDG_RUNTIME_DIR: home });
  }
});

describe("the script for a checkout", () => {
  const script = join(root, "scripts/install-systemd-service.sh");

  test("hands its arguments on", async () => {
    const home = temporaryHome();
    const done = await runToEnd("sh", [script, "--user", "--print"], { ROLLCALL_HOME: home });
    expect(done.stdout).toContain("ExecStart=");
    expect(done.stdout).toContain(`Environment=ROLLCALL_HOME=${home}\n`);
    expect(done.status).toBe(0);
  });

  test("says so where there is no node", async () => {
    const home = temporaryHome();
    symlinkSync("/usr/bin/dirname", join(home, "dirname"));
    const done = await runToEnd("/bin/sh", [script, "--print"], { PATH: home, NODE: join(home, "node") });
    expect(done).toMatchObject({ status: 1, stdout: "" });
    expect(done.stderr).toContain("cannot be executed");
  });
});
