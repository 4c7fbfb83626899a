import { expect, test } from "vitest";
import { clientOf } from "./clients.ts";

test.each([
  [["claude", "--resume"], "claude-code"],
  [["/usr/local/bin/codex"], "codex"],
  [["node", "/usr/local/bin/gemini"], "gemini-cli"],
  [["/usr/bin/node", "--max-old-space-size=4096", "/usr/bin/qwen", "-y"], "qwen-code"],
  [["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"], "claude-code"],
  [["node", "/opt/x/node_modules/@google/gemini-cli/dist/index.js"], "gemini-cli"],
  [["bun", "/root/.bun/bin/opencode.js"], "opencode"],
  [["/home/me/venv/bin/python3.12", "/home/me/venv/bin/aider"], "aider"],
  [["python", "-m", "aider", "--model", "x"], "aider"],
  [["vim", "claude"], undefined],
  [["bash", "-c", "claude"], undefined],
  [["node", "server.js", "claude"], undefined],
  [["ssh", "host", "codex"], undefined],
  [["node"], undefined],
  [[], undefined],
] as const)("%j is %s", (argv, client) => {
  expect(clientOf(argv)).toBe(client);
});
