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

/** The first line of the file. Each agent follows on a line of its own, after its id; then the text that all of it was read from. */
interface Head {
  /** The build of Rollcall, and how the file was read. */
  readonly key: string;
  /** The size of the text in bytes. */
  readonly size: number;
  readonly read: ConfigRead;
}

/**
 * What a config file says, as it was read before: the file in the home is for this very text, and for this very build
 * of Rollcall. With `only` the other agents are not even parsed. The texts are compared, because a hash would take longer:
 * Node sets up its cryptography first.
 */
export function keptConfig(home: string, text: string, file: string, only?: string): ConfigRead | undefined {
  const key = keyOf(file);
  if (key === undefined) return undefined;
  try {
    const path = fileIn(home);
    if (!isOurs(path)) return undefined;
    const kept = readOwnFile(path, LARGEST);
    const end = kept.indexOf("\n");
    const head = JSON.parse(kept.toString("utf8", 0, end)) as Head;
    const lines = kept.subarray(end, kept.length - head.size);
    if (head.key !== key || !kept.subarray(kept.length - head.size).equals(Buffer.from(text)))
      return undefined;
    const agents = only === undefined ? allIn(lines) : oneIn(lines, only);
    return { ...head.read, config: { ...head.read.config, agents: [...head.read.config.agents, ...agents] } };
  } catch {
    return undefined;
  }
}

/** Keeps it for the next time, in a home of our own. Other users read the config again. */
export function keepConfig(home: string, text: string, file: string, read: ConfigRead): void {
  const key = keyOf(file);
  if (key === undefined) return;
  const { agents } = read.config;
  // The order counts where files name more agents.
  const isPlain = agents.every(({ id }) => id !== undefined);
  const rest = { ...read, config: { ...read.config, agents: isPlain ? [] : agents } };
  const head: Head = { key, size: Buffer.byteLength(text), read: rest };
  const lines = isPlain ? agents.map((agent) => `${agent.id} ${JSON.stringify(agent)}`) : [];
  const whole = [JSON.stringify(head), ...lines, text].join("\n");
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
function keyOf(file: string): string | undefined {
  if (import.meta.url.endsWith(".ts")) return undefined;
  // All bundles of a build lie beside this one. npm gives every file of a package the same time of change.
  const { ctimeMs, mtimeMs, size } = statSync(fileURLToPath(new URL("./cli.cjs", import.meta.url)));
  const isJson = file.endsWith("gateway.json");
  return `${process.version} ${VERSION} ${ctimeMs} ${mtimeMs} ${size} ${isJson}`;
}

function allIn(kept: Buffer): Agent[] {
  const lines = kept.toString("utf8").split("\n");
  return lines.flatMap((line) => (line === "" ? [] : (JSON.parse(line.slice(line.indexOf(" "))) as Agent)));
}

function oneIn(kept: Buffer, id: string): Agent[] {
  const at = kept.indexOf(`\n${id} `);
  if (at < 0) return [];
  return [JSON.parse(kept.toString("utf8", at + id.length + 2, kept.indexOf("\n", at + 1))) as Agent];
}
