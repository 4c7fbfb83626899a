import { userInfo } from "node:os";
import { join } from "node:path";
import { quoted } from "../core/quoted.ts";
import { namesIn } from "./files.ts";
import type { TmuxServer } from "./tmux.ts";

/** A host with more tmux servers than this has a trouble of its own. */
const MOST = 50;

/**
 * The tmux servers that may run here: every socket in tmux's own folder, and the server that we run in. Whether
 * somebody listens is for tmux to say.
 */
export function tmuxServers(env: NodeJS.ProcessEnv): readonly TmuxServer[] {
  const folder = socketFolder(env);
  const names = namesIn(folder).slice(0, MOST);
  const here = names.map((name): TmuxServer => (name === "default" ? {} : { socket: name }));
  const { socketPath } = ownServer(env);
  if (socketPath === undefined || names.some((name) => join(folder, name) === socketPath)) return here;
  return [...here, { socketPath }];
}

/** The server in one of whose panes we run; outside of tmux the default one. */
export function ownServer(env: NodeJS.ProcessEnv): TmuxServer {
  const [socketPath] = (env.TMUX ?? "").split(",");
  return socketPath ? { socketPath } : {};
}

/**
 * How a person reaches a server, in any shell: what `-L` means depends on TMUX_TMPDIR, which is not the same everywhere.
 * Only the server that tmux takes without an option needs no path.
 */
export function tmuxCommand(server: TmuxServer, env: NodeJS.ProcessEnv = process.env): string {
  const path = socketPathOf(server, env);
  return path === socketPathOf({}, {}) ? "tmux" : `tmux -S ${quoted(path)}`;
}

/** The same pane, with its server named by the path of its socket: that is the same in every environment. */
export function atSocket<T extends TmuxServer>(
  { socket, socketPath, ...pane }: T,
  env: NodeJS.ProcessEnv,
): Omit<T, keyof TmuxServer> & { readonly socketPath: string } {
  return { ...pane, socketPath: socketPathOf({ socket, socketPath }, env) };
}

/** Where a server listens: two names of one server are the same. */
export function socketPathOf({ socket, socketPath }: TmuxServer, env: NodeJS.ProcessEnv): string {
  return socketPath ?? join(socketFolder(env), socket ?? "default");
}

function socketFolder(env: NodeJS.ProcessEnv): string {
  return join(env.TMUX_TMPDIR || "/tmp", `tmux-${process.getuid?.() ?? userInfo().uid}`);
}
