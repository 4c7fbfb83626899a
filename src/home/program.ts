import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { InstallError, refuseControl } from "./install-error.ts";

/** What units and crontab lines start: absolute paths that exist and can be executed. */
export interface Program {
  readonly node: string;
  readonly script: string;
}

/** This very program, at the paths that outlive the shell and, where there is a choice, an update. */
export function thisProgram(execPath = process.execPath, url = import.meta.url): Program {
  return { node: stableNode(execPath), script: scriptAbove(fileURLToPath(url)) };
}

/** Fails loudly before anything is written that would point nowhere. */
export function checkProgram({ node, script }: Program): void {
  checkExecutable("node", node);
  checkExecutable("rollcall", script);
}

/**
 * Version managers put a folder of symbolic links into each shell, which is gone with the shell: the real path
 * stays. Package managers do it the other way round: the real path has a version in it and goes with the next
 * update, and a link that they keep leads to it.
 */
export function stableNode(execPath: string): string {
  const real = realpathSync(execPath);
  const kept = [
    "/usr/local/bin/node",
    "/usr/bin/node",
    real.replace(/^(\/snap\/[^/]+)\/[^/]+\//, "$1/current/"),
    real.replace(/\/Cellar\/(node[^/]*)\/[^/]+\//, "/opt/$1/"),
  ];
  return kept.find((path) => path !== real && leadsTo(path, real)) ?? real;
}

function leadsTo(path: string, real: string): boolean {
  try {
    return realpathSync(path) === real;
  } catch {
    return false;
  }
}

/** `bin/rollcall.js` of the package that a file belongs to: the bundle and the sources lie at different depths. */
function scriptAbove(file: string): string {
  for (let folder = dirname(realpathSync(file)); ; folder = dirname(folder)) {
    const script = join(folder, "bin", "rollcall.js");
    if (existsSync(script)) return refuseCache(script);
    if (folder === dirname(folder)) throw new InstallError("bad-program", `there is no ${script}`);
  }
}

function refuseCache(script: string): string {
  if (!script.includes("/_npx/")) return script;
  throw new InstallError(
    "bad-program",
    `${script} is in the cache of npx, which may be emptied at any time; ` +
      "install Rollcall first (npm install -g rollcall-agents) and call it by its name",
  );
}

function checkExecutable(what: string, path: string): void {
  refuseControl(`the path of ${what}`, path);
  const problem = executableProblem(path);
  if (problem !== undefined) throw new InstallError("bad-program", `${what}: ${path} ${problem}`);
}

function executableProblem(path: string): string | undefined {
  if (!isAbsolute(path)) return "is not an absolute path";
  try {
    if (!statSync(path).isFile()) return "is not a file";
    accessSync(path, constants.R_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT"
      ? "does not exist"
      : `cannot be executed; make it so: chmod +x ${path}`;
  }
}

/** A template runs as users who are not known yet: every one of them must reach the program. */
export function checkReachableByAll({ node, script }: Program): void {
  for (const path of [node, script]) {
    for (let part = realpathSync(path); part !== dirname(part); part = dirname(part)) {
      if ((statSync(part).mode & 0o001) !== 0) continue;
      throw new InstallError(
        "bad-program",
        `${path} cannot be run by other users, because ${part} is closed to them; ` +
          "install Node and Rollcall where everybody can read them, such as /usr/local",
      );
    }
  }
}

/** Where a program is found when nothing else is said, as Debian has it. */
export const STANDARD_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * The PATH for a service: what the person who installs has, so that agents find the same programs, without what
 * only this shell or this call of npx has, and with the folder of our own node.
 */
export function lastingPath(path: string | undefined, { node }: Program): string {
  const folders = (path || STANDARD_PATH).split(delimiter).filter(isLasting);
  return [...new Set([...folders, dirname(node)])].join(delimiter);
}

function isLasting(folder: string): boolean {
  if (!isAbsolute(folder) || !existsSync(folder)) return false;
  return !/fnm_multishells|\/node_modules\/\.bin\/?$|node-gyp-bin|\/_npx\//.test(folder);
}

/** A command as a service will find it: a relative program becomes absolute, a bare name must be on its PATH. */
export function lastingCommand(command: readonly string[], path: string): readonly string[] {
  const [name = "", ...rest] = command;
  if (name.includes("/")) {
    const program = resolve(name);
    checkExecutable("the command", program);
    return [program, ...rest];
  }
  if (path.split(delimiter).some((folder) => executableProblem(join(folder, name)) === undefined))
    return command;
  throw new InstallError(
    "bad-program",
    `the command: there is no program ${JSON.stringify(name)} on ${path}`,
  );
}
