import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { quoted } from "../../../core/quoted.ts";
import { type Check, type FreeLimit, fail, ok, warn } from "../check.ts";

/** Warned of at so many times the limit: time enough to do something. */
const EARLY = 5;
/** A beat is a file: with fewer left than this the spool is as good as full. */
const FEWEST_FILES = 1000;

export const diskCheck: Check = {
  name: "disk",
  looksAt:
    "free space on the home's disk: an error under 100 MB (or 1 % of a small disk, or `--min-free`), a warning under five times that",
  worst: "error",
  async run({ home, host, minFree }) {
    const path = nearestThere(home.path);
    const { free, total, freeFiles } = host.diskSpace(path);
    const limit = Math.min(minFree.bytes, total * minFree.part);
    const says = `${sayBytes(free)} of ${sayBytes(total)} are free on the disk of ${path}`;
    const todo = `Free some space; list the largest folders: du -xh ${quoted(path)} | sort -h | tail`;
    if (free < limit) return [fail(`${says}, under the limit of ${sayBytes(limit)}`, todo)];
    if (freeFiles !== undefined && freeFiles < FEWEST_FILES)
      return [
        fail(
          `the disk of ${path} can hold only ${freeFiles} more files`,
          `Remove files; count them: df -i ${quoted(path)}`,
        ),
      ];
    if (free < limit * EARLY) return [warn(`${says}, close to the limit of ${sayBytes(limit)}`, todo)];
    return [ok(says)];
  },
};

/** A home that is not there yet will be made on the disk of its nearest parent. */
function nearestThere(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(path) ? path : nearestThere(parent);
}

const MB = 1e6;

/** 100 MB; on disks under 10 GB one per cent of them. */
export const DEFAULT_FREE: FreeLimit = { bytes: 100 * MB, part: 0.01 };

const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1e3, MB, GB: 1e9, TB: 1e12 };

/** Reads `500MB`, `2 GB` or `5%`; undefined for anything else. */
export function parseFreeLimit(text: string): FreeLimit | undefined {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)\s*([kmgt]?b|%)$/i.exec(text.trim()) ?? [];
  if (amount === undefined) return undefined;
  const number = Number(amount);
  if (unit === "%")
    return number <= 100 ? { bytes: Number.POSITIVE_INFINITY, part: number / 100 } : undefined;
  return { bytes: number * (UNITS[unit.toUpperCase()] ?? 1), part: Number.POSITIVE_INFINITY };
}

/** `1.4 GB`: two digits that mean something are enough. */
function sayBytes(bytes: number): string {
  const [unit, size] = Object.entries(UNITS)
    .reverse()
    .find(([, each]) => bytes >= each) ?? ["B", 1];
  const amount = bytes / size;
  return `${amount < 10 && size > 1 ? amount.toFixed(1) : Math.round(amount)} ${unit}`;
}
