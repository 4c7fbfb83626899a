import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A peer could not be had or does not run here: the others are compared all the same. */
export class Unavailable extends Error {}

export interface Installed {
  /** The folder of the program itself. */
  readonly folder: string;
  readonly version: string;
}

/** Long enough to compile a database from source and to build a page on a busy machine. */
const LONGEST = 15 * 60 * 1000;
const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];

/** Installs a package from npm's registry into a folder of its own. */
export async function fromNpm(name: string, into: string): Promise<Installed> {
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, "package.json"), '{"private":true}\n');
  await run(into, "npm", "install", name, "--ignore-scripts", ...QUIET);
  return found(join(into, "node_modules", name));
}

/** Clones a version and builds it, with what it compiles at its installation. */
export async function fromGit(repository: string, tag: string, into: string): Promise<Installed> {
  await run(".", "git", "clone", "--quiet", "--depth=1", `--branch=${tag}`, "--", repository, into);
  await run(into, "npm", "ci", "--ignore-scripts=false", ...QUIET);
  await run(into, "npm", "run", "build");
  return found(into);
}

function found(folder: string): Installed {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return { folder, version };
}

function run(cwd: string, command: string, ...args: string[]): Promise<void> {
  return new Promise((done, failed) => {
    const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
    execFile(command, args, { cwd, env, timeout: LONGEST, maxBuffer: 1 << 26 }, (error, _, stderr) => {
      if (error === null) return done();
      const why = /^(?:fatal:|npm error) .*\S/m.exec(stderr)?.[0] ?? error.message.split("\n")[0];
      failed(new Unavailable(`${command} ${args[0]}: ${why}`));
    });
  });
}
