import { redact } from "./redact.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that a step, an action or a channel asks for beside those that every command gets. */
export interface ExtraEnvironment {
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Names of the daemon's own variables. */
  readonly passEnv?: readonly string[] | undefined;
}

const USUAL: ReadonlySet<string> = new Set(
  "PATH HOME USER LOGNAME SHELL LANG TERM TZ TMPDIR XDG_RUNTIME_DIR".split(" "),
);
/** A running cycle owns these. A command that is started beside it must not pass for a part of it. */
const CYCLE: ReadonlySet<string> = new Set(
  "ROLLCALL_RUN ROLLCALL_AGENT ROLLCALL_CYCLE ROLLCALL_RECOVERING ROLLCALL_LAST_CYCLE".split(" "),
);
/** Names of variables that hold secrets. */
export const SECRETIVE = /TOKEN|SECRET|PASS|PWD|KEY|CRED|AUTH|DSN|URL|COOKIE/;

/**
 * The environment of a command that the daemon starts. The daemon's own environment holds the secrets of its channels
 * and of its forge; a command gets none of them unless the config passes it on by name.
 */
export function environmentFor(
  daemon: Environment,
  { env = {}, passEnv = [] }: ExtraEnvironment = {},
): Record<string, string> {
  const passed = Object.entries(daemon).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (passEnv.includes(entry[0]) || isHarmless(entry[0], entry[1])),
  );
  return { ...Object.fromEntries(passed), ...env };
}

function isHarmless(name: string, value: string): boolean {
  if (USUAL.has(name) || name.startsWith("LC_")) return true;
  if (!name.startsWith("ROLLCALL_") || CYCLE.has(name) || SECRETIVE.test(name)) return false;
  return redact(value) === value;
}

/** The names of the variables that a command's text mentions as `$NAME` or `${NAME…}`. */
export function variablesIn(text: string): readonly string[] {
  const found = text.matchAll(/\$(?:\{[#!]?)?([A-Za-z_][A-Za-z0-9_]*)/g);
  return [...new Set([...found].map(([, name = ""]) => name))];
}
