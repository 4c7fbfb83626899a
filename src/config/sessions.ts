import { existsSync } from "node:fs";
import { isAgentId } from "../core/agent.ts";
import { allMatches } from "../session-log/newest-match.ts";
import { realFiles, sayFileError } from "../system/stat-files.ts";
import type { AgentDefaults, DeclaredAgent } from "./declared-agent.ts";

/** An item of `agents` whose matching files are agents each. */
export interface SessionPattern {
  readonly key: string;
  /** An absolute path with `*` or `?`. */
  readonly pattern: string;
  readonly defaults: AgentDefaults;
}

/** The agents of all session logs that are there now, apart from those that are declared already. */
export async function findSessions(
  patterns: readonly SessionPattern[],
  known: ReadonlyMap<string, unknown>,
): Promise<{ agents: readonly DeclaredAgent[]; overlooked: readonly string[] }> {
  const logs = new Map<string, string>();
  const agents: DeclaredAgent[] = [];
  const overlooked: string[] = [];
  for (const { key, pattern, defaults } of patterns) {
    const { found, failed } = await allMatches(pattern, realFiles);
    if (failed !== undefined && found.length === 0)
      overlooked.push(`${key}: a folder of ${pattern} ${sayFileError(failed)}`);
    for (const path of found.map((match) => match.path).sort()) {
      const id = idOf(path, pattern);
      const other = id === undefined ? undefined : logs.get(id);
      if (id === undefined)
        overlooked.push(`${key}: ${path}: its name gives no agent id; expected a letter or digit`);
      else if (other !== undefined && other !== path)
        overlooked.push(`${key}: ${path}: agent ${id} already has the log ${other}`);
      else if (other === undefined && !known.has(id)) {
        logs.set(id, path);
        agents.push({ id, ...defaults, log: logAt(path) });
      }
    }
  }
  return { agents, overlooked };
}

/** The id is what the wildcards stand for with the text around them: `…/session-logs/app-ann.log` is `app-ann`. */
function idOf(path: string, pattern: string): string | undefined {
  const fixed = pattern.split("/").findIndex((part) => /[*?]/.test(part));
  const name = path
    .split("/")
    .slice(fixed)
    .join("-")
    .replace(/\.[^.]*$/, "");
  const id = name
    .replace(/[^A-Za-z0-9_@-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 128);
  return isAgentId(id) ? id : undefined;
}

/** A path is a template: one with signs that mean something there is filled in as it is. */
function logAt(path: string): NonNullable<DeclaredAgent["log"]> {
  const place = /[*?{}\\]/.test(path) ? { path: "{file}", keys: { file: path } } : { path };
  return { ...place, plain: false, session: true };
}

/** Whether an agent was found by its session log, which is gone. */
export function isOver({ log }: DeclaredAgent): boolean {
  if (log?.session !== true || log.path === undefined) return false;
  return !existsSync(log.keys?.file ?? log.path);
}
