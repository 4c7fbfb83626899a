import { existsSync } from "node:fs";
import { type ExtraEnvironment, environmentFor } from "../../core/environment.ts";
import { type End, startGroup, tailOf } from "../../system/exec.ts";
import type { HeartbeatAction, HeartbeatResult } from "../engine/action.ts";

export interface CommandActionSettings extends ExtraEnvironment {
  /** A program and its arguments; no shell reads them. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string | undefined;
}

/** What a program may say instead of nothing, to show that it ran. */
const ACKNOWLEDGED = /^HEARTBEAT_OK\b\W*$/;
const MOST = 256 * 1024;

/**
 * Runs a program. Exit 0 and no output, or an acknowledgement at its end, is quiet; a JSON result, as the whole output or
 * its last line, is taken as it is; otherwise the last line is the message. Any other exit is a failure of the run, with the last line of what it complained.
 */
export function commandAction(name: string, { argv, cwd, ...extra }: CommandActionSettings): HeartbeatAction {
  return {
    name,
    description: `runs ${argv.join(" ")}`,
    async execute({ abort, dueAt }) {
      abort.throwIfAborted();
      const env = {
        ...environmentFor(process.env, extra),
        ROLLCALL_ACTION: name,
        ROLLCALL_DUE_AT: new Date(dueAt).toISOString(),
      };
      const { code, signal, out, complaints } = await run(
        argv,
        { env, ...(cwd === undefined ? {} : { cwd }) },
        abort,
      );
      if (code === 0) return resultOf(out);
      const how = signal === null ? `exit ${code}` : `signal ${signal}`;
      throw new Error(`${argv[0]}: ${how}${lastLine(complaints) === "" ? "" : `: ${lastLine(complaints)}`}`);
    },
  };
}

function resultOf(out: string): HeartbeatResult {
  const text = out.trim();
  if (text === "" || ACKNOWLEDGED.test(text)) return { shouldNotify: false };
  const last = lastLine(text);
  const result = jsonResult(text) ?? jsonResult(last);
  if (result !== undefined) return result;
  return ACKNOWLEDGED.test(last) ? { shouldNotify: false } : { shouldNotify: true, message: last };
}

function jsonResult(text: string): HeartbeatResult | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const value = JSON.parse(text) as HeartbeatResult;
    return typeof value.shouldNotify === "boolean" ? value : undefined;
  } catch {
    // Words like any others.
    return undefined;
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split(/\r?\n/).at(-1)?.trim() ?? "";
}

interface Ended extends End {
  readonly out: string;
  readonly complaints: string;
}

/** In a process group of its own, so that whatever it started ends with it when its time is over. */
async function run(
  argv: CommandActionSettings["argv"],
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string },
  abort: AbortSignal,
): Promise<Ended> {
  const child = startGroup(argv, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const out = tailOf(child.stdout, MOST);
  const complaints = tailOf(child.stderr, MOST);
  abort.addEventListener("abort", child.kill, { once: true });
  const end = await child.ended;
  if (end.failure === undefined) await child.closed;
  abort.removeEventListener("abort", child.kill);
  if (end.failure === undefined) return { ...end, out: out(), complaints: complaints() };
  // Where the folder is missing, the system says the same as where the program is.
  const gone = options.cwd !== undefined && !existsSync(options.cwd);
  const why = gone ? `there is no folder ${options.cwd}` : (end.failure.code ?? end.failure.message);
  throw new Error(`${argv[0]}: ${why}`);
}
