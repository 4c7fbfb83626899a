import type { Client } from "../../signals/transcript/presets.ts";

/** A coding agent that can be told by its program. Not all of them keep transcripts that can be read. */
export type AgentClient = Client | "opencode" | "aider";

/** What each is called as a command, and the package whose file an interpreter runs. */
const PROGRAMS: readonly { client: AgentClient; command: string; packages: readonly string[] }[] = [
  { client: "claude-code", command: "claude", packages: ["@anthropic-ai/claude-code"] },
  { client: "codex", command: "codex", packages: ["@openai/codex"] },
  { client: "gemini-cli", command: "gemini", packages: ["@google/gemini-cli"] },
  { client: "qwen-code", command: "qwen", packages: ["@qwen-code/qwen-code"] },
  { client: "opencode", command: "opencode", packages: ["opencode-ai"] },
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
