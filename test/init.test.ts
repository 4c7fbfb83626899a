// The first config of a newcomer. The watcher's part is in first-five-minutes.test.ts.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rollcall, runToEnd, temporaryHome } from "./product.ts";

/** A user without agents, whose crontab has one job. */
function newcomer() {
  const user = temporaryHome();
  const tab = join(user, "tab");
  writeFileSync(tab, "MAILTO=me\n5 * * * * /bin/echo hello\n0 1 * * * /bin/mail me%text\n");
  const crontab = join(user, "crontab");
  writeFileSync(crontab, `#!/bin/sh\nif [ "$1" = -l ]; then cat ${tab}; else cat > ${tab}; fi\n`);
  chmodSync(crontab, 0o755);
  const home = join(user, ".rollcall");
  const env = {
    HOME: user,
    ROLLCALL_HOME: "",
    TMUX_TMPDIR: user,
    TMUX: "",
    SLACK_WEBHOOK_URL: "https://hooks.example.org/s3cret",
  };
  const init = (...args: string[]) =>
    runToEnd(process.execPath, [rollcall, "init", "--crontab", crontab, ...args], env);
  const undo = (...args: string[]) =>
    runToEnd(process.execPath, [rollcall, "uninstall", "cron", "--crontab", crontab, ...args], env);
  return { home, init, undo, jobs: () => readFileSync(tab, "utf8"), config: join(home, "rollcall.yaml") };
}

it("what init wrote into the crontab, uninstall takes out again, and the user's own lines come back", async () => {
  const { home, init, undo, jobs } = newcomer();
  const before = jobs();
  await init("--yes", "--no-start", "--no-connect", "--cron", "--channel", "none");
  expect(jobs()).toContain("# Written by `rollcall init`; `rollcall uninstall cron --agent echo` puts");
  const changed = jobs();
  expect((await undo("--agent", "echo")).stdout).toContain("and put your own line back; take echo out of");
  expect(jobs()).toBe(before);

  writeFileSync(
    join(home, "../tab"),
    `${changed}# >>> rollcall daemon >>>\n* * * * * x\n# <<< rollcall <<<\n`,
  );
  const all = await undo("--all");
  expect(all.stdout).toMatch(/wakes agent echo .* put your own line back.*\n.*restarts the daemon/);
  expect(jobs()).toBe(before);
});

it("init shows first, asks a person only, writes a config once, and changes the crontab only if it may", async () => {
  const { home, init, jobs, config } = newcomer();
  const before = jobs();
  const asked = await init();
  expect(asked).toMatchObject({
    status: 2,
    stdout: "",
    stderr: expect.stringContaining("use --yes, or --print"),
  });
  const shown = await init("--print");
  expect(shown.stdout).toContain("echo   job of cron");
  expect(shown.stdout).toContain("not watched: crontab line 3: its command reads the text after %");
  expect(shown.stdout).toContain("policy: { group: 10s }");
  expect(existsSync(home)).toBe(false);
  expect(await init("--yes", "--channel", "pigeon")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("desktop, ntfy"),
  });
  expect(await init("--yes", "--channel", "telegram")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("--channel telegram:VALUE"),
  });

  const quiet = ["--yes", "--no-start", "--no-connect", "--json"];
  const { stdout } = await init(...quiet, "--cron", "--channel", "slack");
  expect(JSON.parse(stdout)).toMatchObject({ file: config, written: true, crontab: true, watcher: null });
  const text = readFileSync(config, "utf8");
  expect(text).toContain("- { id: echo, schedule: 5 * * * *,");
  expect(text).not.toContain("s3cret");
  expect(statSync(join(home, "secrets/slack")).mode & 0o777).toBe(0o600);
  expect(jobs()).toMatch(/^MAILTO=me\n# >>> rollcall agent echo >>>\n[\s\S]*run echo -- \/bin\/echo hello\n/);
  expect(readFileSync(join(home, "crontab.before-init"), "utf8")).toBe(before);

  writeFileSync(config, "agents: []\n");
  expect((await init("--yes", "--no-start", "--no-connect")).stdout).toContain(
    "already exists; it stays as it is",
  );
  expect(readFileSync(config, "utf8")).toBe("agents: []\n");
});
