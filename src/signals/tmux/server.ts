import type { Ran, Runner } from "../../system/run-program.ts";

/** Which tmux server: the default one, one by name (`-L`) or one by the path of its socket (`-S`). */
export interface Server {
  readonly socket?: string | undefined;
  readonly socketPath?: string | undefined;
}

/** What tmux answered, or what it says is not there, or why it cannot be asked. */
export type Answer =
  | { readonly how: "answered"; readonly text: string }
  | { readonly how: "absent"; readonly what: "server" | "session" }
  | { readonly how: "unclear"; readonly problem: string };

const INSTALL = "tmux is not installed here; install it, or watch this agent by its log or process";

/**
 * Asks a tmux server. Titles come as UTF-8 only with `-u`, whatever our own locale is. The default server is named
 * too: inside a pane of another one, tmux would take that one.
 */
export async function askTmux(
  run: Runner,
  { socket, socketPath }: Server,
  args: readonly string[],
  abort?: AbortSignal,
): Promise<Answer> {
  const where = socketPath ? ["-S", socketPath] : ["-L", socket ?? "default"];
  return answerOf(await run("tmux", ["-u", ...where, ...args], abort));
}

function answerOf(ran: Ran): Answer {
  if (ran.how === "missing") return { how: "unclear", problem: INSTALL };
  if (ran.how === "failed") return { how: "unclear", problem: ran.problem };
  if (ran.status === 0) return { how: "answered", text: ran.stdout };
  const { stderr } = ran;
  if (/^no server running|^error connecting to .*\((?:No such file|Connection refused)/.test(stderr)) {
    return { how: "absent", what: "server" };
  }
  if (/^(?:server exited|lost server)/.test(stderr)) return { how: "absent", what: "server" };
  if (/^can't find (?:session|window|pane)|^no current target/.test(stderr)) {
    return { how: "absent", what: "session" };
  }
  return { how: "unclear", problem: `tmux says: ${stderr || `exit ${ran.status}`}` };
}
