import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative } from "node:path";
import { expandTilde } from "../agent/home.ts";
import { SIGNALS } from "../signals/registry.ts";

/** Where an agent that is added over the network may have its files. */
export interface Allowed {
  readonly folders: readonly string[];
  /** The home holds tokens and the database: of what is in it only its logs may be named. */
  readonly home: string;
}

type Signals = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** The settings that name a file, a folder or a socket to look at. */
const PATHS = SIGNALS.flatMap(({ kind, paths }) => paths.map((key) => [kind, key] as const));

/**
 * What is wrong with the paths that an agent names, if anything is. An added agent's log can be read over the network: a
 * token that may add agents must not become a way to read any file of this user.
 */
export function pathProblem(agent: unknown, allowed: Allowed): string | undefined {
  const signals = agent as Signals;
  for (const [signal, key] of PATHS) {
    const path = filled(signals[signal]?.[key], signals[signal]?.keys);
    if (typeof path !== "string" || isAllowed(path, allowed)) continue;
    const folders = allowed.folders.join(", ");
    return (
      `${signal}.${key}: expected a path in one of the folders of access.folders (${folders}), not "${path}"; ` +
      "the owner of the home adds any path with `rollcall agents add`, or in the config file"
    );
  }
  return undefined;
}

/** A path with the keys of its own filled in, so that none of them leads elsewhere unseen. */
function filled(path: unknown, keys: unknown = {}): unknown {
  if (typeof path !== "string" || typeof keys !== "object") return path;
  return Object.entries({ ...keys }).reduce(
    (text, [key, value]) => text.replaceAll(`{${key}}`, String(value)),
    path,
  );
}

function isAllowed(path: string, { folders, home }: Allowed): boolean {
  const full = expandTilde(path.replaceAll("{home}", homedir()));
  if (!isAbsolute(full) || full.split("/").includes("..")) return false;
  const fixed = fixedPart(full);
  const places = folders.map((folder) => expandTilde(folder));
  const isIn = (within: (folder: string) => boolean, kept: string) =>
    places.some(within) && (within(kept) || !within(home));
  const logs = join(home, "logs");
  if (!isIn((folder) => isWithin(fixed, folder), logs)) return false;
  // A pattern may lead from above the home into it.
  if (fixed !== full && isWithin(home, fixed)) return false;
  // A link in such a folder leads elsewhere.
  const real = realPath(fixed);
  return isIn((folder) => isWithin(real, realPath(folder)), logs);
}

/** What stands before the first part that a pattern or a key leaves open. */
function fixedPart(path: string): string {
  const parts = path.split("/");
  const open = parts.findIndex((part) => /[*?{\\]/.test(part));
  return open < 0 ? path : parts.slice(0, open).join("/") || "/";
}

/** Where a path leads, as far as it is there. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), relative(parent, path));
  }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}
