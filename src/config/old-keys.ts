import { valueAt } from "./problems.ts";

/** Keys that have a better name now. The old ones are still read. */
const OLD_KEYS: Readonly<Record<string, string>> = {
  hosts: "names",
  "daemon.heartbeat.telegram": "daemon.heartbeat.to",
};

/** One sentence for each old key in a config as it is written. */
export function oldKeysIn(written: unknown): readonly string[] {
  return Object.entries(OLD_KEYS)
    .filter(([old]) => isIn(written, old))
    .map(([old, name]) => `${old}: is now ${name}:; the old key still works`);
}

/** Whether a setting stands in a config as it is written, under its name or its old one. */
export function isWritten(written: unknown, path: string): boolean {
  const [old] = Object.entries(OLD_KEYS).find(([, name]) => name === path) ?? [];
  return isIn(written, path) || (old !== undefined && isIn(written, old));
}

function isIn(written: unknown, path: string): boolean {
  return valueAt(written, path.split(".")) !== undefined;
}
