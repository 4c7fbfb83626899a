import { type Files, realFiles } from "../files.ts";
import { fillTemplate, type LogPlace } from "../session-log.ts";

/** Coding agents whose transcripts are JSON Lines in a place that is known. */
export const CLIENTS = ["claude-code", "codex", "qwen-code"] as const;
export type Client = (typeof CLIENTS)[number];

/** The beginning of a transcript names the folder in which its agent works. */
const HEAD = 16 * 1024;

/** Where a client keeps the transcripts of the agent that works in `cwd`. */
export function presetPlace(
  client: Client,
  cwd: string,
  keys: Readonly<Record<string, string>> = {},
  files: Files = realFiles,
): LogPlace {
  const filled = fillTemplate(cwd, keys);
  const folder = "problem" in filled ? cwd : filled.path.replace(/(?<=.)\/+$/, "");
  const all = { ...keys, cwd: folder, project: folder.replace(/[^A-Za-z0-9]/g, "-") };
  switch (client) {
    case "claude-code":
      return { path: "~/.claude/projects/{project}/*.jsonl", keys: all };
    case "qwen-code":
      return { path: "~/.qwen/projects/{project}/chats/*.jsonl", keys: all };
    case "codex":
      // Codex keeps the sessions of all folders together, by date.
      return {
        path: "~/.codex/sessions/*/*/*/rollout-*.jsonl",
        keys: all,
        accepts: remembered((path) => worksIn(path, folder, files)),
      };
  }
}

async function worksIn(path: string, folder: string, files: Files): Promise<boolean | undefined> {
  try {
    const { bytes } = await files.read(path, 0, HEAD);
    const cwd = /"cwd"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(new TextDecoder().decode(bytes))?.[1];
    return cwd === undefined ? undefined : JSON.parse(cwd) === folder;
  } catch {
    return undefined;
  }
}

/** A transcript never changes the folder of its agent, so each is asked once; one that does not say yet, again. */
function remembered(ask: (path: string) => Promise<boolean | undefined>): (path: string) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const answer = await ask(path);
    if (known.size >= 1000) known.clear();
    if (answer !== undefined) known.set(path, answer);
    return answer ?? false;
  };
}
