import { accessSync, constants, existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { HookClient } from "../../core/hook/event.ts";
import { quoted } from "../../core/quoted.ts";
import { runNow } from "../../system/exec.ts";
import { ConnectError } from "./connect-error.ts";
import {
  countHooks,
  type IsOurs,
  isSwitchedOff,
  type OwnHook,
  withHooks,
  withoutHooks,
} from "./json-hooks.ts";
import { openCodePlugin } from "./plugin.ts";
import { notifyIn, withNotify, without } from "./toml-notify.ts";

/** How one client is told to tell us what it does. */
export interface Connectable {
  readonly client: HookClient;
  /** What people start. */
  readonly program: string;
  /** The file that is changed, or that is ours alone. */
  file(env: NodeJS.ProcessEnv): string;
  /** What it can tell, in a few words. */
  readonly tells: string;
  /** What a person must do once after that. */
  readonly todo?: string;
  readonly needsCurl: boolean;
  /** How a version before `since` is told instead; that version does not know the newer way. */
  readonly older?: { readonly since: string; readonly way: Connectable };
  /** The file's text with our hooks instead of those of ours that stand in it. */
  connected(text: string, script: string, file: string): string;
  /** The file's text without our hooks; undefined if the whole file is ours. */
  disconnected(text: string, file: string): string | undefined;
  /** How many hooks of ours stand in it. */
  count(text: string, file: string): number;
  /** Whether it makes the client ignore them. */
  isOff?(text: string): boolean;
}

/** The guard: a program that is gone is silence, not an error in the client. */
function hookCommand(script: string, words: string): string {
  // What the client writes is read in any case, or it could take the closed pipe for an error.
  return `if [ -x ${quoted(script)} ]; then exec ${quoted(script)} ${words}; else cat >/dev/null; fi`;
}

const OWN = /^if \[ -x .*\/connect\/hook'? \]; then exec .*\/connect\/hook'? [a-z-]+/;
/** What `rollcall install claude-hooks` had people paste. */
const PASTED =
  / '?beat'? .*--action'? '(?:session started|asks for permission|turn over|session ended)' >\/dev\/null 2>&1 \|\| true$/;
const isOurs: IsOurs = (command) => OWN.test(command) || PASTED.test(command);

const SHARED = [
  ...["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest"],
  ...["Stop", "PreCompact", "SubagentStart", "SubagentStop", "SessionEnd"],
] as const;
const ALL = "work, permissions with the command, questions, limits, ends of turns and sessions";

/** A client whose settings file holds hooks, in lists by event. */
function settings(
  its: Pick<Connectable, "client" | "program" | "file" | "tells" | "todo">,
  events: readonly string[],
  more: (event: string) => object,
): Connectable {
  return {
    ...its,
    needsCurl: true,
    connected: (text, script, file) => {
      const command = hookCommand(script, its.client);
      const hooks: OwnHook[] = events.map((event) => ({
        event,
        entry: { hooks: [{ type: "command", command, ...more(event) }] },
      }));
      return withHooks(withoutHooks(text, isOurs, file), hooks, file);
    },
    disconnected: (text, file) => withoutHooks(text, isOurs, file),
    count: (text, file) => countHooks(text, (command) => OWN.test(command), file),
    isOff: isSwitchedOff,
  };
}

const inHome = (env: NodeJS.ProcessEnv) => env.HOME || homedir();

export const CONNECTABLE: readonly Connectable[] = [
  settings(
    {
      client: "claude-code",
      program: "claude",
      file: (env) => join(env.CLAUDE_CONFIG_DIR || join(inHome(env), ".claude"), "settings.json"),
      tells: ALL,
    },
    [...SHARED, "PostToolUseFailure", "Notification", "StopFailure"],
    // The end of a session is told before the program goes; all else beside its work.
    (event) => (event === "SessionEnd" ? { timeout: 5 } : { async: true, timeout: 5 }),
  ),
  codex(),
  openCode(),
  settings(
    {
      client: "gemini-cli",
      program: "gemini",
      file: (env) => join(inHome(env), ".gemini", "settings.json"),
      tells: "work, permissions with the command, ends of turns and sessions",
    },
    ["SessionStart", "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "Notification", "SessionEnd"],
    () => ({ name: "rollcall", timeout: 3000 }),
  ),
  settings(
    {
      client: "qwen-code",
      program: "qwen",
      file: (env) => join(inHome(env), ".qwen", "settings.json"),
      tells: ALL,
    },
    [...SHARED, "PostToolUseFailure", "Notification", "StopFailure"],
    () => ({ name: "rollcall", timeout: 3000 }),
  ),
  copilot(),
];

const inCodex = (env: NodeJS.ProcessEnv, name: string) =>
  join(env.CODEX_HOME || join(inHome(env), ".codex"), name);

function codex(): Connectable {
  const hooks = settings(
    {
      client: "codex",
      program: "codex",
      file: (env) => inCodex(env, "hooks.json"),
      tells: ALL.replace("limits, ", "interruptions, "),
      todo: "Codex runs hooks only after you trust them: start it and choose to, or type /hooks in it, then t",
    },
    [...SHARED, "PostCompact", "Interrupt"],
    () => ({ timeout: 3 }),
  );
  // Hooks came with 0.114.0, but they are off by default before this version.
  return { ...hooks, older: { since: "0.124.0", way: codexNotify("0.124.0") } };
}

/** Older versions of Codex call one program at the end of each turn, with what they tell as its last argument. */
function codexNotify(since: string): Connectable {
  const isOurs = (statement: string) => /\/connect\/hook'? codex <<ROLLCALL\\n/.test(statement);
  const own = (text: string, file: string) => {
    const found = notifyIn(text, file);
    return found !== undefined && isOurs(text.slice(found.start, found.end)) ? found : undefined;
  };
  const disconnected = (text: string, file: string) => {
    const found = own(text, file);
    return found === undefined ? text : without(text, found);
  };
  return {
    client: "codex",
    program: "codex",
    file: (env) => inCodex(env, "config.toml"),
    tells: "ends of turns",
    todo: `This version of Codex reports only that a turn has ended. Codex ${since} and newer have hooks: update Codex, then connect it again`,
    needsCurl: true,
    connected: (text, script, file) => {
      const rest = disconnected(text, file);
      if (notifyIn(rest, file) !== undefined)
        throw new ConnectError("own-notify", ownNotify(file, script, since));
      // The script is given its input without a process in between: its parent is then Codex itself.
      const call = `if [ -x ${quoted(script)} ]; then exec ${quoted(script)} codex <<ROLLCALL\n$1\nROLLCALL\nfi`;
      return withNotify(rest, ["sh", "-c", call, "rollcall"]);
    },
    disconnected,
    count: (text, file) => (own(text, file) === undefined ? 0 : 1),
  };
}

function ownNotify(file: string, script: string, since: string): string {
  return (
    `${file} has a notify of your own, and this version of Codex calls only one program. Rollcall leaves yours as it is. ` +
    `Either update Codex to ${since} or newer, which has hooks, and connect it again; ` +
    `or let your program pass its last argument on: printf %s "$1" | ${quoted(script)} codex`
  );
}

/** OpenCode reads plugins from a folder: the file is ours alone. */
function openCode(): Connectable {
  return {
    client: "opencode",
    program: "opencode",
    file: (env) =>
      join(env.XDG_CONFIG_HOME || join(inHome(env), ".config"), "opencode", "plugins", "rollcall.js"),
    tells: `${ALL.replace("limits", "retries")}, answers`,
    needsCurl: false,
    connected: (_, script) => openCodePlugin(script),
    disconnected: () => undefined,
    count: (text) => (text.includes("made by `rollcall connect`") ? 1 : 0),
  };
}

/** Copilot CLI reads every file of a folder: ours is ours alone. */
function copilot(): Connectable {
  const events = [
    ...["sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse", "postToolUseFailure"],
    ...["notification", "agentStop", "subagentStart", "subagentStop", "errorOccurred", "sessionEnd"],
  ];
  return {
    client: "copilot",
    program: "copilot",
    file: (env) => join(env.COPILOT_HOME || join(inHome(env), ".copilot"), "hooks", "rollcall.json"),
    tells: "work, permissions with the command, ends of turns and sessions",
    needsCurl: true,
    connected: (_, script) => {
      const entry = (event: string) => [
        { type: "command", bash: hookCommand(script, `copilot ${event}`), timeoutSec: 3 },
      ];
      const hooks = Object.fromEntries(events.map((event) => [event, entry(event)]));
      return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`;
    },
    disconnected: () => undefined,
    count: (text) => text.split("/connect/hook").length >> 1,
  };
}

/** Whether a client is there for this user: its program is on the PATH, or it has been used. */
export function isThere({ program, file }: Connectable, env: NodeJS.ProcessEnv): boolean {
  const folders = (env.PATH ?? "").split(delimiter).filter(Boolean);
  return folders.some((folder) => canRun(join(folder, program))) || existsSync(configFolder(file(env)));
}

/** Whether the installed version of a client is older than this one; one that does not tell its version is taken for a new one. */
export function isBefore({ program }: Connectable, since: string, env: NodeJS.ProcessEnv): boolean {
  const { stdout } = runNow(program, ["--version"], { env, timeout: 10_000 });
  const told = /(\d+)\.(\d+)\.(\d+)/.exec(stdout.toString("utf8"))?.slice(1).map(Number);
  const [mine, theirs] = [told ?? [], since.split(".").map(Number)];
  const at = theirs.findIndex((part, place) => part !== (mine[place] ?? part));
  return at >= 0 && (mine[at] ?? 0) < (theirs[at] ?? 0);
}

/** The client's own folder: a file of ours lies one deeper. */
function configFolder(file: string): string {
  const up = /\/(?:hooks|plugins)\/rollcall\.\w+$/.test(file) ? "../.." : "..";
  return join(file, up);
}

export function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
