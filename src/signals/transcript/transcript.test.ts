import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Observation } from "../../core/liveness/observation.ts";
import { signalContract } from "../../ports/signal.contract.ts";
import type { SignalReader } from "../../ports/signal.ts";
import { type Client, folderOf } from "./presets.ts";
import { transcriptSettings, transcriptSignal } from "./transcript.ts";

const T = Date.UTC(2026, 2, 29, 1);
const time = (s: number) => new Date(T + s * 1000).toISOString();

const claude = {
  asks: (s: number) => ({
    ...{ type: "user", timestamp: time(s) },
    message: { role: "user", content: "fix it" },
  }),
  calls: (s: number, id: string) => ({
    ...{ type: "assistant", timestamp: time(s) },
    message: {
      role: "assistant",
      stop_reason: "tool_use",
      content: [{ type: "tool_use", id, name: "Bash" }],
    },
  }),
  questions: (s: number, id: string) => ({
    ...{ type: "assistant", timestamp: time(s) },
    message: {
      role: "assistant",
      stop_reason: "tool_use",
      content: [
        {
          ...{ type: "tool_use", id, name: "AskUserQuestion" },
          input: { questions: [{ question: "Which one?", options: [{ label: "red" }, { label: "blue" }] }] },
        },
      ],
    },
  }),
  results: (s: number, id: string) => ({
    ...{ type: "user", timestamp: time(s) },
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] },
  }),
  says: (s: number, stop: string | null = null) => ({
    ...{ type: "assistant", timestamp: time(s) },
    message: { role: "assistant", stop_reason: stop, content: [{ type: "text", text: "Done." }] },
  }),
  fails: (s: number, text: string) => ({
    ...{ type: "assistant", timestamp: time(s), isApiErrorMessage: true },
    message: { role: "assistant", stop_reason: "stop_sequence", content: [{ type: "text", text }] },
  }),
};
const codexFails = (message: string, info: unknown) => ({
  ...{ type: "task_complete", last_agent_message: null },
  error: { message, codex_error_info: info },
});
const codex = (s: number, type: string, payload: object) => ({ timestamp: time(s), type, payload });
const qwen = (s: number, type: string, part: object) => ({
  ...{ type, timestamp: time(s) },
  message: { role: type === "assistant" ? "model" : "user", parts: [part] },
});

const gemini = (s: number, type: string, more: object) => ({
  id: `m${s}`,
  timestamp: time(s),
  type,
  ...more,
});
const geminiHead = (cwd: string) => ({
  ...{ sessionId: "1", projectHash: createHash("sha256").update(cwd).digest("hex") },
  ...{ startTime: time(0), lastUpdated: time(0), kind: "main" },
});
const done = (s: number, status: string) => ({
  id: "c1",
  name: "run_shell_command",
  status,
  timestamp: time(s),
});

let home: string;
let readers: SignalReader[];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rollcall-transcript-"));
  vi.stubEnv("HOME", home);
  readers = [];
});
afterEach(() => {
  for (const reader of readers) reader.close();
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

function put(name: string, lines: readonly object[], age = 0): void {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  utimesSync(path, T / 1000 + 1000 - age, T / 1000 + 1000 - age);
}
function open(settings: Parameters<typeof transcriptSignal>[0], memory?: unknown): SignalReader {
  const reader = transcriptSignal(settings, memory);
  readers.push(reader);
  return reader;
}
const look = (reader: SignalReader, s: number, fresh = false): Promise<readonly Observation[]> =>
  reader.look({ now: T + s * 1000, fresh, abort: new AbortController().signal });
const readingAt = async (lines: readonly object[], s: number) => {
  put("t/a.jsonl", lines);
  const said = await look(open({ folder: join(home, "t") }), s);
  return said.find((fact) => fact.kind === "reading");
};

signalContract("the transcript", () => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-transcript-"));
  writeFileSync(join(folder, "a.jsonl"), `${JSON.stringify(claude.calls(0, "1"))}\n`);
  return {
    make: (memory) => transcriptSignal({ folder }, memory),
    absent: () => transcriptSignal({ folder: join(folder, "absent") }),
    cleanUp: () => rmSync(folder, { recursive: true }),
  };
});

describe("the end of a transcript means", () => {
  const call = { type: "function_call", call_id: "c1", name: "shell" };
  const output = { type: "function_call_output", call_id: "c1", output: "ok" };
  const words = { type: "message", role: "assistant", content: [] };
  it.each<[string, object[], string | undefined, string?]>([
    ["an open tool call: working, with a tool", [claude.asks(0), claude.calls(1, "a")], "working", "tool"],
    [
      "one of two calls open: still with a tool",
      [claude.calls(0, "a"), claude.calls(0, "b"), claude.results(1, "a")],
      "working",
      "tool",
    ],
    ["a result: the model's turn", [claude.calls(0, "a"), claude.results(1, "a")], "working", "model"],
    ["a question: the model's turn", [claude.says(0, "end_turn"), claude.asks(1)], "working", "model"],
    ["a turn that ended: idle", [claude.asks(0), claude.says(1, "end_turn")], "idle"],
    ["words that may go on: working", [claude.asks(0), claude.says(1)], "working", "model"],
    [
      "a new question after a call that never ended: the model's turn",
      [claude.calls(0, "a"), claude.asks(1)],
      "working",
      "model",
    ],
    ["an error that it gave up at: idle", [claude.asks(0), claude.fails(1, "API Error: 529")], "idle"],
    ["a limit: limited", [claude.fails(1, "Claude AI usage limit reached|1774800000")], "limited"],
    [
      "an error of its login: somebody must sign in",
      [claude.fails(1, "Please run /login · API Error: 401 OAuth token has expired")],
      "login",
    ],
    ["an open question, however old: waiting", [claude.asks(0), claude.questions(1, "a")], "waiting"],
    [
      "an answered question: the model's turn",
      [claude.questions(0, "a"), claude.results(1, "a")],
      "working",
      "model",
    ],
    [
      "Codex, an open question: waiting",
      [
        codex(0, "response_item", {
          ...call,
          name: "request_user_input",
          arguments: '{"questions":[{"question":"which?"}]}',
        }),
      ],
      "waiting",
    ],
    ["notes only: nothing", [{ type: "summary", summary: "x" }], undefined],
    [
      "what a helper says: nothing of the agent's own turn",
      [claude.calls(0, "a"), { ...claude.says(1, "end_turn"), isSidechain: true }],
      "working",
      "tool",
    ],
    ["Codex, an open call: with a tool", [codex(0, "response_item", call)], "working", "tool"],
    [
      "Codex, its output: the model's turn",
      [codex(0, "response_item", call), codex(1, "response_item", output)],
      "working",
      "model",
    ],
    [
      "Codex, a task that is complete: idle",
      [codex(0, "response_item", words), codex(1, "event_msg", { type: "task_complete" })],
      "idle",
    ],
    [
      "Codex, a turn that failed: idle",
      [
        codex(
          1,
          "event_msg",
          codexFails("Unexpected status 503 Service Unavailable: busy", "server_overloaded"),
        ),
      ],
      "idle",
    ],
    [
      "Codex, a turn that failed for want of a login: login",
      [codex(1, "event_msg", codexFails("unexpected status 401 Unauthorized: no key", { other: {} }))],
      "login",
    ],
    [
      "Codex, an interrupted call: idle",
      [codex(0, "response_item", call), codex(1, "event_msg", { type: "turn_aborted" })],
      "idle",
    ],
    [
      "Qwen Code, an open call: with a tool",
      [qwen(0, "assistant", { functionCall: { id: "1", name: "sh" } })],
      "working",
      "tool",
    ],
    [
      "Qwen Code, its response: the model's turn",
      [
        qwen(0, "assistant", { functionCall: { id: "1", name: "sh" } }),
        qwen(1, "tool_result", { functionResponse: { id: "1", name: "sh" } }),
      ],
      "working",
      "model",
    ],
    [
      "Gemini CLI, a question: the model's turn",
      [gemini(0, "user", { content: [{ text: "go" }] }), { $set: { lastUpdated: time(0) } }],
      "working",
      "model",
    ],
    [
      "Gemini CLI, a message without words, for a call that is not done: working",
      [gemini(0, "gemini", { content: "", thoughts: [] })],
      "working",
      "model",
    ],
    [
      "Gemini CLI, a call that is asked about: with a tool",
      [gemini(0, "gemini", { content: "", toolCalls: [done(1, "awaiting_approval")] })],
      "working",
      "tool",
    ],
    [
      "Gemini CLI, the same message again with its call done: the model's turn",
      [
        gemini(0, "gemini", { content: "", toolCalls: [done(1, "executing")] }),
        gemini(0, "gemini", { content: "", toolCalls: [done(2, "success")] }),
      ],
      "working",
      "model",
    ],
    [
      "Gemini CLI, a call among the parts: with a tool",
      [gemini(0, "gemini", { content: [{ functionCall: { id: "c1", name: "sh" } }] })],
      "working",
      "tool",
    ],
    [
      "Gemini CLI, notes of its own: nothing",
      [geminiHead("/src/a"), { $rewindTo: "x" }, gemini(1, "info", { content: "hello" })],
      undefined,
    ],
  ])("%s", async (_, lines, reading, context) => {
    const said = await readingAt(lines, 10);
    expect(said?.reading).toBe(reading);
    if (context !== undefined) expect(said?.context).toBe(context);
  });
  it("the end of a turn after all, when nothing followed its words for minutes", async () => {
    put("t/a.jsonl", [claude.asks(0), claude.says(1)]);
    const reader = open({ folder: join(home, "t") });
    await look(reader, 10);
    expect(await look(reader, 60)).toEqual([]);
    expect(await look(reader, 200)).toMatchObject([{ reading: "idle", at: T + 1000 }]);
    expect(await look(reader, 300)).toEqual([]);
  });
  it("the end of a turn of Gemini CLI, dated when its message was last added to", async () => {
    const words = gemini(1, "gemini", { content: "Done.", toolCalls: [] });
    const said = await readingAt([words, { $set: { lastUpdated: time(4) } }], 200);
    expect(said).toMatchObject({ reading: "idle", at: T + 4000 });
  });
  it("a question with its words", async () => {
    const said = await readingAt([claude.questions(1, "a")], 3600);
    expect(said).toMatchObject({
      detail: "question",
      asks: { question: "Which one?", choices: ["red", "blue"] },
    });
  });
  it("a limit until the time of day that it names, in the zone that it names", async () => {
    const said = await readingAt([claude.fails(1, "You've hit your limit · resets 4am (Asia/Tokyo)")], 10);
    expect(said).toMatchObject({ reading: "limited", resetAt: Date.UTC(2026, 2, 29, 19) });
  });
  it("a limit of Codex until the time of day that it names", async () => {
    const words = "You’ve hit your usage limit. Upgrade to Pro or try again at 8:25 PM (UTC).";
    const line = codex(1, "event_msg", codexFails(words, "usage_limit_exceeded"));
    const said = await readingAt([line], 10);
    expect(said).toMatchObject({ reading: "limited", resetAt: Date.UTC(2026, 2, 29, 20, 25) });
  });
  it("a limit until the time that it names", async () => {
    const said = await readingAt([claude.fails(1, "Claude AI usage limit reached|1774800000")], 10);
    expect(said).toMatchObject({ reading: "limited", resetAt: 1_774_800_000_000 });
  });
});

describe("a transcript that grows", () => {
  it("is activity at the time of its last whole line", async () => {
    put("t/a.jsonl", [claude.asks(0), claude.calls(7, "a")]);
    appendFileSync(join(home, "t/a.jsonl"), '{"type":"user","timestamp":"2026-03-29T01:0');
    expect(await look(open({ folder: join(home, "t") }), 10)).toMatchObject([
      { kind: "activity", at: T + 7000, seenAt: T + 10_000, context: "tool" },
      { kind: "reading", reading: "working", progressAt: T + 7000 },
    ]);
  });
  it("is activity at its modification time where its lines have none", async () => {
    put("t/a.jsonl", [{ hello: 1 }]);
    expect(await look(open({ folder: join(home, "t") }), 2000)).toMatchObject([
      { kind: "activity", at: T + 1_000_000, context: "unknown" },
    ]);
  });
  it("is read from its tail only, without the line that is cut there", async () => {
    const long = Array.from({ length: 400 }, (_, i) => ({ ...claude.asks(i), pad: "x".repeat(2000) }));
    put("t/a.jsonl", [...long, claude.calls(500, "a")]);
    expect(await look(open({ folder: join(home, "t") }), 501)).toMatchObject([
      { kind: "activity", at: T + 500_000 },
      { reading: "working", context: "tool" },
    ]);
  });
  it("gives way to the newer one of the next session", async () => {
    put("t/a.jsonl", [claude.calls(0, "a")], 100);
    const reader = open({ folder: join(home, "t") });
    await look(reader, 10);
    put("t/b.jsonl", [claude.says(20, "end_turn")]);
    expect(await look(reader, 30)).toMatchObject([
      { kind: "activity", at: T + 20_000 },
      { kind: "reading", reading: "idle", at: T + 20_000 },
    ]);
  });
});

describe("the transcripts of", () => {
  it("Claude Code lie in a folder by the name of the working folder", async () => {
    put(".claude/projects/-src-my-app-v2-0/s.jsonl", [claude.calls(0, "a")]);
    const reader = open({ client: "claude-code", cwd: "/src/{repo}", keys: { repo: "my_app.v2.0" } });
    expect((await look(reader, 10)).map(({ kind }) => kind)).toEqual(["activity", "reading"]);
  });
  it("Codex lie by date, and each names its working folder", async () => {
    const meta = (cwd: string) => codex(0, "session_meta", { id: "1", cwd });
    const calls = codex(1, "response_item", { type: "function_call", call_id: "c" });
    put(".codex/sessions/2026/03/28/rollout-1.jsonl", [meta("/src/a"), calls], 50);
    put(".codex/sessions/2026/03/29/rollout-2.jsonl", [meta("/src/b")], 10);
    const reader = open({ client: "codex", cwd: "/src/a/" });
    expect(await look(reader, 10)).toMatchObject([
      { kind: "activity" },
      { reading: "working", context: "tool" },
    ]);
    expect(await look(open({ client: "codex", cwd: "/src/c" }), 10)).toMatchObject([{ kind: "degraded" }]);
  });
  it("Qwen Code lie among the chats of a project", async () => {
    put(".qwen/projects/-src-a/chats/s.jsonl", [qwen(0, "user", { text: "go" })]);
    expect(await look(open({ client: "qwen-code", cwd: "/src/a" }), 10)).toMatchObject([
      { kind: "activity" },
      { reading: "working", context: "model" },
    ]);
  });
});

describe("the transcripts of Gemini CLI", () => {
  it("lie in folders of its own naming, and each knows its working folder by a hash", async () => {
    const asks = gemini(1, "user", { content: [{ text: "go" }] });
    put(".gemini/tmp/a/chats/session-2026-03-29T01-00-aaaaaaaa.jsonl", [geminiHead("/src/a"), asks], 50);
    put(".gemini/tmp/a-1/chats/session-2026-03-29T01-00-bbbbbbbb.jsonl", [geminiHead("/other/a"), asks], 10);
    put(".gemini/tmp/a/chats/aaaaaaaa/helper.jsonl", [geminiHead("/src/a"), asks]);
    const reader = open({ client: "gemini-cli", cwd: "/src/a" });
    expect(await look(reader, 10)).toMatchObject([{ kind: "activity" }, { reading: "working" }]);
    expect(await reader.show?.("raw")).toContain(geminiHead("/src/a").projectHash);
    expect(await look(open({ client: "gemini-cli", cwd: "/src/c" }), 10)).toMatchObject([
      { kind: "degraded" },
    ]);
  });
});

describe("the folder of a transcript", () => {
  it.each<[Client, string, object[], string | undefined]>([
    ["claude-code", ".claude/projects/-src-a/s.jsonl", [{ cwd: "/src/a/sub" }, { cwd: "/src/a" }], "/src/a"],
    ["claude-code", ".claude/projects/-src-a/s.jsonl", [{ cwd: "/elsewhere" }], undefined],
    ["qwen-code", ".qwen/projects/-src-a/chats/s.jsonl", [{ cwd: "/src/a" }], "/src/a"],
    ["codex", ".codex/sessions/2026/03/28/rollout-1.jsonl", [{ payload: { cwd: "/src/a" } }], "/src/a"],
    ["gemini-cli", ".gemini/tmp/a/chats/session-1.jsonl", [geminiHead("/src/a")], "/src/a"],
  ])("of %s in %s with %j is %s", async (client, name, lines, folder) => {
    put(name, lines);
    if (client === "gemini-cli") writeFileSync(join(home, ".gemini/tmp/a/.project_root"), "/src/a");
    expect(await folderOf(client, join(home, name))).toBe(folder);
  });
});

describe("the settings of a transcript", () => {
  it.each([
    [{}, "client", "exactly one of client, path and folder"],
    [{ client: "codex" }, "cwd", "the folder in which the agent works beside a client"],
    [{ folder: "~/t", cwd: "~/x" }, "cwd", "a client beside a cwd"],
    [{ client: "emacs", cwd: "~" }, "client", "one of claude-code, codex, qwen-code, gemini-cli"],
  ])("%j says what would be right", (input, where, message) => {
    const issue = transcriptSettings.safeParse(input).error?.issues[0];
    expect([issue?.path.join("."), issue?.message]).toEqual([where, message]);
  });
});
