import { execFile } from "node:child_process";
import { environmentFor } from "../core/environment.ts";

/** How a program of the system ended. */
export type Ran =
  | { readonly how: "ended"; readonly status: number; readonly stdout: string; readonly stderr: string }
  /** It is not installed. */
  | { readonly how: "missing" }
  /** It did not end in time, or could not be run: what happened. */
  | { readonly how: "failed"; readonly problem: string };

export type Runner = (program: string, args: readonly string[], abort?: AbortSignal) => Promise<Ran>;

const TIME_LIMIT = 5_000;
/** With these tmux and systemctl find their servers. */
const FINDS = ["TMUX_TMPDIR", "DBUS_SESSION_BUS_ADDRESS"];

/** Runs a program to its end. Its messages are in English, because some of them have to be recognised. */
export const runProgram: Runner = (program, args, abort) =>
  new Promise((done) => {
    const options = {
      env: environmentFor(process.env, { passEnv: FINDS, env: { LC_ALL: "C" } }),
      timeout: TIME_LIMIT,
      killSignal: "SIGKILL" as const,
      maxBuffer: 16 * 1024 * 1024,
      ...(abort && { signal: abort }),
    };
    execFile(program, [...args], options, (error, stdout, stderr) => {
      const code: unknown = error?.code ?? 0;
      if (code === "ENOENT") return done({ how: "missing" });
      if (typeof code === "number" && error?.signal == null) {
        return done({ how: "ended", status: code, stdout, stderr: stderr.trim().replaceAll(/\s+/g, " ") });
      }
      const late = error?.killed === true || code === "ABORT_ERR";
      const problem = late ? `${program} did not answer in time` : `${program} could not be run (${code})`;
      return done({ how: "failed", problem });
    });
  });
