import type { Word } from "./shell.ts";

/** What the shell does by itself, without a file. */
const BUILTINS = new Set(
  `: [ [[ alias bg builtin command echo eval exit export false fg getopts hash jobs kill let local printf pwd read
   readonly return set shift test times trap true type ulimit umask unalias unset wait`.split(/\s+/),
);
/** Words that stand before a command. */
const KEYWORDS = new Set("! { do elif else if then time until while".split(" "));
/** Words after which nothing can be said about files. */
const OPAQUE = new Set("case done esac fi for function in select }".split(" "));
const SHELL = /^(?:ba|da|z|k|mk|a)?sh$/;

export const isBuiltin = (word: string): boolean => BUILTINS.has(word);
export const isKeyword = (word: string): boolean => KEYWORDS.has(word);
export const isOpaque = (word: string): boolean => OPAQUE.has(word);
export const isShell = (program: string): boolean => SHELL.test(program);

/** A program that runs the command in its arguments. */
interface Wrapper {
  /** Options whose value is a word of its own. */
  readonly valued: readonly string[];
  /** How many arguments stand between the options and the command. */
  readonly positional: number;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  chronic: { valued: [], positional: 0 },
  chrt: { valued: ["-T", "-P", "-D"], positional: 1 },
  env: { valued: ["-u", "--unset", "-C", "--chdir"], positional: 0 },
  flock: { valued: ["-w", "--timeout", "--wait", "-E", "--conflict-exit-code"], positional: 1 },
  ionice: { valued: ["-c", "--class", "-n", "--classdata"], positional: 0 },
  nice: { valued: ["-n", "--adjustment"], positional: 0 },
  nohup: { valued: [], positional: 0 },
  setsid: { valued: [], positional: 0 },
  stdbuf: { valued: ["-i", "-o", "-e"], positional: 0 },
  sudo: { valued: ["-u", "--user", "-g", "--group", "-D", "-h", "-p"], positional: 0 },
  "systemd-cat": { valued: ["-t", "--identifier", "-p", "--priority"], positional: 0 },
  taskset: { valued: [], positional: 1 },
  timeout: { valued: ["-k", "--kill-after", "-s", "--signal"], positional: 1 },
};

export function wrapperOf(program: string): Wrapper | undefined {
  return Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
}

/** A program that runs the script in its first argument. */
interface Interpreter {
  readonly program: RegExp;
  readonly valued: readonly string[];
  /** Options that stand in for a script. */
  readonly inline: readonly string[];
}

const NODE_VALUED = "-r --require --import --loader --experimental-loader -C --conditions".split(" ");

const INTERPRETERS: readonly Interpreter[] = [
  { program: SHELL, valued: ["-o", "+o", "--rcfile", "--init-file"], inline: ["-s"] },
  {
    program: /^(?:node|nodejs|tsx|ts-node)$/,
    valued: NODE_VALUED,
    inline: ["-e", "--eval", "-p", "--print", "-pe", "-i", "--run", "--test"],
  },
  { program: /^(?:python|pypy)[\d.]*$/, valued: ["-W", "-X"], inline: ["-c", "-m"] },
  { program: /^perl[\d.]*$/, valued: ["-I"], inline: ["-e", "-E", "-ne", "-pe", "-M"] },
  { program: /^ruby[\d.]*$/, valued: ["-I", "-r", "-C"], inline: ["-e", "-S"] },
  { program: /^php[\d.]*$/, valued: ["-c", "-d", "-z"], inline: ["-r", "-R", "-B", "-S", "-f"] },
];

export function interpreterOf(program: string): Interpreter | undefined {
  return INTERPRETERS.find(({ program: form }) => form.test(program));
}

/** The arguments after the options; none at all where an option stands in for them or a word is not known. */
export function skipOptions(
  given: readonly Word[],
  valued: readonly string[],
  inline: readonly string[] = [],
): readonly Word[] {
  let at = 0;
  for (;;) {
    const word = given[at];
    if (word === undefined || inline.includes(word)) return [];
    if (word === "--") return given.slice(at + 1);
    if (word === "-" || !/^[-+]/.test(word)) return given.slice(at);
    at += valued.includes(word) ? 2 : 1;
  }
}
