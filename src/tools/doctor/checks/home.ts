import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  openSync,
  type Stats,
  statSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { unwritable } from "../../../agent/error.ts";
import { quoted } from "../../../core/quoted.ts";
import { checkHome, HomeRefusedError, prepareHome } from "../../../home/home.ts";
import { type Check, type CheckContext, type CheckFinding, fail, note, ok } from "../check.ts";

export const homeCheck: Check = {
  name: "home",
  looksAt: "the home and its folders exist, are writable, and are closed to other users",
  worst: "error",
  async run(context) {
    const { home } = context;
    const folders = [home.path, home.beats, home.spool, dirname(home.log)];
    const missing = folders.filter((folder) => look(folder) === undefined);
    const there = folders.filter((folder) => !missing.includes(folder));
    const found = [
      ...there.flatMap(lookAtFolder),
      ...[home.database, home.pidFile, home.tokenFile].flatMap(lookAtFile),
    ];
    // While a folder cannot be written, the others cannot be made in it either.
    const broken = found.length > 0;
    found.push(...refused(context));
    if (missing.length > 0 && !broken) found.push(createAll(context, missing));
    found.push(...[home.path, home.tokenFile, home.database].flatMap(lookAtMode));
    return found.length > 0 ? found : [ok(`${home.path} is writable`)];
  },
};

function refused({ home }: CheckContext): readonly CheckFinding[] {
  try {
    checkHome(home);
    return [];
  } catch (error) {
    if (!(error instanceof HomeRefusedError)) throw error;
    const { says, todo } = error.refused;
    return [fail(says, `${todo.charAt(0).toUpperCase()}${todo.slice(1)}`)];
  }
}

function createAll({ home, command }: CheckContext, missing: readonly string[]): CheckFinding {
  const says =
    missing[0] === home.path
      ? `the home ${home.path} does not exist`
      : `the home lacks ${missing.join(", ")}`;
  return {
    level: "warning",
    says,
    todo: `Create the missing folders: ${command("doctor --fix")}`,
    fix: { did: `created ${missing.join(", ")}`, apply: () => prepareHome(home) },
  };
}

/** Modes say little (root passes them by, a file system may be read-only): only trying tells. */
function lookAtFolder(folder: string): readonly CheckFinding[] {
  const file = join(folder, `.doctor-${randomBytes(6).toString("hex")}`);
  try {
    closeSync(openSync(file, "wx", 0o600));
    unlinkSync(file);
    return [];
  } catch (error) {
    const todo = `Check its owner and its type: ls -ld ${quoted(folder)}`;
    return [fail(unwritable(folder, error).message, todo)];
  }
}

function lookAtFile(file: string): readonly CheckFinding[] {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return [];
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String((error as NodeJS.ErrnoException).code))) return [];
    const todo = `Make it yours: sudo chown "$(id -un)" ${quoted(file)}`;
    return [fail(unwritable(file, error).message, todo)];
  }
}

/** A daemon closes a home of its own when it starts; one that others can write it refuses. */
function lookAtMode(path: string): readonly CheckFinding[] {
  const mode = (look(path)?.mode ?? 0) & 0o777;
  const shown = `0${mode.toString(8)}`;
  if ((mode & 0o007) !== 0) {
    return [
      {
        level: "warning",
        says: `${path} is open to every user of this machine (mode ${shown})`,
        todo: `Close it to other users: chmod go-rwx ${quoted(path)}`,
        fix: { did: `closed ${path} to other users`, apply: () => chmodSync(path, mode & ~0o077) },
      },
    ];
  }
  if ((mode & 0o070) === 0) return [];
  const todo = `Close it if the group should have no access: chmod go-rwx ${quoted(path)}`;
  return [note(`${path} is open to its group (mode ${shown})`, todo)];
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A parent that is not a folder or may not be entered: the parent's own finding says so.
    return undefined;
  }
}
