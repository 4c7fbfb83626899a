import { spawnSync } from "node:child_process";

/** How a program of the system ended. Bytes stay bytes: a crontab need not be UTF-8. */
interface Ended {
  /** Undefined if the program could not be started at all. */
  readonly status: number | null | undefined;
  readonly stdout: Buffer;
  /** In one line, for an error that quotes it. */
  readonly stderr: string;
}

/** Runs a program to its end. Its messages are in English, because some of them have to be recognised. */
export function runProgram(program: string, args: readonly string[], input: Buffer = Buffer.alloc(0)): Ended {
  const { pid, error, status, stdout, stderr } = spawnSync(program, args, {
    input,
    env: { ...process.env, LC_ALL: "C" },
    maxBuffer: 64 * 1024 * 1024,
  });
  // A program that ends before it has read its input (EPIPE) did run, and what it says counts.
  const started = pid !== 0;
  const said = started ? stderr.toString("utf8").trim().replaceAll(/\s+/g, " ") : "";
  return {
    status: started ? status : undefined,
    stdout: stdout ?? Buffer.alloc(0),
    stderr: said || error?.message || "",
  };
}
