import { expect, test } from "vitest";
import { isIdleShell } from "./shell.ts";

test.each([
  { command: ["-bash"], is: true },
  { command: ["/bin/zsh", "-l"], is: true },
  { command: ["bash", "--norc", "-i"], is: true },
  { command: ["sh", "-c", "agent; true"], is: false },
  { command: ["bash", "-lc", "agent"], is: false },
  { command: ["sh", "agent.sh"], is: false },
  { command: ["node", "agent.js"], is: false },
  { command: [], is: false },
])("$command is a shell at its prompt: $is", ({ command, is }) => {
  expect(isIdleShell(command)).toBe(is);
});
