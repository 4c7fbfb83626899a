// A home that another user owns, or could write into, is not used.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, daemon, rollcall, runToEnd, temporaryHome } from "./product.ts";

const isRoot = process.geteuid?.() === 0;
const other = { uid: 65534, gid: 65534 };
/** Only root can give a folder away and act as another user; that user must be able to read this checkout. */
const canActAsOther = isRoot && spawnSync(process.execPath, [rollcall, "--version"], other).status === 0;

describe("a home that others can write", () => {
  it.each([
    { mode: 0o770, shown: "0770", others: "its group" },
    { mode: 0o777, shown: "0777", others: "every user of this machine" },
  ])("is refused with what mends it, and then used (mode $shown, $others)", async ({ mode, others }) => {
    const home = temporaryHome();
    chmodSync(home, mode);
    const says = `the home ${home} can be written by ${others} (mode 0${mode.toString(8)}); close it to others: chmod 700 ${home}`;
    for (const command of [["up"], ["status"], ["agents", "add", "x"], ["daemon", "start"]])
      expect(await cli(home, ...command)).toMatchObject({ status: 1, stderr: `rollcall: ${says}\n` });
    const { status, stdout } = await cli(home, "doctor");
    expect(status).toBe(2);
    expect(stdout).toContain(`Close it to others: chmod 700 ${home}`);
    chmodSync(home, 0o700);
    expect(await cli(home, "agents", "add", "x")).toMatchObject({ status: 0 });
  });
});

describe("a home that others can only read", () => {
  it("is closed by its daemon, which says so", async () => {
    const home = temporaryHome();
    chmodSync(home, 0o755);
    await daemon(home);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    const log = readFileSync(join(home, "logs", "rollcall.log"), "utf8");
    expect(log).toContain('"mode":"0755","msg":"the home was open to other users; its mode is 0700 now"');
  });
});

describe.skipIf(!canActAsOther)("a home of another user (needs root)", () => {
  const actAs = (user: typeof other, home: string, ...args: string[]) =>
    runToEnd("setpriv", [
      ...[`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"],
      ...[process.execPath, rollcall, ...args, "--home", home],
    ]);

  it("is refused, also if it is named", async () => {
    const home = temporaryHome();
    chmodSync(home, 0o755);
    const refused = await actAs(other, home, "status");
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain(`the home ${home} belongs to user 0, and this is user 65534`);
    expect(refused.stderr).toContain(`sudo chown -R 65534 ${home}`);
  });

  it("is used by root only if it is named", async () => {
    const user = temporaryHome();
    const home = join(user, ".rollcall");
    mkdirSync(home, { mode: 0o700 });
    chownSync(home, other.uid, other.gid);
    const unnamed = { HOME: user, ROLLCALL_HOME: "" };
    for (const command of [["status"], ["up"], ["beat", "x"], ["token", "list"]]) {
      const refused = await runToEnd(process.execPath, [rollcall, ...command], unnamed);
      expect(refused.status).toBe(1);
      expect(refused.stderr).toContain(
        `belongs to user 65534, and this is user 0; root uses it only if it is named: --home ${home}`,
      );
    }
    expect(await runToEnd(process.execPath, [rollcall, "status", "--home", home], unnamed)).toMatchObject({
      status: 0,
    });
    expect(await cli(home, "beat", "x")).toMatchObject({ status: 0 });
  });
});
