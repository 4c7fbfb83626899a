import { quoted } from "../core/quoted.ts";
import { type Ran, type Runner, runProgram } from "./exec.ts";
import { PANE_FORMAT, type Pane, parsePanes } from "./tmux-pane.ts";

/** Which tmux server: the default one, one by name (`-L`) or one by the path of its socket (`-S`). */
export interface TmuxServer {
  readonly socket?: string | undefined;
  readonly socketPath?: string | undefined;
}

/** What tmux answered, or what it says is not there, or why it cannot be asked. */
export type TmuxAnswer<T = string> =
  | { readonly how: "answered"; readonly value: T }
  | { readonly how: "absent"; readonly what: "server" | "session"; readonly problem: string }
  | { readonly how: "unclear"; readonly problem: string };

const INSTALL = "tmux is not installed here; install it, or watch this agent by its log or process";

/** Whether tmux is there, and which. */
export function tmuxVersion(run: Runner = runProgram): Promise<Ran> {
  return run("tmux", ["-V"]);
}

/**
 * One tmux server. Titles come as UTF-8 only with `-u`, whatever our own locale is. The default server is named too:
 * inside a pane of another one, tmux would take that one.
 */
export class Tmux {
  readonly #run: Runner;
  readonly #where: readonly string[];

  constructor({ socket, socketPath }: TmuxServer, run: Runner = runProgram) {
    this.#run = run;
    this.#where = socketPath ? ["-S", socketPath] : ["-L", socket ?? "default"];
  }

  async #ask(args: readonly string[], abort?: AbortSignal): Promise<TmuxAnswer> {
    return answerOf(await this.#run("tmux", ["-u", ...this.#where, ...args], abort));
  }

  /** Whether a server answers. */
  sessions(): Promise<TmuxAnswer> {
    return this.#ask(["list-sessions"]);
  }

  /** The terminals that are attached, one a line: the device and what it calls itself. */
  clients(): Promise<TmuxAnswer> {
    return this.#ask(["list-clients", "-F", "#{client_tty}|#{client_termname}"]);
  }

  /** The panes in a scope: the arguments of `list-panes` that name it. */
  async panes(scope: readonly string[], abort?: AbortSignal): Promise<TmuxAnswer<readonly Pane[]>> {
    const answer = await this.#ask(["list-panes", ...scope, "-F", PANE_FORMAT], abort);
    return answer.how === "answered" ? { ...answer, value: parsePanes(answer.value) } : answer;
  }

  /** All panes; none where there is no server. `problem` says why they cannot be seen. */
  async allPanes(): Promise<{ readonly panes: readonly Pane[]; readonly problem?: string }> {
    const answer = await this.panes(["-a"]);
    if (answer.how === "answered") return { panes: answer.value };
    return answer.how === "absent" ? { panes: [] } : { panes: [], problem: answer.problem };
  }

  /** What a pane shows; with `colours` also how. */
  capture(pane: string, abort?: AbortSignal, colours = false): Promise<TmuxAnswer> {
    return this.#ask(["capture-pane", colours ? "-ep" : "-p", "-t", pane], abort);
  }

  /** What tmux says of a pane in a format of the caller's. */
  describe(pane: string, format: string, abort?: AbortSignal): Promise<TmuxAnswer> {
    return this.#ask(["display-message", "-p", "-t", pane, format], abort);
  }

  sendKeys(pane: string, keys: readonly string[]): Promise<TmuxAnswer> {
    return this.#ask(["send-keys", "-t", pane, ...keys]);
  }

  /** Appends what a pane writes to a file. `-o` closes a pipe that is there. */
  pipe(pane: string, file: string): Promise<TmuxAnswer> {
    return this.#ask(["pipe-pane", "-o", "-t", pane, appendTo(file)]);
  }

  /** Starts again what was started in a pane, or something else. Without `kill` tmux refuses if its program lives. */
  respawn(pane: string, kill: boolean, abort?: AbortSignal, launch?: Launch): Promise<TmuxAnswer> {
    const what = launch === undefined ? [] : launched(launch);
    return this.#ask(["respawn-pane", ...(kill ? ["-k"] : []), "-t", pane, ...what], abort);
  }

  /** Starts a program in a new session, or in a new window of the session if that is there. */
  async open(
    { session, window }: { readonly session: string; readonly window?: string },
    launch: Launch,
    abort?: AbortSignal,
  ): Promise<TmuxAnswer> {
    const named = window === undefined ? [] : ["-n", window];
    const made = ["new-session", "-d", "-s", session, ...named, ...SIZE, ...launched(launch)];
    const told = await this.#ask(made, abort);
    if (told.how === "answered" || !/duplicate session/.test(told.problem)) return told;
    return this.#ask(["new-window", "-d", "-t", `=${session}:`, ...named, ...launched(launch)], abort);
  }
}

/** What is started in a pane, where, and which variables it gets beside those of the server. */
export interface Launch {
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** So large is a session to which nobody is attached. */
const SIZE = ["-x", "160", "-y", "48"];

function launched({ argv, cwd, env = {} }: Launch): string[] {
  const variables = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const [program, ...args] = argv;
  // One word is a line for a shell, several are a program with its arguments. A `;` at the end of a word would end tmux's command.
  const words = args.length === 0 ? [quoted(program)] : argv;
  const escaped = words.map((word) => word.replace(/;$/, "\\;"));
  return [...variables, ...(cwd === undefined ? [] : ["-c", cwd]), "--", ...escaped];
}

/** The command that a pane is piped to. tmux expands `#…` and the times of `%…` in it before a shell sees it. */
export function appendTo(path: string): string {
  return `exec cat >> ${quoted(path).replaceAll("#", "##").replaceAll("%", "%%")}`;
}

function answerOf(ran: Ran): TmuxAnswer {
  if (ran.how === "missing") return { how: "unclear", problem: INSTALL };
  if (ran.how === "failed") return { how: "unclear", problem: ran.problem };
  if (ran.status === 0) return { how: "answered", value: ran.stdout };
  const problem = `tmux says: ${ran.stderr || `exit ${ran.status}`}`;
  if (NO_SERVER.test(ran.stderr)) return { how: "absent", what: "server", problem };
  if (NO_SESSION.test(ran.stderr)) return { how: "absent", what: "session", problem };
  return { how: "unclear", problem };
}

const NO_SERVER =
  /^no server running|^error connecting to .*\((?:No such file|Connection refused)|^(?:server exited|lost server)/;
const NO_SESSION = /^can't find (?:session|window|pane)|^no current target/;
