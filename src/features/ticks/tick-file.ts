import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { FoundTick } from "../../core/tick/check.ts";
import { TickError } from "../../core/tick/error.ts";
import { type Month, parseMonth } from "../../core/tick/period.ts";
import type { TickFile } from "../../core/tick/tick.ts";

const LONGEST = 1024 * 1024;

/** Reads what stands where a tick should be. Ids are checked before; links, pipes and giants are not read. */
export function findTick(ticks: string, month: Month, agent: string): { found: FoundTick; text?: string } {
  const unreadable = (why: string) => ({ found: { unreadable: `${month}/${agent}.json ${why}` } });
  const root = realpathSync(ticks);
  const path = join(root, month, `${agent}.json`);
  let file: number | undefined;
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { found: "absent" };
    if (realpathSync(path) !== path) return unreadable("is a link, or in a folder that is one");
    // Opening a pipe would wait for somebody who writes.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    if (!stat.isFile()) return unreadable("is not a file");
    if (stat.size > LONGEST) return unreadable(`is longer than ${LONGEST} bytes`);
    const text = readFileSync(file, "utf8");
    return { ...parsed(text, unreadable), text };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return unreadable(
      code === "ENOENT" || code === "ELOOP" ? "is a link that leads nowhere" : `cannot be read (${code})`,
    );
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function parsed(text: string, unreadable: (why: string) => { found: FoundTick }): { found: FoundTick } {
  try {
    return { found: { value: JSON.parse(text) as unknown } };
  } catch {
    return unreadable("is not JSON");
  }
}

/** The newest month before this one in which the agent has a tick. */
export function lastTickBefore(ticks: string, month: Month, agent: string): Month | undefined {
  const months = readdirSync(ticks).filter((name) => parseMonth(name) !== undefined && name < month);
  return months
    .sort()
    .reverse()
    .find((name) => existsSync(join(ticks, name, `${agent}.json`)));
}

/**
 * Writes a tick in its place at once; the one that stood there goes to the history. Killed at any moment, either the
 * earlier or the new one is in its place.
 */
export function writeTick(ticks: string, tick: TickFile): { file: string; earlier?: string } {
  const folder = join(ticks, tick.month);
  const file = join(folder, `${tick.agent}.json`);
  const temporary = join(folder, `.${tick.agent}-${randomBytes(6).toString("hex")}`);
  try {
    mkdirSync(folder, { recursive: true });
    if (realpathSync(folder) !== join(realpathSync(ticks), tick.month)) {
      throw new TickError("unwritable", `${folder} is a link to another place; make it a folder`);
    }
    writeFileSync(temporary, `${JSON.stringify(tick, null, 2)}\n`, { flag: "wx", flush: true });
    const earlier = keepEarlier(folder, file, tick.agent);
    renameSync(temporary, file);
    return earlier === undefined ? { file } : { file, earlier };
  } catch (error) {
    removeIfThere(temporary);
    if (error instanceof TickError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new TickError("unwritable", `cannot write ${file} (${code ?? "failed"})`, { cause: error });
  }
}

function removeIfThere(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Where its folder is none, it was never there: the first error is the one to tell.
  }
}

/** Another name for the same file: nothing is copied, and the tick stays in its place until the new one takes it. */
function keepEarlier(folder: string, file: string, agent: string): string | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile()) return undefined;
  const history = join(folder, "history");
  mkdirSync(history, { recursive: true });
  const stamp = stat.mtime.toISOString().replaceAll(":", "-");
  for (let i = 0; ; i += 1) {
    const kept = join(history, `${agent}.${stamp}${i === 0 ? "" : `.${i}`}.json`);
    try {
      linkSync(file, kept);
      return kept;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EEXIST") {
        // Some file systems know no second names.
        copyFileSync(file, kept, constants.COPYFILE_EXCL);
        return kept;
      }
      if (lstatSync(kept).ino === stat.ino) return kept;
    }
  }
}
