import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { MINUTE, type Millis } from "../../core/duration.ts";
import { InstallError } from "../../home/install-error.ts";
import {
  checkProgram,
  checkReachableByAll,
  lastingPath,
  STANDARD_PATH,
  thisProgram,
} from "../../home/program.ts";
import { runNow } from "../../system/exec.ts";
import { readNamedFile } from "../../system/files.ts";
import { type InstallOptions, type InstallOutcome, namedConfig, namedHome, namedListen } from "./outcome.ts";
import { UNIT_MARK, type UnitScope, unitName, unitText } from "./unit.ts";

export interface SystemdOptions extends InstallOptions {
  readonly scope?: UnitScope | undefined;
  /** How long the judging loop may stand still before systemd starts the daemon anew. */
  readonly watchdogMs?: Millis;
  /** Where the unit is written instead of systemd's own folder. */
  readonly unitDir?: string | undefined;
  /** What is called instead of `systemctl`; a named one is called even where systemd does not run. */
  readonly systemctl?: string | undefined;
}

/** The unit that would be written. */
export function systemdUnit(options: SystemdOptions): string {
  const { program = thisProgram(), watchdogMs = MINUTE, env = process.env } = options;
  const scope = scopeOf(options);
  const shared = scope === "template";
  const refuse = (option: string, why: string) => {
    throw new InstallError("bad-options", `${option} cannot be used with a template, because ${why}`);
  };
  if (shared && options.home !== undefined) refuse("--home", "each user of the template has their own home");
  if (shared && options.listen !== undefined)
    refuse("--listen", "the users' daemons cannot share an address");
  checkProgram(program);
  if (shared) checkReachableByAll(program);
  return unitText({
    scope,
    program,
    // The folders of the person who installs are closed to others, or none of their business.
    path: lastingPath(shared ? STANDARD_PATH : env.PATH, program),
    home: shared ? undefined : namedHome(options),
    config: namedConfig(options),
    listen: shared ? undefined : namedListen(options),
    watchdogMs,
  });
}

/** Writes the unit and has systemd enable and start it. Done twice, the second time changes nothing. */
export function installSystemd(options: SystemdOptions): InstallOutcome {
  const text = systemdUnit(options);
  const unit = unitFile(options);
  const before = ownUnit(unit.path);
  const changed = before !== text;
  if (changed) writeUnit(unit.path, text);
  const written = changed ? `wrote ${unit.path}` : `${unit.path} is up to date`;
  const taken = takeUp(unit, systemctlOf(options, unit.scope), changed, before !== undefined);
  return { changed, said: [written, ...taken, ...nextSteps(unit.scope)] };
}

/** Has systemd read the unit and start it, if there is anything to do. */
function takeUp(
  { scope, name }: UnitFile,
  systemctl: Systemctl | undefined,
  changed: boolean,
  replaced: boolean,
): string[] {
  const template = scope === "template";
  if (systemctl === undefined) {
    const commands = ["daemon-reload", ...(template ? [] : [`enable --now ${name}`])];
    const said = commands.map((command) => sayCommand(scope, command));
    return ["systemd is not running here; where it is, run:", ...said];
  }
  if (!changed && (template || isUp(systemctl, name))) {
    return template ? [] : [`${name} is enabled and running: nothing to do`];
  }
  systemctl("daemon-reload");
  if (template) return [];
  systemctl("enable", "--now", name);
  const started = `enabled and started ${name}`;
  if (!changed || !replaced) return [started];
  return [
    started,
    "if the daemon was already running, apply the change with:",
    sayCommand(scope, `restart ${name}`),
  ];
}

/** Stops and removes our own unit. Agents go on. */
export function uninstallSystemd(options: SystemdOptions): InstallOutcome {
  const { scope, name, path } = unitFile(options);
  if (ownUnit(path) === undefined) return { changed: false, said: [`${path} does not exist: nothing to do`] };
  const systemctl = systemctlOf(options, scope);
  if (scope === "template") systemctl?.("stop", "rollcall@*.service");
  systemctl?.("disable", ...(scope === "template" ? [] : ["--now"]), name);
  rmSync(path);
  systemctl?.("daemon-reload");
  return { changed: true, said: [`removed ${path}; agents keep running, and their beats wait in the spool`] };
}

function scopeOf({ scope }: SystemdOptions): UnitScope {
  return scope ?? (process.getuid?.() === 0 ? "system" : "user");
}

interface UnitFile {
  readonly scope: UnitScope;
  readonly name: string;
  readonly path: string;
}

function unitFile(options: SystemdOptions): UnitFile {
  const { unitDir, env = process.env } = options;
  const scope = scopeOf(options);
  const own = join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "systemd/user");
  const folder = unitDir ?? (scope === "user" ? own : "/etc/systemd/system");
  const name = unitName(scope);
  return { scope, name, path: join(resolve(folder), name) };
}

/** The text of our unit, or undefined if there is none. A file of somebody else is never touched. */
function ownUnit(path: string): string | undefined {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return undefined;
  const text = entry.isFile() ? readNamedFile(path, 1024 * 1024).toString("utf8") : "";
  if (text.startsWith(`${UNIT_MARK}\n`)) return text;
  throw new InstallError("not-ours", `${path} was not written by Rollcall; move it away and try again`);
}

/** Beside its place first, so that systemd never reads a half of it. */
function writeUnit(path: string, text: string): void {
  const temporary = `${path}.${process.pid}`;
  try {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(temporary, text, { mode: 0o644, flush: true });
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InstallError("unwritable", `cannot write ${path}: ${reason}`, { cause });
  }
}

type Systemctl = (...args: string[]) => void;

function systemctlOf({ systemctl }: SystemdOptions, scope: UnitScope): Systemctl | undefined {
  if (systemctl === undefined && !existsSync("/run/systemd/system")) return undefined;
  return (...args) => {
    const env = { ...process.env, LC_ALL: "C" };
    const { status, stderr } = runNow(systemctl ?? "systemctl", [...manager(scope), ...args], { env });
    if (status === 0) return;
    const command = sayCommand(scope, args.join(" ")).trim();
    throw new InstallError("systemctl-failed", `${command} failed: ${stderr || `status ${status}`}`);
  };
}

function isUp(systemctl: Systemctl, name: string): boolean {
  try {
    systemctl("is-enabled", "--quiet", name);
    systemctl("is-active", "--quiet", name);
    return true;
  } catch {
    return false;
  }
}

function manager(scope: UnitScope): string[] {
  return scope === "user" ? ["--user"] : [];
}

function sayCommand(scope: UnitScope, command: string): string {
  return `  ${["systemctl", ...manager(scope), command].join(" ")}`;
}

function nextSteps(scope: UnitScope): string[] {
  if (scope === "template")
    return ["start it for a user with:", sayCommand(scope, "enable --now rollcall@NAME")];
  if (scope === "system") return [];
  if (lingers()) return [];
  return ["it stops when you log out; to keep it running, run:", "  loginctl enable-linger"];
}

function lingers(): boolean {
  try {
    return existsSync(`/var/lib/systemd/linger/${userInfo().username}`);
  } catch {
    // In a container the user may have no name.
    return false;
  }
}
