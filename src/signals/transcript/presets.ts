import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { fillTemplate, type LogPlace } from "../../session-log/template.ts";
import { type Files, realFiles } from "../../system/stat-files.ts";

/** Coding agents whose transcripts are JSON Lines in a place that is known. */
export const CLIENTS = ["claude-code", "codex", "qwen-code", "gemini-cli"] as const;
export type Client = (typeof CLIENTS)[number];

/** Where the transcripts of all folders are. */
export const TRANSCRIPTS: Readonly<Record<Client, string>> = {
  "claude-code": "~/.claude/projects/*/*.jsonl",
  "qwen-code": "~/.qwen/projects/*/chats/*.jsonl",
  codex: "~/.codex/sessions/*/*/*/rollout-*.jsonl",
  "gemini-cli": "~/.gemini/tmp/*/chats/session-*.jsonl",
};

/** The folders that hold them. */
export const TRANSCRIPT_FOLDERS: readonly string[] = Object.values(TRANSCRIPTS).map((path) =>
  path.slice(0, path.indexOf("/*")),
);

/** A client makes a folder for each project that it was ever used in. */
export const MOST_PROJECTS = 1000;

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
  const all = { ...keys, cwd: folder, project: projectName(folder) };
  const path = TRANSCRIPTS[client];
  switch (client) {
    case "claude-code":
    case "qwen-code":
      return { path: path.replace("/projects/*/", "/projects/{project}/"), keys: all };
    case "codex":
      // Codex keeps the sessions of all folders together, by date.
      return { path, keys: all, accepts: remembered((file) => startsWithCwd(file, folder, files)) };
    case "gemini-cli":
      // Its folders have short names of its own choosing; what is in them tells whose they are.
      return {
        ...{ path, keys: all, mostFolders: MOST_PROJECTS },
        accepts: remembered((file) => startsWithHash(file, folder, files)),
      };
  }
}

/** Claude Code and Qwen Code name the folder of a project after its path. */
function projectName(folder: string): string {
  return folder.replace(/[^A-Za-z0-9]/g, "-");
}

/** The folder in which the agent of a transcript works, if that can be told. */
export async function folderOf(
  client: Client,
  path: string,
  files: Files = realFiles,
): Promise<string | undefined> {
  if (client === "gemini-cli") {
    const owner = await headOf(join(dirname(dirname(path)), ".project_root"), files);
    return owner?.trim();
  }
  const named = cwdsIn((await headOf(path, files)) ?? "");
  if (client === "codex") return named[0];
  // An agent may change its folder; its transcript stays with the one in which it began.
  const project = basename(dirname(client === "qwen-code" ? dirname(path) : path));
  return named.find((cwd) => projectName(cwd) === project);
}

async function headOf(path: string, files: Files): Promise<string | undefined> {
  try {
    return new TextDecoder().decode((await files.read(path, 0, HEAD)).bytes);
  } catch {
    return undefined;
  }
}

function cwdsIn(head: string): readonly string[] {
  return [...head.matchAll(/"cwd"\s*:\s*("(?:[^"\\]|\\.)*")/g)].flatMap(([, text = ""]) => {
    try {
      return [String(JSON.parse(text))];
    } catch {
      return [];
    }
  });
}

async function startsWithCwd(path: string, folder: string, files: Files): Promise<boolean | undefined> {
  const [cwd] = cwdsIn((await headOf(path, files)) ?? "");
  return cwd === undefined ? undefined : cwd === folder;
}

async function startsWithHash(path: string, folder: string, files: Files): Promise<boolean | undefined> {
  const hash = /"projectHash"\s*:\s*"([0-9a-f]{64})"/.exec((await headOf(path, files)) ?? "")?.[1];
  return hash === undefined ? undefined : hash === createHash("sha256").update(folder).digest("hex");
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
