import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, readOwnFile } from "../system/files.ts";
import { uuidv7 } from "../system/uuid.ts";
import { checkAgentId } from "./beat-record.ts";
import { AgentError, sayValue, unwritable } from "./error.ts";
import { placeFile } from "./place-file.ts";

/** A piece of work that is recorded as under way: `work/<id>.json` in the home. When it is done, its file goes. */
export interface Work {
  readonly id: string;
  readonly agent: string;
  readonly what: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly note?: string;
}

/** Larger files were not written by us. */
const LARGEST = 1024 * 1024;

function folderOf(home: string): string {
  return join(home, "work");
}

export function startWork(agent: string, what: string, home: string): Work {
  checkAgentId(agent);
  const now = new Date().toISOString();
  // The end of a UUID is enough to tell the work of one home apart, and short enough to type.
  const work: Work = { id: uuidv7().slice(-12), agent, what, startedAt: now, updatedAt: now };
  write(work, home);
  return work;
}

export function updateWork(id: string, note: string | undefined, home: string): Work {
  const work = find(id, home);
  const updated = { ...work, updatedAt: new Date().toISOString(), ...(note === undefined ? {} : { note }) };
  write(updated, home);
  return updated;
}

export function finishWork(id: string, home: string): Work {
  const work = find(id, home);
  rmSync(join(folderOf(home), `${work.id}.json`), { force: true });
  return work;
}

/** Everything that is under way, oldest first. What cannot be read is passed over. */
export function listWork(home: string, agent?: string): readonly Work[] {
  let names: string[] = [];
  try {
    names = readdirSync(folderOf(home));
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith(".json") && !name.startsWith("."))
    .flatMap((name) => read(join(folderOf(home), name)))
    .filter((work) => agent === undefined || work.agent === agent)
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
}

function find(id: string, home: string): Work {
  const work = listWork(home).find((each) => each.id === id);
  if (work !== undefined) return work;
  throw new AgentError("no-such-work", `work: expected the id of work under way, not ${sayValue(id)}`);
}

function read(path: string): Work[] {
  try {
    const work = JSON.parse(readOwnFile(path, LARGEST).toString("utf8")) as Partial<Work>;
    const { id, agent, what, startedAt, updatedAt } = work;
    const whole = [id, agent, what, startedAt, updatedAt].every((each) => typeof each === "string");
    return whole ? [work as Work] : [];
  } catch {
    return [];
  }
}

function write(work: Work, home: string): void {
  const folder = folderOf(home);
  try {
    makeFolder(folder);
  } catch (cause) {
    throw unwritable(folder, cause);
  }
  const path = join(folder, `${work.id}.json`);
  placeFile(join(folder, `.${work.id}.${process.pid}.tmp`), path, `${JSON.stringify(work)}\n`, true);
}
