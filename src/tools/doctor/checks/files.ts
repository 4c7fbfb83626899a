import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { quoted } from "../../../core/quoted.ts";
import type { Home } from "../../../home/home.ts";
import { namesIn, sayKind, sayStranger } from "../../../system/files.ts";
import { type Check, type CheckFinding, ok, warn } from "../check.ts";

/** A folder full of rubbish gets as many findings as a person reads. */
const MOST = 10;

export const filesCheck: Check = {
  name: "files",
  looksAt: "the home's files: none is a pipe, device, link or folder, or belongs to another user",
  worst: "warning",
  async run({ home }) {
    const found = filesOf(home).flatMap(({ path, mayBeLink }) => oddness(path, mayBeLink));
    if (found.length === 0) return [ok("every file in the home is a plain file of its owner")];
    const rest = found.length - MOST;
    const more: CheckFinding = warn(`${rest} more files in the home are not plain files of its owner`);
    return rest > 0 ? [...found.slice(0, MOST), more] : found;
  },
};

/** Config and logs may lie elsewhere, with a link to them; what only Rollcall writes may not. */
function filesOf(home: Home): readonly { path: string; mayBeLink: boolean }[] {
  const own = [home.database, home.writerLock, home.pidFile, home.tokenFile, home.pingSecretFile];
  const inHome = namesIn(home.path).map((name) => join(home.path, name));
  const logs = namesIn(dirname(home.log)).map((name) => join(dirname(home.log), name));
  const written = [home.beats, home.spool, join(home.path, "cycles"), join(home.path, "work")].flatMap(
    (folder) => namesIn(folder).map((name) => join(folder, name)),
  );
  return [
    ...[...inHome, ...logs].map((path) => ({ path, mayBeLink: !own.includes(path) })),
    // A touched file may be a link: it is never opened.
    ...written.map((path) => ({ path, mayBeLink: !path.endsWith(".json") })),
  ];
}

function oddness(path: string, mayBeLink: boolean): readonly CheckFinding[] {
  const stat = look(path, mayBeLink);
  if (stat === undefined || stat.isSocket()) return [];
  // Names with an extension are files; others may be folders, such as the home's own.
  if (stat.isDirectory() && !/\.(json|jsonl|yaml|yml|db|pid|lock|log|out)$/.test(path)) return [];
  const why = sayKind(stat) ?? sayStranger(stat, path);
  if (why === undefined) return [];
  const todo = `Look at it, then move it away: ls -ld ${quoted(path)}`;
  return [warn(`${path} ${why}`, todo)];
}

function look(path: string, follows: boolean): Stats | undefined {
  try {
    return follows ? statSync(path) : lstatSync(path);
  } catch {
    // It is gone by now, or a link that leads nowhere.
    return undefined;
  }
}
