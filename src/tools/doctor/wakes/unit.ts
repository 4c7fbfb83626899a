import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../../system/files.ts";
import { textOf } from "../check.ts";
import type { Host } from "../host.ts";
import { OURS } from "./crontab.ts";
import type { Variables, Word } from "./shell.ts";

/** One setting of a unit, in the order of the file. */
export interface UnitSetting {
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

/** Reads a unit file: comments go, and lines that end in a backslash go on. */
export function readUnit(text: string): readonly UnitSetting[] {
  const settings: UnitSetting[] = [];
  let section = "";
  let begun = "";
  for (const line of text.split("\n")) {
    if (/^\s*[#;]/.test(line)) continue;
    const whole = begun + line;
    begun = "";
    if (whole.endsWith("\\")) {
      begun = `${whole.slice(0, -1)} `;
      continue;
    }
    const [, name] = /^\s*\[(.+)\]\s*$/.exec(whole) ?? [];
    if (name !== undefined) section = name;
    const [, key, value = ""] = /^\s*([A-Za-z]\w*)\s*=\s*(.*?)\s*$/.exec(whole) ?? [];
    if (key !== undefined) settings.push({ section, key, value });
  }
  return settings;
}

/** The values of a key that stand in the end: an empty one takes back those before it. */
export function valuesOf(settings: readonly UnitSetting[], key: string): readonly string[] {
  let values: string[] = [];
  for (const setting of settings) {
    if (setting.key !== key) continue;
    values = setting.value === "" ? [] : [...values, setting.value];
  }
  return values;
}

/** What `%h` and its like stand for; what is missing here cannot be known from the file alone. */
export type Specifiers = Readonly<Record<string, string>>;

/** The commands of one `Exec…=` line; a lone semicolon parts them. */
export function execCommands(
  value: string,
  specifiers: Specifiers,
  variables: Variables,
): readonly (readonly Word[])[] {
  const commands: string[][] = [[]];
  for (const word of unitWords(value)) {
    if (word === ";") commands.push([]);
    else commands.at(-1)?.push(word === "\\;" ? ";" : word);
  }
  return commands.map((words) => execWords(words, specifiers, variables)).filter(({ length }) => length > 0);
}

function execWords(words: readonly string[], specifiers: Specifiers, variables: Variables): readonly Word[] {
  const [first = "", ...rest] = words;
  const [prefix = ""] = /^[@:+!|-]*/.exec(first) ?? [];
  const program = specified(first.slice(prefix.length), specifiers);
  // After `@` the next word is what the program is called, not what it is given.
  const given = prefix.includes("@") ? rest.slice(1) : rest;
  const expanded = given.map((word) => {
    const text = specified(word, specifiers);
    return prefix.includes(":") ? text : expand(text, variables);
  });
  return program === "" ? [] : [program, ...expanded];
}

/** A path as a setting gives it, such as `WorkingDirectory=%h/x`. */
export function specified(text: string, specifiers: Specifiers): Word {
  let known = true;
  const said = text.replace(/%(.)/g, (_, letter: string) => {
    const value = letter === "%" ? "%" : specifiers[letter];
    known &&= value !== undefined;
    return value ?? "";
  });
  return known ? said : undefined;
}

function expand(word: Word, variables: Variables): Word {
  let known = true;
  const lookUp = (name: string): string => {
    const value = variables.get(name);
    known &&= value !== undefined;
    return value ?? "";
  };
  const whole = /^\$([A-Za-z_]\w*)$/.exec(word ?? "")?.[1];
  const said =
    whole === undefined
      ? word?.replace(/\$\$|\$\{(\w+)\}/g, (_, name: string | undefined) => (name ? lookUp(name) : "$"))
      : lookUp(whole);
  return known ? said : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", s: " " },
  ...{ "\\": "\\", '"': '"', "'": "'" },
};
const PART = /\\(?:x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|(.))|(["'])|(\s+)|([^\\"'\s]+)/g;

/** Splits a value into words, with systemd's quotes and escapes. `\;` keeps its backslash: it means something. */
export function unitWords(value: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  const add = (text: string) => {
    word = (word ?? "") + text;
  };
  for (const [all, hex, octal, unicode, letter, mark, space] of value.matchAll(PART)) {
    const code = hex ?? unicode;
    if (code !== undefined) add(String.fromCharCode(Number.parseInt(code, 16)));
    else if (octal !== undefined) add(String.fromCharCode(Number.parseInt(octal, 8)));
    else if (letter !== undefined) add(ESCAPES[letter] ?? all);
    else if (mark !== undefined && (quote === "" || quote === mark)) {
      quote = quote === "" ? mark : "";
      add("");
    } else if (space !== undefined && quote === "") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else add(all);
  }
  return word === undefined ? words : [...words, word];
}

/** A systemd unit that concerns us, with its drop-ins. */
export interface Unit {
  readonly name: string;
  readonly file: string;
  readonly manager: "system" | "user";
  /** Undefined if the file is a link that leads nowhere. */
  readonly settings: readonly UnitSetting[] | undefined;
}

const PLACES = ["/etc", "/run", "/usr/local/lib", "/usr/lib"];
const UNIT = /\.(?:service|timer)$/;

/** The folders that a manager reads, the strongest first. */
function foldersOf(manager: Unit["manager"], host: Host): readonly string[] {
  const shared = PLACES.map((place) => host.system(`${place}/systemd/${manager}`));
  return manager === "system" ? shared : [...host.userUnitFolders, ...shared];
}

/** Every service and timer of both managers that concerns us. A unit of the same name in a stronger folder wins. */
export function unitsHere(host: Host): readonly Unit[] {
  return (["system", "user"] as const).flatMap((manager) => {
    const folders = foldersOf(manager, host);
    return filesIn(folders, UNIT).flatMap(([name, file]) => {
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
  const own = folders.map((folder) => join(folder, `${name}.d`));
  const files = filesIn(own, /\.conf$/).sort(([a], [b]) => (a < b ? -1 : 1));
  return files.map(([, file]) => textOf(file) ?? "");
}

/** Names with their paths; of one name that of the strongest folder. */
function filesIn(folders: readonly string[], form: RegExp): [name: string, path: string][] {
  const files = folders
    .toReversed()
    .flatMap((folder) => namesIn(folder).map((name): [string, string] => [name, join(folder, name)]));
  return [...new Map(files.filter(([name]) => form.test(name)))];
}

function isMasked(file: string): boolean {
  return (
    lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true &&
    readlinkSync(file) === "/dev/null"
  );
}
