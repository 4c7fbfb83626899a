// Makes a checkout ready to run: installs the dependencies and builds, each only if something changed.
// It uses nothing but Node itself, because on a fresh clone there is nothing else.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** TypeScript's native compiler, six times as quick as the one that other tools import as `typescript`. */
export const compiler = join(root, "node_modules", "typescript-native", "bin", "tsc");

/** Runs a program in the checkout and ends this process with its status if it fails. */
export function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  if (done.error) {
    console.error(`rollcall: could not run ${command}: ${done.error.message}`);
    process.exit(1);
  }
  if (done.status !== 0) process.exit(done.status ?? 1);
}

const stamp = join(root, "node_modules", ".rollcall-lock");

/** Whether someone ran `npm ci` or `npm install` since the lock file changed: npm writes its own copy of it then. */
function installedByHand() {
  const ofNpm = join(root, "node_modules", ".package-lock.json");
  return existsSync(ofNpm) && statSync(ofNpm).mtimeMs > statSync(join(root, "package-lock.json")).mtimeMs;
}

function installIfNeeded() {
  const lock = readFileSync(join(root, "package-lock.json"), "utf8");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  if (installedByHand()) return;
  console.error("rollcall: installing dependencies …");
  run("npm", ["ci", "--no-fund", "--no-audit", "--loglevel=error"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  writeFileSync(stamp, lock);
}

function newest(path) {
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.mtimeMs;
  return readdirSync(path).reduce((max, name) => Math.max(max, newest(join(path, name))), entry.mtimeMs);
}

function buildIfNeeded() {
  const built = join(root, "dist", "cli.cjs");
  const sources = ["src", "ui", "scripts", "package.json"].map((name) => newest(join(root, name)));
  if (existsSync(built) && statSync(built).mtimeMs > Math.max(...sources)) return;
  console.error("rollcall: building …");
  run(process.execPath, ["scripts/build.js"]);
}

/** Says in one sentence when this Node is too old, before anything fails in a less clear way. */
function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`rollcall: Node ${process.versions.node} is too old; 20.19 or later is needed`);
  process.exit(1);
}

export function setup() {
  checkNode();
  installIfNeeded();
  buildIfNeeded();
}
