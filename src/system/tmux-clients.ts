import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Runner } from "./exec.ts";
import { Tmux } from "./tmux.ts";
import { tmuxServers } from "./tmux-servers.ts";

/** A terminal in which somebody looks at tmux. */
export interface AttachedTerminal {
  /** The device, such as /dev/pts/3. */
  readonly tty: string;
  /** What it calls itself, such as xterm-256color. */
  readonly kind: string;
}

/** The terminals that are attached to any tmux server of this user. */
export async function attachedTerminals(
  run: Runner,
  env: NodeJS.ProcessEnv,
): Promise<readonly AttachedTerminal[]> {
  const listed = await Promise.all(tmuxServers(env).map((server) => new Tmux(server, run).clients()));
  return listed.flatMap((answer) =>
    answer.how !== "answered"
      ? []
      : answer.value.split("\n").flatMap((line) => {
          const [tty = "", kind = ""] = line.split("|");
          return /^\/dev\/[\w/]+$/.test(tty) ? [{ tty, kind }] : [];
        }),
  );
}

/** Writes to a terminal beside tmux, which would keep the sequences for itself. One that does not read is left alone. */
export async function writeToTerminal(tty: string, text: string): Promise<boolean> {
  try {
    const file = await open(tty, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
    try {
      await file.write(text);
    } finally {
      await file.close();
    }
    return true;
  } catch {
    return false;
  }
}
