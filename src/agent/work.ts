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
  /** Lines for a shell that must all succeed before the work counts as done. */
  readonly checks?: readonly string[];
  /** It was said to be done, and one of the checks failed. */
  readonly failed?: FailedCheck;
}

export interface FailedCheck {
  readonly at: string;
  readonly check: string;
  /** How it ended, such as `ended with 1`, and the last that it wrote. */
  readonly problem: string;
  readonly output: string;
}

/** Larger files were not written by us. */
const LARGEST = 1024 * 1024;

function folderOf(home: string): string {
  return join(home, "work");
}

export function startWork(agent: string, what: string, home: string, checks: readonly string[] = []): Work {
  checkAgentId(agent);
  if (checks.some((check) => check.trim() === ""))
    throw new AgentError("bad-text", 'check: expected a command such as "npm test", not ""');
  const now = new Date().toISOString();
  const work: Work = {
    // The end of a UUID is enough to tell the work of one home apart, and short enough to type.
    ...{ id: uuidv7().slice(-12), agent, what, startedAt: now, updatedAt: now },
    ...(checks.length === 0 ? {} : { checks }),
  };
  write(work, home);
  return work;
}

export function updateWork(id: string, note: string | undefined, home: string): Work {
  // Work that goes on is not said to be done any more.
  const { failed: _, ...work } = findWork(id, home);
  const updated = { ...work, updatedAt: new Date().toISOString(), ...(note === undefined ? {} : { note }) };
  write(updated, home);
  return updated;
}

/** Records that work is done. Work with checks must have passed them: `rollcall work done` runs them. */
export function finishWork(id: string, home: string, passed = false): Work {
  const work = findWork(id, home);
  if (work.checks !== undefined && !passed) {
    const says = `work: ${work.id} has a check, which must pass first; run: rollcall work done ${work.id}`;
    throw new AgentError("not-checked", says);
  }
  const { failed: _, ...done } = dropWork(id, home);
  return done;
}

/** Records that a check failed after the agent had said that the work is done. The work stays under way. */
export function failWork(id: string, failed: FailedCheck, home: string): Work {
  const work = { ...findWork(id, home), failed };
  write(work, home);
  return work;
}

/** Records that work is given up. */
export function dropWork(id: string, home: string): Work {
  const work = findWork(id, home);
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

export function findWork(id: string, home: string): Work {
  const work = listWork(home).find((each) => each.id === id);
  if (work !== undefined) return work;
  throw new AgentError("no-such-work", `work: expected the id of work under way, not ${sayValue(id)}`);
}

function read(path: string): Work[] {
  try {
    const work = JSON.parse(readOwnFile(path, LARGEST).toString("utf8")) as Partial<Work>;
    const { id, agent, what, startedAt, updatedAt, checks = [], failed } = work;
    const texts = [id, agent, what, startedAt, updatedAt, ...checks];
    if (failed !== undefined) texts.push(failed.at, failed.check, failed.problem, failed.output);
    return texts.every((each) => typeof each === "string") ? [work as Work] : [];
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
