import type { TmuxSettings } from "../../signals/tmux/settings.ts";
import type { Client } from "../../signals/transcript/presets.ts";
import type { Proc } from "../../system/proc.ts";
import type { TmuxServer } from "../../system/tmux.ts";
import type { Pane } from "../../system/tmux-pane.ts";

/** A coding agent that can be told by its program. Not all of them keep transcripts that can be read. */
export type AgentClient = Client | "opencode" | "copilot" | "aider";

/** What each is called as a command, and the package whose file an interpreter runs. */
const PROGRAMS: readonly { client: AgentClient; command: string; packages: readonly string[] }[] = [
  { client: "claude-code", command: "claude", packages: ["@anthropic-ai/claude-code"] },
  { client: "codex", command: "codex", packages: ["@openai/codex"] },
  { client: "gemini-cli", command: "gemini", packages: ["@google/gemini-cli"] },
  { client: "qwen-code", command: "qwen", packages: ["@qwen-code/qwen-code"] },
  { client: "opencode", command: "opencode", packages: ["opencode-ai"] },
  { client: "copilot", command: "copilot", packages: ["@github/copilot"] },
  { client: "aider", command: "aider", packages: [] },
];

const INTERPRETER = /^(?:node|nodejs|bun|deno|python[\d.]*)$/;

/** Whose command line this is, if it is that of a coding agent. */
export function clientOf([program = "", ...args]: readonly string[]): AgentClient | undefined {
  const name = nameOf(program);
  if (!INTERPRETER.test(name)) return byCommand(name);
  // What an interpreter runs is its first argument that is no option, or the module after `-m`.
  const script = args.find((arg, i) => !arg.startsWith("-") || args[i - 1] === "-m") ?? "";
  const owner = PROGRAMS.find(({ packages }) =>
    packages.some((name) => script.includes(`/node_modules/${name}/`)),
  );
  return owner?.client ?? byCommand(nameOf(script));
}

function byCommand(name: string): AgentClient | undefined {
  return PROGRAMS.find(({ command }) => command === name)?.client;
}

/** A path's last part, without the ending of a script and the hyphen of a login shell. */
function nameOf(path: string): string {
  return path
    .slice(path.lastIndexOf("/") + 1)
    .replace(/\.(?:[cm]?js|py|exe)$/, "")
    .replace(/^-/, "");
}

/** A pane in which a coding agent works. */
export interface FoundPane {
  readonly server: TmuxServer;
  readonly pane: Pane;
  readonly client: AgentClient;
  /** How the config names it. */
  readonly settings: TmuxSettings;
  /** What it may be called: its session, and where that has several panes its place there. */
  readonly name: string;
}

/** The panes of a server in which coding agents work. */
export function agentPanes(server: TmuxServer, panes: readonly Pane[], proc: Proc): readonly FoundPane[] {
  return panes.flatMap((pane) => {
    if (pane.end !== undefined) return [];
    const client = clientIn(pane, proc);
    if (client === undefined) return [];
    const { session, window, index } = pane;
    const isAlone = panes.filter((other) => other.session === session).length === 1;
    const place = isAlone ? { session } : { target: `${session}:${window.index}.${index}` };
    const name = isAlone ? session : `${session}-${window.index}-${index}`;
    return [{ server, pane, client, settings: { ...place, ...server }, name }];
  });
}

/** Most run as `node`, and often below a shell: the pane's own process is asked first, then those below it. */
function clientIn({ command, pid }: Pane, proc: Proc): AgentClient | undefined {
  const own = clientOf([command]) ?? clientOf(proc.command(pid));
  if (own !== undefined) return own;
  for (const { life } of proc.descendants(pid)) {
    const client = clientOf(proc.command(life.pid));
    if (client !== undefined) return client;
  }
  return undefined;
}
