import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { InstallError } from "../../home/install-error.ts";
import { runNow } from "../../system/exec.ts";
import { locked } from "../../system/lock.ts";

interface EditOptions {
  /** The program that reads and writes the crontab of the user. */
  readonly crontab: string;
  /** A folder of ours for the lock, so that two changes at once are both made. */
  readonly folder: string;
  /** Gives the new text. Each character stands for one byte. */
  readonly edit: (crontab: string) => string;
}

/** Reads the crontab, changes it, writes it and reads it back. Says whether there was anything to change. */
export function editCrontab({ crontab, folder, edit }: EditOptions): boolean {
  const first = readCrontab(crontab);
  if (edit(first) === first) return false;
  return locked(join(folder, "crontab.lock"), () => {
    const before = readCrontab(crontab);
    const after = edit(before);
    if (after === before) return false;
    write(crontab, after);
    if (readCrontab(crontab) === after) return true;
    const saved = join(folder, "crontab.before");
    writeFileSync(saved, before, { encoding: "latin1", mode: 0o600 });
    throw new InstallError(
      "crontab-failed",
      `the crontab is not as Rollcall wrote it; look at it with crontab -l (the one before: ${saved})`,
    );
  });
}

/**
 * The crontab of the user, one character a byte, because lines of others need not be UTF-8. Status 1 means both that
 * there is none and that it cannot be read; only the first one may be taken for an empty one.
 */
export function readCrontab(program: string): string {
  const { status, stdout, stderr } = runNow(program, ["-l"], { env: { ...process.env, LC_ALL: "C" } });
  if (status === 0) return stdout.toString("latin1");
  if (status === undefined) {
    throw new InstallError("no-cron", `cannot run ${program} (${stderr}); install cron first`);
  }
  if (status === 1 && /\bno crontab for\b|can't open .*: No such file/i.test(stderr)) return "";
  throw new InstallError(
    "crontab-failed",
    `${program} -l failed, so Rollcall wrote nothing: ${stderr || `status ${status}`}`,
  );
}

function write(program: string, text: string): void {
  const input = Buffer.from(text, "latin1");
  const { status, stderr } = runNow(program, ["-"], { env: { ...process.env, LC_ALL: "C" }, input });
  if (status === 0) return;
  throw new InstallError("crontab-failed", `${program} - failed: ${stderr || `status ${status}`}`);
}
