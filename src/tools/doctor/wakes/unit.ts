import type { Variables, Word } from "./shell.ts";

/** One setting of a unit, in the order of the file. */
export interface Setting {
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

/** Reads a unit file: comments go, and lines that end in a backslash go on. */
export function readUnit(text: string): readonly Setting[] {
  const settings: Setting[] = [];
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
export function valuesOf(settings: readonly Setting[], key: string): readonly string[] {
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
