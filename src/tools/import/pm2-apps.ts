import { posix } from "node:path";
import { parse } from "yaml";
import { type Fields, ImportError, isRecord, textOf } from "./imported.ts";

/** A program that pm2 keeps, from a dump or an ecosystem file. */
export interface App {
  readonly name: string;
  readonly command: readonly string[];
  readonly cwd: string | undefined;
  /** How many of it run. */
  readonly copies: number;
  readonly autorestart: boolean;
  readonly cron: string | undefined;
  readonly isStopped: boolean;
  /** Only what a person wrote: a dump mixes it with the environment of a shell. */
  readonly env: Readonly<Record<string, string>>;
  readonly leftOut: readonly string[];
}

const EXPECTED =
  "~/.pm2/dump.pm2 (pm2 save writes it), the output of pm2 jlist, or an ecosystem file in JSON or YAML with apps: [{name, script}]";

export function readPm2(text: string, file: string): { apps: readonly App[]; savedVariables: number } {
  if (/\.[cm]?[jt]s$/.test(file))
    throw new ImportError(
      `${file} is a program, and Rollcall does not run it; start it with pm2, run pm2 save, then import ~/.pm2/dump.pm2`,
    );
  const value = valueIn(text, file);
  const listed = isRecord(value) && "apps" in value ? value.apps : value;
  const list: readonly unknown[] = Array.isArray(listed) ? listed : [listed];
  const described = list.map((one) => flat(one)).filter((one) => one !== undefined);
  if (described.length < list.length)
    throw new ImportError(`${file} is not a file of pm2; expected ${EXPECTED}`);
  const kept = described.filter(({ pmx_module: isModule }) => isModule !== true);
  const folder = posix.dirname(posix.resolve(file));
  const apps = kept.map((one) => (isDumped(one) ? dumped(one) : written(one, folder)));
  const saved = kept.filter(isDumped).map(({ env }) => (isRecord(env) ? Object.keys(env).length : 0));
  return { apps, savedVariables: Math.max(0, ...saved) };
}

function valueIn(text: string, file: string): unknown {
  try {
    return parse(text, { logLevel: "error" });
  } catch {
    throw new ImportError(`${file} is neither JSON nor YAML; expected ${EXPECTED}`);
  }
}

/** `pm2 jlist` puts the description one level deeper. */
function flat(value: unknown): Fields | undefined {
  if (!isRecord(value)) return undefined;
  const inner = isRecord(value.pm2_env) ? { name: value.name, ...value.pm2_env } : value;
  return (textOf(inner.pm_exec_path) ?? textOf(inner.script)) ? inner : undefined;
}

function isDumped({ pm_exec_path: path }: Fields): boolean {
  return textOf(path) !== undefined;
}

function dumped(app: Fields): App {
  const script = textOf(app.pm_exec_path) ?? "";
  const interpreter = textOf(app.exec_interpreter) ?? "none";
  return {
    ...shared(app, script),
    command: commandOf(interpreter, wordsOf(app.node_args), script, wordsOf(app.args)),
    cwd: textOf(app.pm_cwd),
    copies: 1,
    isStopped: app.status === "stopped" || app.status === "errored",
    env: {},
  };
}

const INTERPRETERS: Readonly<Record<string, string>> = {
  ...{ ".sh": "bash", ".py": "python3", ".rb": "ruby", ".php": "php", ".pl": "perl" },
  ...{ ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "bun" },
};

const RESTART_KEYS = "max_restarts restart_delay min_uptime exp_backoff_restart_delay stop_exit_codes".split(
  " ",
);

function written(app: Fields, folder: string): App {
  const cwd = posix.resolve(folder, textOf(app.cwd) ?? ".");
  const script = textOf(app.script) ?? "";
  const extension = posix.extname(script);
  // A bare name such as npm is a program on the PATH.
  const path = script.includes("/") || extension in INTERPRETERS ? posix.resolve(cwd, script) : script;
  const interpreter =
    textOf(app.exec_interpreter) ?? textOf(app.interpreter) ?? INTERPRETERS[extension] ?? "none";
  const before = wordsOf(app.node_args ?? app.interpreter_args);
  const { instances } = app;
  const isNumber = typeof instances === "number" && Number.isInteger(instances) && instances > 0;
  const all = shared(app, script);
  return {
    ...all,
    command: commandOf(interpreter, before, path, wordsOf(app.args)),
    cwd,
    copies: isNumber ? Math.min(instances, 100) : 1,
    isStopped: false,
    env: variablesOf(app.env),
    leftOut: [
      ...all.leftOut,
      ...(instances === undefined || isNumber
        ? []
        : [`instances: ${String(instances)}; Rollcall starts one`]),
      ...Object.keys(app).flatMap((key) => (key.startsWith("env_") ? [`the variables of ${key}`] : [])),
    ],
  };
}

function shared(app: Fields, script: string): Pick<App, "name" | "autorestart" | "cron" | "leftOut"> {
  const cron = textOf(app.cron_restart) ?? textOf(app.cron);
  return {
    name: textOf(app.name) ?? posix.basename(script, posix.extname(script)),
    autorestart: app.autorestart !== false,
    cron: cron === "0" ? undefined : cron,
    leftOut: leftOut(app),
  };
}

function leftOut(app: Fields): string[] {
  const says: string[] = [];
  if (/^cluster/.test(String(app.exec_mode)))
    says.push("cluster mode: its copies no longer share a port; give each copy its own");
  if (app.max_memory_restart !== undefined) says.push("the restart when it uses too much memory");
  if (app.watch === true || (Array.isArray(app.watch) && app.watch.length > 0))
    says.push("the restart when its files change");
  for (const key of RESTART_KEYS)
    if (app[key] !== undefined) says.push(`${key}; use the budget and backoff of a restart step instead`);
  if (app.log_date_format !== undefined) says.push("log_date_format");
  return says;
}

function commandOf(
  interpreter: string,
  before: readonly string[],
  script: string,
  args: readonly string[],
): readonly string[] {
  return interpreter === "none" ? [script, ...args] : [interpreter, ...before, script, ...args];
}

/** Arguments as a list, or as one text with quotes. */
function wordsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  const words = (textOf(value) ?? "").matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g);
  return [...words].map(
    ([, double, single, bare]) => double?.replaceAll(/\\(.)/g, "$1") ?? single ?? bare ?? "",
  );
}

function variablesOf(env: unknown): Readonly<Record<string, string>> {
  if (!isRecord(env)) return {};
  const named = Object.entries(env).filter(([name]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  return Object.fromEntries(named.map(([name, value]) => [name, String(value).replaceAll("\0", "")]));
}
