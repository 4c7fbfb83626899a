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

/** Long enough for a busy machine. */
const LONGEST = 5 * 60 * 1000;
const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];

/** Installs a package from npm's registry into a folder of its own. */
export async function fromNpm(name: string, into: string): Promise<Installed> {
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, "package.json"), '{"private":true}\n');
  await run(into, "npm", "install", name, "--ignore-scripts", ...QUIET);
  return found(join(into, "node_modules", name));
}

function found(folder: string): Installed {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return { folder, version };
}

function run(cwd: string, command: string, ...args: string[]): Promise<void> {
  return new Promise((done, failed) => {
    execFile(command, args, { cwd, timeout: LONGEST, maxBuffer: 1 << 26 }, (error, _, stderr) => {
      if (error === null) return done();
      const why = /^npm error .*\S/m.exec(stderr)?.[0] ?? error.message.split("\n")[0];
      failed(new Unavailable(`${command} ${args[0]}: ${why}`));
    });
  });
}
