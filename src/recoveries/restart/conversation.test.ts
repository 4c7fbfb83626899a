import { describe, expect, it } from "vitest";
import { targetOf } from "../kit/recovery.fixture.ts";
import { inConversation } from "./conversation.ts";

const ID = "01990000-0000-7000-8000-000000000001";

/** The command that is started for an agent that remembers this. */
const resumed = (
  memories: Record<string, unknown>,
  transcript?: object,
  command: string | string[] = ["agent"],
) => {
  const agent = { ...targetOf().agent, ...(transcript === undefined ? {} : { signals: { transcript } }) };
  return inConversation({ command: command as [string] }, { ...targetOf(), agent, memories }).command.command;
};
const told = (client: string, id: string, seenAt = 1) => ({ client, id, seenAt, reading: "idle" });

describe("the conversation in which a client goes on", () => {
  it.each([
    ["claude-code", ["--resume", ID]],
    ["codex", ["resume", ID]],
    ["opencode", ["--session", ID]],
    ["gemini-cli", ["--resume", ID]],
    ["qwen-code", ["--resume", ID]],
    ["copilot", [`--resume=${ID}`]],
  ])("%s has its own words for it", (client, args) => {
    expect(resumed({ hook: [told(client, ID)] }, undefined, ["agent", "-m", "x"])).toEqual([
      ...["agent", "-m", "x"],
      ...args,
    ]);
  });

  it("is the last of which the hooks told, and is appended to a line for a shell as well", () => {
    const hook = [
      told("codex", "old", 1),
      told("claude-code", "new", 3),
      told("codex", "older", 2),
      { odd: 1 },
    ];
    expect(resumed({ hook }, undefined, "exec claude")).toBe("exec claude --resume new");
  });

  it("is known from the transcript where no hook told of one", () => {
    const path = `/home/u/.codex/sessions/2026/11/17/rollout-2026-11-17T09-00-00-${ID}.jsonl`;
    expect(resumed({ transcript: { ledger: { path } } }, { client: "codex" })).toEqual([
      "agent",
      "resume",
      ID,
    ]);
    expect(resumed({ transcript: { ledger: { path } } }, { path })).toEqual(["agent"]);
  });

  it.each(["--dangerous", "a b", "$(x)", "", "x".repeat(200)])(
    "is not %j, which is no name of a session",
    (id) => {
      expect(resumed({ hook: [told("claude-code", id)] })).toEqual(["agent"]);
    },
  );
});
