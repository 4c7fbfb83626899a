import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A model on loopback, in the protocols of Anthropic, OpenAI (both) and Gemini. What the last thing that a person typed begins with
 * decides what it does:
 *
 *   run CMD      calls the client's shell tool with CMD, then says "done"
 *   ask WORDS    calls the client's tool for questions, if it has one
 *   hang         answers with headers and never a word; `mute` does not even send headers
 *   limit, denied, broken   429, 401, 500
 *   anything else           says "hello"
 */
export interface FakeModel {
  readonly url: string;
  /** What it was asked, newest last: the path, and what a person had typed. */
  readonly asked: readonly string[];
  close(): void;
}

type Json = Record<string, unknown>;
type Does =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "call"; readonly tool: string; readonly input: Json }
  | { readonly kind: "hang" | "mute" }
  | { readonly kind: "fail"; readonly status: number; readonly headers: Record<string, string> };

export async function fakeModel(port = 0): Promise<FakeModel> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => answer(request, response, Buffer.concat(chunks).toString("utf8"), asked));
  });
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, text: string, asked: string[]): void {
  const path = (request.url ?? "").split("?")[0] ?? "";
  const speak = SPEAKERS.find(([form]) => form.test(path))?.[1];
  let body: Json = {};
  try {
    body = JSON.parse(text || "{}") as Json;
  } catch {}
  if (request.method !== "POST" || speak === undefined) {
    const listed = /\/models$/.test(path) ? { data: [{ id: "fake", object: "model" }] } : {};
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(listed));
    return;
  }
  if (/count_?tokens/i.test(path)) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ input_tokens: 10, totalTokens: 10 }));
    return;
  }
  const { typed, answered } = lastTyped(body);
  asked.push(`${path} ${typed}`);
  const does = decide(typed, answered, toolNames(body));
  if (does.kind === "mute") return;
  if (does.kind === "fail") {
    const error = {
      type: FAILS[does.status],
      message: `the fake model says ${does.status}`,
      code: does.status,
    };
    response.writeHead(does.status, { "content-type": "application/json", ...does.headers });
    response.end(JSON.stringify({ type: "error", error }));
    return;
  }
  speak(response, does, path, body.stream === true);
}

const FAILS: Record<number, string> = {
  401: "authentication_error",
  429: "rate_limit_error",
  500: "api_error",
};

function decide(typed: string, answered: boolean, tools: readonly string[]): Does {
  const [word = "", ...rest] = typed.trim().split(/\s+/);
  const words = rest.join(" ");
  switch (word.toLowerCase()) {
    case "run": {
      if (answered) return { kind: "say", text: "done" };
      const tool = tools.find((name) =>
        /^(bash|shell|run_shell_command|exec_command|shell_command|local_shell)$/i.test(name),
      );
      if (tool === undefined) return { kind: "say", text: `no shell among ${tools.join(" ")}` };
      const input: Json =
        tool === "shell"
          ? { command: ["bash", "-lc", words] }
          : tool === "exec_command"
            ? {
                cmd: words,
                ...(words.startsWith("touch /") && {
                  sandbox_permissions: "require_escalated",
                  justification: "it writes outside",
                }),
              }
            : {
                command: words,
                description: "runs it",
                ...(tool === "run_shell_command" && { is_background: false }),
              };
      return { kind: "call", tool, input };
    }
    case "ask": {
      if (answered) return { kind: "say", text: "thanks" };
      const tool = tools.find((name) =>
        /^(AskUserQuestion|question|ask_user_question|ask_user|request_user_input)$/.test(name),
      );
      if (tool === undefined) return { kind: "say", text: `no question among ${tools.join(" ")}` };
      const options = ["red", "blue"].map((label) => ({ label, description: `the ${label} one` }));
      const question = { question: words, header: "colour", id: "colour", multiSelect: false, options };
      return {
        kind: "call",
        tool,
        input:
          tool === "ask_user" ? { question: words, choices: ["red", "blue"] } : { questions: [question] },
      };
    }
    case "hang":
      return { kind: "hang" };
    case "mute":
      return { kind: "mute" };
    case "limit":
      return {
        kind: "fail",
        status: 429,
        headers: {
          "retry-after": "3600",
          "anthropic-ratelimit-unified-status": "rejected",
          "anthropic-ratelimit-unified-reset": String(Math.floor(Date.now() / 1000) + 3600),
        },
      };
    case "denied":
      return { kind: "fail", status: 401, headers: {} };
    case "broken":
      return { kind: "fail", status: 500, headers: {} };
    default:
      return { kind: "say", text: "hello" };
  }
}

const WORDS = /^\s*(?:run|ask|hang|mute|limit|denied|broken)\b/;

/** The words that a person typed last, and whether a tool has answered since. */
function lastTyped(body: Json): { typed: string; answered: boolean } {
  const list = (body.messages ?? body.input ?? body.contents ?? []) as Json[];
  let typed = "";
  let answered = false;
  for (const item of typeof list === "string" ? [{ role: "user", content: list }] : list) {
    const said = partsOf(item);
    if (said.answers) answered = true;
    if (item.role !== "user") continue;
    const lines = said.texts.flatMap((text) => text.split("\n"));
    const order = lines.findLast((line) => WORDS.test(line));
    // Clients add words of their own, in tags: they are no new order.
    if (order === undefined && said.texts.every((text) => /^\s*(?:<|$)/.test(text))) continue;
    typed = order ?? "";
    answered = false;
  }
  return { typed, answered };
}

function partsOf(item: Json): { texts: string[]; answers: boolean } {
  const content = item.content ?? item.parts ?? [];
  const parts =
    typeof content === "string" ? [{ text: content }] : Array.isArray(content) ? (content as Json[]) : [];
  const answers =
    item.role === "tool" ||
    /_output$/.test(String(item.type)) ||
    parts.some((part) => part.type === "tool_result" || "functionResponse" in part);
  return { texts: parts.flatMap((part) => (typeof part.text === "string" ? [part.text] : [])), answers };
}

function toolNames(body: Json): string[] {
  const tools = (body.tools ?? []) as Json[];
  return tools.flatMap((tool) => {
    const inner = tool.function as Json | undefined;
    const declared = tool.functionDeclarations as Json[] | undefined;
    if (declared !== undefined) return declared.map(({ name }) => String(name));
    return [String(inner?.name ?? tool.name ?? tool.type)];
  });
}

type Speak = (response: ServerResponse, does: Does, path: string, stream: boolean) => void;

const SPEAKERS: readonly (readonly [RegExp, Speak])[] = [
  [/\/messages(?:\/count_tokens)?$/, anthropic],
  [/\/responses$/, responses],
  [/\/chat\/completions$/, chat],
  [/:(?:stream)?[Gg]enerateContent$|:countTokens$/, gemini],
];

function sse(response: ServerResponse): (data: Json, event?: string) => void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  return (data, event) =>
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
}

let calls = 0;

function anthropic(response: ServerResponse, does: Does, _path: string, stream: boolean): void {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const isCall = does.kind === "call";
  const text = does.kind === "say" ? does.text : "";
  const id = `toolu_${calls++}`;
  const block = isCall ? { type: "tool_use", id, name: does.tool, input: {} } : { type: "text", text: "" };
  const message = {
    id: `msg_${calls}`,
    type: "message",
    role: "assistant",
    model: "fake",
    content: [] as Json[],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  if (!stream) {
    const content = [isCall ? { ...block, input: does.input } : { type: "text", text }];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...message, content, stop_reason: isCall ? "tool_use" : "end_turn" }));
    return;
  }
  const send = sse(response);
  const event = (type: string, more: Json) => send({ type, ...more }, type);
  event("message_start", { message });
  if (does.kind === "hang") return;
  event("content_block_start", { index: 0, content_block: block });
  const delta = isCall
    ? { type: "input_json_delta", partial_json: JSON.stringify(does.input) }
    : { type: "text_delta", text };
  event("content_block_delta", { index: 0, delta });
  event("content_block_stop", { index: 0 });
  event("message_delta", {
    delta: { stop_reason: isCall ? "tool_use" : "end_turn", stop_sequence: null },
    usage,
  });
  event("message_stop", {});
  response.end();
}

function responses(response: ServerResponse, does: Does): void {
  const send = sse(response);
  const id = `resp_${calls++}`;
  const event = (type: string, more: Json) => send({ type, ...more }, type);
  event("response.created", { response: { id, status: "in_progress", output: [] } });
  if (does.kind === "hang") return;
  const item: Json =
    does.kind === "call"
      ? {
          type: "function_call",
          id: `fc_${calls}`,
          call_id: `call_${calls}`,
          name: does.tool,
          arguments: JSON.stringify(does.input),
        }
      : {
          type: "message",
          id: `m_${calls}`,
          role: "assistant",
          content: [{ type: "output_text", text: does.kind === "say" ? does.text : "" }],
        };
  event("response.output_item.added", { output_index: 0, item });
  event("response.output_item.done", { output_index: 0, item });
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  event("response.completed", { response: { id, status: "completed", output: [item], usage } });
  response.end();
}

function chat(response: ServerResponse, does: Does, _path: string, stream: boolean): void {
  const id = `c_${calls++}`;
  const call = does.kind === "call" && [
    {
      index: 0,
      id: `call_${calls}`,
      type: "function",
      function: { name: does.tool, arguments: JSON.stringify(does.input) },
    },
  ];
  const message: Json = {
    role: "assistant",
    content: does.kind === "say" ? does.text : null,
    ...(call && { tool_calls: call }),
  };
  const finish = call ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  if (!stream) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        id,
        object: "chat.completion",
        model: "fake",
        choices: [{ index: 0, message, finish_reason: finish }],
        usage,
      }),
    );
    return;
  }
  const send = sse(response);
  const chunk = (delta: Json, reason: string | null) =>
    send({
      id,
      object: "chat.completion.chunk",
      created: 1,
      model: "fake",
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
  chunk({ role: "assistant", content: "" }, null);
  if (does.kind === "hang") return;
  chunk(message, null);
  chunk({}, finish);
  send({ id, object: "chat.completion.chunk", created: 1, model: "fake", choices: [], usage });
  response.write("data: [DONE]\n\n");
  response.end();
}

function gemini(response: ServerResponse, does: Does, path: string): void {
  const part =
    does.kind === "call"
      ? { functionCall: { name: does.tool, args: does.input } }
      : { text: does.kind === "say" ? does.text : "" };
  const whole = {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  };
  if (!/stream/i.test(path)) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
    return;
  }
  const send = sse(response);
  if (does.kind === "hang") return;
  send(whole);
  response.end();
}
