import type { ExtraEnvironment } from "../core/environment.ts";
import type { Reason, State } from "../core/liveness/state.ts";
import { type Command, type CommandLine, DEFAULT_STATES, type Step } from "../core/recovery/ladder.ts";

export const TEXT = "one line of at most 500 characters to type";

interface By extends ExtraEnvironment {
  readonly command?: CommandLine | undefined;
  readonly cwd?: string | undefined;
  readonly run?: true | undefined;
  readonly unit?: string | undefined;
  readonly user?: boolean | undefined;
  readonly respawn?: true | undefined;
  readonly webhook?: string | undefined;
}

/** A step as it is written. */
export interface Written {
  readonly do: Step["do"];
  readonly text?: string | undefined;
  readonly with?: By | undefined;
  readonly kill?: boolean | undefined;
  readonly to?: readonly string[] | undefined;
  readonly when: {
    readonly states?: readonly State[] | undefined;
    readonly reasons?: readonly Reason[] | undefined;
  };
  readonly budget: Step["budget"];
  readonly backoff: Step["backoff"];
}

interface Mistake {
  readonly path: string;
  readonly message: string;
}

/** The keys that belong to each kind of step. */
const KEYS: Readonly<Record<Step["do"], readonly string[]>> = {
  nudge: ["text"],
  restart: ["with", "kill"],
  release: ["with"],
  escalate: ["to"],
};

/** The step that is meant, or the mistake in it. */
export function stepOf(written: Written): Step | Mistake {
  const kind = written.do;
  const own = ["text", "with", "kill", "to"] as const;
  const stray = own.find((key) => written[key] !== undefined && !KEYS[kind].includes(key));
  if (stray !== undefined) return { path: stray, message: `no ${stray} in a ${kind} step` };
  const { states = DEFAULT_STATES[kind], reasons } = written.when;
  const { budget, backoff } = written;
  const rung = { when: { states, ...(reasons === undefined ? {} : { reasons }) }, budget, backoff };
  if (kind === "escalate") return { do: kind, to: written.to ?? [], ...rung };
  if (kind === "nudge") {
    if (written.text === undefined) return { path: "text", message: TEXT };
    return { do: kind, text: written.text, ...rung };
  }
  const { command, cwd, env, passEnv, run, unit, user, respawn, webhook } = written.with ?? {};
  if (command === undefined && (env !== undefined || passEnv !== undefined))
    return { path: "with", message: "env and passEnv only together with a command" };
  const ran: Command | undefined =
    command === undefined
      ? undefined
      : {
          command,
          ...(cwd === undefined ? {} : { cwd }),
          ...(env === undefined ? {} : { env }),
          ...(passEnv === undefined ? {} : { passEnv }),
        };
  if (kind === "release") {
    const named = [command, webhook].filter((each) => each !== undefined).length;
    if (named !== 1 || run !== undefined || unit !== undefined || respawn !== undefined)
      return { path: "with", message: "exactly one of command and webhook" };
    if (ran !== undefined) return { do: kind, with: { by: "command", ...ran }, ...rung };
    return { do: kind, with: { by: "webhook", url: webhook ?? "" }, ...rung };
  }
  const kill = written.kill ?? false;
  const named = [command, unit, respawn].filter((each) => each !== undefined).length;
  if (named !== 1 || webhook !== undefined || (run !== undefined && command === undefined))
    return {
      path: "with",
      message: "exactly one of command (with run: true for a cycle), unit and respawn: true",
    };
  if (ran !== undefined) return { do: kind, with: { by: run ? "run" : "command", ...ran }, kill, ...rung };
  if (unit !== undefined) return { do: kind, with: { by: "unit", unit, user: user ?? false }, kill, ...rung };
  return { do: kind, with: { by: "respawn" }, kill, ...rung };
}

/** How a step is made, as the config writes it. */
export function writtenBy(how: Extract<Step, { readonly with: unknown }>["with"]): By {
  if (how.by === "respawn") return { respawn: true };
  if (how.by === "webhook") return { webhook: how.url };
  const { by, ...rest } = how;
  return by === "run" ? { ...rest, run: true } : rest;
}
