import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { placeFile } from "../agent/place-file.ts";
import { readOwnFile } from "../system/files.ts";
import { VERSION } from "../system/version.ts";
import type { ConfigRead } from "./read.ts";

/** A config of 16 MB is about as large when it is kept. */
const LARGEST = 64 * 1024 * 1024;

type Agent = ConfigRead["config"]["agents"][number];

/** The first line of the file; each agent follows on a line of its own, after its id. */
interface Head {
  readonly key: string;
  readonly read: ConfigRead;
}

/**
 * What a config file says, as it was read before: the file in the home is for this very text, and for this very build
 * of Rollcall. With `only` the other agents are not even parsed.
 */
export function keptConfig(home: string, text: string, file: string, only?: string): ConfigRead | undefined {
  const key = keyOf(text, file);
  if (key === undefined) return undefined;
  try {
    const path = fileIn(home);
    if (!isOurs(path)) return undefined;
    const kept = readOwnFile(path, LARGEST);
    const end = kept.indexOf("\n");
    const head = JSON.parse(kept.toString("utf8", 0, end)) as Head;
    if (head.key !== key) return undefined;
    const agents = only === undefined ? allIn(kept, end) : oneIn(kept, end, only);
    return { ...head.read, config: { ...head.read.config, agents: [...head.read.config.agents, ...agents] } };
  } catch {
    return undefined;
  }
}

/** Keeps it for the next time, in a home of our own. Other users read the config again. */
export function keepConfig(home: string, text: string, file: string, read: ConfigRead): void {
  const key = keyOf(text, file);
  if (key === undefined) return;
  const { agents } = read.config;
  // The order counts where files name more agents.
  const isPlain = agents.every(({ id }) => id !== undefined);
  const head: Head = { key, read: { ...read, config: { ...read.config, agents: isPlain ? [] : agents } } };
  const lines = isPlain ? agents.map((agent) => `${agent.id} ${JSON.stringify(agent)}`) : [];
  const whole = [JSON.stringify(head), ...lines, ""].join("\n");
  // A value that JSON cannot hold, such as .inf in YAML.
  const isSame = isDeepStrictEqual(JSON.parse(JSON.stringify(read)), read);
  try {
    if (isSame && isOurs(home)) placeFile(join(home, `.config-${process.pid}`), fileIn(home), whole, false);
  } catch {
    // There is no home yet, or it is read-only.
  }
}

function fileIn(home: string): string {
  return join(home, ".config-read");
}

/** What another user could have written might say something else than the config does. */
function isOurs(path: string): boolean {
  const { uid, mode } = statSync(path);
  return uid === process.geteuid?.() && (mode & 0o022) === 0;
}

/** Undefined where Rollcall runs from its source, which has no build. */
function keyOf(text: string, file: string): string | undefined {
  if (import.meta.url.endsWith(".ts")) return undefined;
  // All bundles of a build lie beside this one. npm gives every file of a package the same time of change.
  const { ctimeMs, mtimeMs, size } = statSync(fileURLToPath(new URL("./cli.cjs", import.meta.url)));
  const isJson = file.endsWith("gateway.json");
  return createHash("sha256")
    .update(`${process.version} ${VERSION} ${ctimeMs} ${mtimeMs} ${size} ${isJson}\n`)
    .update(text)
    .digest("base64url");
}

function allIn(kept: Buffer, end: number): Agent[] {
  const lines = kept.toString("utf8", end + 1).split("\n");
  return lines.flatMap((line) => (line === "" ? [] : (JSON.parse(line.slice(line.indexOf(" "))) as Agent)));
}

function oneIn(kept: Buffer, end: number, id: string): Agent[] {
  const at = kept.indexOf(`\n${id} `, end);
  if (at < 0) return [];
  return [JSON.parse(kept.toString("utf8", at + id.length + 2, kept.indexOf("\n", at + 1))) as Agent];
}
