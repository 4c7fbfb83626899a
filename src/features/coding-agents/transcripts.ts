import { DAY, type Instant } from "../../core/duration.ts";
import { allMatches } from "../../session-log/newest-match.ts";
import { fillTemplate } from "../../session-log/template.ts";
import {
  CLIENTS,
  type Client,
  folderOf,
  MOST_PROJECTS,
  TRANSCRIPTS,
} from "../../signals/transcript/presets.ts";
import { realFiles } from "../../system/stat-files.ts";

/** The transcript that a coding agent last wrote in a folder. */
export interface FreshTranscript {
  readonly client: Client;
  readonly cwd: string;
  readonly path: string;
  readonly changedAt: Instant;
}

/** The newest transcript of each client and folder, if it changed within the last day. */
export async function freshTranscripts(now: Instant): Promise<readonly FreshTranscript[]> {
  const fresh: FreshTranscript[] = [];
  for (const client of CLIENTS) {
    const pattern = fillTemplate(TRANSCRIPTS[client]);
    if ("problem" in pattern) continue;
    const { found } = await allMatches(pattern.path, realFiles, MOST_PROJECTS);
    const seen = new Set<string>();
    for (const { path, stat } of found) {
      if (stat.mtimeMs < now - DAY) break;
      const cwd = await folderOf(client, path);
      if (cwd === undefined || seen.has(cwd) || !isPlain(cwd)) continue;
      seen.add(cwd);
      fresh.push({ client, cwd, path, changedAt: Math.floor(stat.mtimeMs) });
    }
  }
  return fresh;
}

/** What a transcript says is not ours: a path that would mean something else in the config is left out. */
function isPlain(cwd: string): boolean {
  if (!cwd.startsWith("/") || cwd.length > 1000 || /\p{Cc}/u.test(cwd)) return false;
  const filled = fillTemplate(cwd);
  return "path" in filled && filled.path === cwd;
}
