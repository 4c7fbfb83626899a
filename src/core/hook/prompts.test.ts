import { expect, it } from "vitest";
import type { HookClient } from "./event.ts";
import { readHook } from "./read-hook.ts";
import { type HookSession, sessionAfter } from "./session.ts";

const T = Date.UTC(2026, 10, 17, 9);

/** The session after a tool was called so often with the same input, each time after a prompt with these words. */
function after(client: HookClient, calls: number, form: readonly [string, string], prompt: string) {
  let session: HookSession | undefined;
  const send = (event: string, payload: object, index: number) => {
    const now = T + index * 1000;
    const told = readHook(client, { session_id: "s", ...payload }, { now, zone: "UTC", event });
    if (told === undefined) throw new Error("not understood");
    session = sessionAfter(session, told, { client, now, sent: index });
  };
  const input = { command: "true", description: "runs it", is_background: false };
  for (let i = 0; i < calls; i += 1) {
    send(form[0], { prompt }, 2 * i);
    send(form[1], { tool_name: "run_shell_command", tool_input: input, tool_use_id: `t${i}` }, 2 * i + 1);
  }
  return session;
}

it.each<[string, HookClient, readonly [string, string], string]>([
  [
    "an empty prompt, as Qwen Code sends after each tool",
    "qwen-code",
    ["UserPromptSubmit", "PreToolUse"],
    "",
  ],
  [
    "a prompt of Copilot CLI itself",
    "copilot",
    ["userPromptSubmitted", "preToolUse"],
    "<system_notification>\nShell command has completed successfully.\n</system_notification>",
  ],
])("%s does not end a loop", (_, client, form, prompt) => {
  expect(after(client, 40, form, prompt)?.calls?.loopsSince).toBeDefined();
});

it("words of a person end a loop", () => {
  const form = ["UserPromptSubmit", "PreToolUse"] as const;
  expect(after("qwen-code", 40, form, "again, please")?.calls?.loopsSince).toBeUndefined();
});
