// Debian's real cron wakes the watcher and an agent, and brings both back after kill -9. It runs in a mount namespace
// of its own with an empty spool, so that nobody's crontab is touched.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { cli, rollcall, runToEnd, temporaryHome, until } from "./product.ts";

const CRON = "/usr/sbin/cron";
const WORLD = `
set -e
mount -t tmpfs tmpfs /var/spool/cron
mkdir -p /var/spool/cron/crontabs
chgrp crontab /var/spool/cron/crontabs
chmod 1730 /var/spool/cron/crontabs
# Cron compares times by the second: a crontab of the very second in which it starts would never be seen.
touch -d '1 hour ago' /var/spool/cron/crontabs
mount -t tmpfs tmpfs /etc/cron.d
mount --bind /dev/null /etc/crontab
mount -t tmpfs tmpfs /run
echo ready
exec ${CRON} -f
`;

function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return "only root can give cron a spool of its own";
  if (!existsSync(CRON) || !existsSync("/usr/bin/crontab")) return "there is no cron here";
  if (spawnSync("unshare", ["--mount", "true"]).status !== 0) return "no mount namespace can be made here";
  return undefined;
}

/** A running cron, and a way to run commands where its crontab is the crontab. */
async function realCron() {
  const cron = spawn("unshare", ["--mount", "--propagation", "private", "sh", "-c", WORLD], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = new Promise((done) => cron.once("exit", done));
  onTestFinished(async () => {
    cron.kill("SIGKILL");
    await gone;
  });
  await new Promise((done) => cron.stdout.once("data", done));
  return (env: Record<string, string>, ...args: string[]) =>
    runToEnd("nsenter", ["--mount", "--target", String(cron.pid), process.execPath, rollcall, ...args], env);
}

interface Kept {
  readonly incarnation?: { readonly pid: number };
  readonly wrapper?: { readonly pid: number };
  readonly cycle?: number;
}

function jsonOf(...path: string[]): Kept | undefined {
  try {
    return JSON.parse(readFileSync(join(...path), "utf8")) as Kept;
  } catch {
    return undefined;
  }
}

function pidIn(home: string): number | undefined {
  try {
    return Number(readFileSync(join(home, "rollcall.pid"), "utf8").split("\n")[0]);
  } catch {
    return undefined;
  }
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}

const why = whyNot();

describe.skipIf(why !== undefined)(`real cron${why === undefined ? "" : ` (skipped: ${why})`}`, () => {
  test("A7: wakes the watcher and an agent, and after kill -9 reports both crashes and recovers", {
    timeout: 600_000,
  }, async () => {
    const home = temporaryHome("listen: 127.0.0.1:0\nagents: [{ id: allegro, every: 1m, grace: 1m }]\n");
    const env = { ROLLCALL_HOME: home };
    const inCron = await realCron();
    const work = join(home, "work of allegro.sh");
    writeFileSync(
      work,
      `env > "${home}/$ROLLCALL_CYCLE.env"\n"${process.execPath}" "${rollcall}" beat allegro --action "dig deep"\nsleep 200\n`,
    );
    expect(await inCron(env, "install", "cron")).toMatchObject({ status: 0 });
    const wake = ["install", "cron", "--agent", "allegro", "--schedule", "* * * * *", "--", "/bin/sh", work];
    expect(await inCron(env, ...wake)).toMatchObject({ status: 0 });
    onTestFinished(() => {
      kill(pidIn(home));
      kill(jsonOf(home, "cycles", "allegro.json")?.wrapper?.pid);
      const pid = jsonOf(home, "cycles", "allegro.json")?.incarnation?.pid;
      if (pid !== undefined) kill(-pid);
    });

    const isUp = () =>
      JSON.parse(readFileSync(join(home, "rollcall.pid"), "utf8").split("\n")[1] ?? "{}") as object;
    await until(() => existsSync(join(home, "rollcall.pid")) && "url" in isUp(), Boolean);
    await until(
      () => JSON.stringify(jsonOf(home, "beats", "allegro.json")),
      (beat) => beat?.includes("dig deep") === true,
    );
    const first = pidIn(home);
    const journal = jsonOf(home, "cycles", "allegro.json");
    // On a busy machine the first cycle may be over before its beat is seen.
    const began = journal?.cycle ?? 0;
    expect(began).toBeGreaterThan(0);

    kill(first);
    kill(journal?.wrapper?.pid);
    expect(journal?.incarnation?.pid).toBeGreaterThan(1);
    kill(-(journal?.incarnation?.pid ?? Number.NaN));
    const next = join(home, `${began + 1}.env`);
    await until(() => existsSync(next), Boolean);
    await until(
      () => pidIn(home) !== first && existsSync(join(home, "rollcall.pid")) && "url" in isUp(),
      Boolean,
    );

    const woken = readFileSync(next, "utf8");
    expect(woken).toContain("ROLLCALL_RECOVERING=1\n");
    expect(woken).toContain(`ROLLCALL_LAST_CYCLE=${join(home, "cycles", "allegro.last.json")}\n`);
    const status = JSON.parse((await cli(home, "daemon", "status", "--json")).stdout) as object;
    expect(status).toMatchObject({ running: true, lastCrash: { incarnation: { pid: first } } });
    const crashed = await until(
      async () =>
        (JSON.parse((await cli(home, "cycles", "allegro", "--json")).stdout) as { cycles: object[] })
          .cycles[1],
      Boolean,
    );
    expect(crashed).toMatchObject({ number: began, outcome: "crashed", lastAction: "dig deep" });
    await until(
      () => cli(home, "check", "allegro"),
      ({ status: code }) => code === 0,
    );

    expect(await inCron(env, "uninstall", "cron", "--agent", "allegro")).toMatchObject({ status: 0 });
    expect(await inCron(env, "uninstall", "cron")).toMatchObject({ status: 0 });
    expect(await cli(home, "daemon", "stop")).toMatchObject({ status: 0 });
  });
});
