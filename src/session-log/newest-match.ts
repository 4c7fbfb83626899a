import { join } from "node:path";
import { type FileStat, type Files, sayFileError } from "../system/stat-files.ts";

/** Folders by date grow without end; of those that fit a pattern only the last by name are looked into, unless told otherwise. */
const MOST_FOLDERS = 40;
/** Of the files that fit, this many of the newest are asked whether they are the right ones. */
const MOST_ASKED = 50;

export interface Match {
  readonly path: string;
  readonly stat: FileStat;
}

/** The newest regular file that fits a pattern, and that `accepts` takes for its own. */
export async function newestMatch(
  pattern: string,
  files: Files,
  accepts?: (path: string) => Promise<boolean>,
  mostFolders?: number,
): Promise<Match | { problem: string }> {
  const { found, folders, failed } = await allMatches(pattern, files, mostFolders);
  if (accepts === undefined && found[0] !== undefined) return found[0];
  for (const one of found.slice(0, MOST_ASKED)) if (await accepts?.(one.path)) return one;
  if (found.length > 0)
    return { problem: `none of the ${found.length} files that fit ${pattern} is its own` };
  if (folders.length === 1 && failed !== undefined) {
    return { problem: `the log's folder ${folders[0]} ${sayFileError(failed)}` };
  }
  return { problem: `no file fits ${pattern}` };
}

/**
 * The regular files that fit a pattern, the newest first. `*` and `?` may stand in any part of the path and stand for
 * anything but a `/`; like in a shell, they do not stand for a leading dot. `\` takes a character as it is.
 */
export async function allMatches(
  pattern: string,
  files: Files,
  mostFolders = MOST_FOLDERS,
): Promise<{ found: readonly Match[]; folders: readonly string[]; failed?: unknown }> {
  const parts = pattern.split("/");
  let folders = [pattern.startsWith("/") ? "/" : "."];
  const last = parts.pop() ?? "";
  let failed: unknown;
  const fitting = async (part: string): Promise<string[]> => {
    const fits = matcher(part);
    const paths: string[] = [];
    for (const folder of folders) {
      const names = await files.list(folder).catch((error: unknown) => {
        failed = error;
        return [];
      });
      paths.push(...names.filter(fits).map((name) => join(folder, name)));
    }
    return paths;
  };
  for (const part of parts.filter((one) => one !== "")) {
    if (!/(?<!\\)[*?]/.test(part)) {
      folders = folders.map((folder) => join(folder, part.replace(/\\(.)/g, "$1")));
      continue;
    }
    folders = (await fitting(part)).sort().slice(-mostFolders);
  }
  const found: Match[] = [];
  for (const path of await fitting(last)) {
    const stat = await files.stat(path).catch(() => undefined);
    if (stat?.isFile()) found.push({ path, stat });
  }
  // Of two that were written at the same moment, the later name: names often carry a date.
  found.sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs || (a.path < b.path ? 1 : -1));
  return { found, folders, failed };
}

function matcher(part: string): (name: string) => boolean {
  const body = part.replace(
    /\\(.)|([*?])|([^*?\\]+)/g,
    (_, escaped?: string, wild?: string, text?: string) => {
      if (wild !== undefined) return wild === "*" ? "[^/]*" : "[^/]";
      return (escaped ?? text ?? "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    },
  );
  const form = new RegExp(`^${body}$`, "su");
  const hidden = part.startsWith(".");
  return (name) => (hidden || !name.startsWith(".")) && form.test(name);
}
