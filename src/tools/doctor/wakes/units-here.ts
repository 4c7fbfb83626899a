import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../host.ts";
import { list, textOf } from "../read.ts";
import { OURS } from "./crontabs-here.ts";
import { readUnit, type Setting } from "./unit.ts";

/** A systemd unit that concerns us, with its drop-ins. */
export interface Unit {
  readonly name: string;
  readonly file: string;
  readonly manager: "system" | "user";
  /** Undefined if the file is a link that leads nowhere. */
  readonly settings: readonly Setting[] | undefined;
}

const SYSTEM = [
  "/etc/systemd/system",
  "/run/systemd/system",
  "/usr/local/lib/systemd/system",
  "/usr/lib/systemd/system",
];
const USER = [
  "/etc/systemd/user",
  "/run/systemd/user",
  "/usr/local/lib/systemd/user",
  "/usr/lib/systemd/user",
];
const UNIT = /\.(?:service|timer)$/;

/** The folders that a manager reads, the strongest first. */
function foldersOf(manager: Unit["manager"], host: Host): readonly string[] {
  if (manager === "system") return SYSTEM.map((path) => host.system(path));
  return [...host.userUnitFolders, ...USER.map((path) => host.system(path))];
}

/** Every service and timer of both managers that concerns us. A unit of the same name in a stronger folder wins. */
export function unitsHere(host: Host): readonly Unit[] {
  return (["system", "user"] as const).flatMap((manager) => {
    const folders = foldersOf(manager, host);
    const files = new Map<string, string>();
    for (const folder of folders) {
      for (const name of list(folder)) {
        if (UNIT.test(name) && !files.has(name)) files.set(name, join(folder, name));
      }
    }
    return [...files].flatMap(([name, file]) => {
      if (isMasked(file)) return [];
      const text = textOf(file);
      const all = [text ?? "", ...dropIns(name, folders)].join("\n");
      if (!OURS.test(name) && !OURS.test(all)) return [];
      return [{ name, file, manager, settings: text === undefined ? undefined : readUnit(all) }];
    });
  });
}

/** Whether a manager knows a unit of this name. */
export function isUnitThere(name: string, manager: Unit["manager"], host: Host): boolean {
  const template = name.replace(/@[^.]*\./, "@.");
  return foldersOf(manager, host).some((folder) =>
    [name, template].some((each) => textOf(join(folder, each)) !== undefined),
  );
}

/** The texts of `<unit>.d/*.conf`, in the order in which systemd takes them. */
function dropIns(name: string, folders: readonly string[]): readonly string[] {
  const files = new Map<string, string>();
  for (const folder of folders) {
    for (const file of list(join(folder, `${name}.d`))) {
      if (file.endsWith(".conf") && !files.has(file)) files.set(file, join(folder, `${name}.d`, file));
    }
  }
  return [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, file]) => textOf(file) ?? "");
}

function isMasked(file: string): boolean {
  return (
    lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true &&
    readlinkSync(file) === "/dev/null"
  );
}
