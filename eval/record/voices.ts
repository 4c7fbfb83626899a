import type { ServerResponse } from "node:http";

export type Json = Record<string, unknown>;

/** How a model answers in one protocol: bit by bit, or all at once where the client asked for that. */
export interface Voice {
  open(): void;
  text(words: string): void;
  call(tool: string, input: Json): void;
  /** Bytes that say nothing, as real servers send while the model thinks. */
  ping(): void;
  close(): void;
}

type MakeVoice = (response: ServerResponse, stream: boolean) => Voice;

/** Which protocol a path belongs to. */
export function voiceFor(path: string): MakeVoice | undefined {
  return PROTOCOLS.find(([form]) => form.test(path))?.[1];
}

const PROTOCOLS: readonly (readonly [RegExp, MakeVoice])[] = [
  [/\/messages$/, anthropic],
  [/\/responses$/, responses],
  [/\/chat\/completions$/, chat],
  [/:(?:stream)?generateContent$/i, gemini],
];

let count = 0;
const id = (kind: string) => {
  count += 1;
  return `${kind}_${count}`;
};

function sse(response: ServerResponse): (data: Json, event?: string) => void {
  return (data, event) =>
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
}

function begin(response: ServerResponse, stream: boolean): void {
  response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" });
  if (stream) response.flushHeaders();
}

/** Collects an answer that is wanted in one piece. */
function inOnePiece(
  response: ServerResponse,
  whole: (text: string, calls: readonly (readonly [string, Json])[]) => Json,
): Voice {
  let said = "";
  const calls: [string, Json][] = [];
  return {
    open: () => begin(response, false),
    text: (words) => {
      said += words;
    },
    call: (tool, input) => calls.push([tool, input]),
    ping: () => response.write(" "),
    close: () => response.end(JSON.stringify(whole(said, calls))),
  };
}

function anthropic(response: ServerResponse, stream: boolean): Voice {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const message = { id: id("msg"), type: "message", role: "assistant", model: "fake", stop_sequence: null };
  const callOf = (name: string, input: Json) => ({ type: "tool_use", id: id("toolu"), name, input });
  if (!stream) {
    return inOnePiece(response, (text, calls) => ({
      ...message,
      content: [{ type: "text", text: text || "…" }, ...calls.map(([tool, input]) => callOf(tool, input))],
      stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
      usage,
    }));
  }
  const send = sse(response);
  const event = (type: string, more: Json = {}) => send({ type, ...more }, type);
  let index = -1;
  let isTalking = false;
  let called = false;
  const closeBlock = () => {
    if (isTalking) event("content_block_stop", { index });
    isTalking = false;
  };
  return {
    open() {
      begin(response, true);
      event("message_start", { message: { ...message, content: [], stop_reason: null, usage } });
    },
    text(words) {
      if (!isTalking) {
        index += 1;
        isTalking = true;
        event("content_block_start", { index, content_block: { type: "text", text: "" } });
      }
      event("content_block_delta", { index, delta: { type: "text_delta", text: words } });
    },
    call(tool, input) {
      closeBlock();
      index += 1;
      called = true;
      event("content_block_start", { index, content_block: callOf(tool, {}) });
      const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
      event("content_block_delta", { index, delta });
      event("content_block_stop", { index });
    },
    ping: () => event("ping"),
    close() {
      closeBlock();
      const delta = { stop_reason: called ? "tool_use" : "end_turn", stop_sequence: null };
      event("message_delta", { delta, usage });
      event("message_stop");
      response.end();
    },
  };
}

function responses(response: ServerResponse): Voice {
  const send = sse(response);
  const event = (type: string, more: Json) => send({ type, ...more }, type);
  const answer = id("resp");
  const output: Json[] = [];
  let message: { id: string; text: string } | undefined;
  const add = (item: Json) => {
    event("response.output_item.done", { output_index: output.length, item });
    output.push(item);
  };
  const finish = () => {
    if (message === undefined) return;
    const content = [{ type: "output_text", text: message.text }];
    add({ type: "message", id: message.id, role: "assistant", content });
    message = undefined;
  };
  return {
    open() {
      begin(response, true);
      event("response.created", { response: { id: answer, status: "in_progress", output: [] } });
    },
    text(words) {
      if (message === undefined) {
        message = { id: id("m"), text: "" };
        const item = { type: "message", id: message.id, role: "assistant", content: [] };
        event("response.output_item.added", { output_index: output.length, item });
      }
      message.text += words;
      event("response.output_text.delta", {
        ...{ item_id: message.id, output_index: output.length, content_index: 0, delta: words },
      });
    },
    call(tool, input) {
      finish();
      const item = {
        ...{ type: "function_call", id: id("fc"), call_id: id("call"), name: tool },
        arguments: JSON.stringify(input),
      };
      event("response.output_item.added", { output_index: output.length, item });
      add(item);
    },
    ping: () => event("response.in_progress", { response: { id: answer, status: "in_progress" } }),
    close() {
      finish();
      const usage = {
        ...{ input_tokens: 10, output_tokens: 5, total_tokens: 15 },
        input_tokens_details: { cached_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      };
      event("response.completed", { response: { id: answer, status: "completed", output, usage } });
      response.end();
    },
  };
}

function chat(response: ServerResponse, stream: boolean): Voice {
  const base = { id: id("c"), created: 1, model: "fake" };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const callOf = (index: number, name: string, input: Json) => ({
    ...{ index, id: id("call"), type: "function" },
    function: { name, arguments: JSON.stringify(input) },
  });
  if (!stream) {
    return inOnePiece(response, (content, calls) => {
      const tool_calls = calls.map(([tool, input], i) => callOf(i, tool, input));
      const message = { role: "assistant", content, ...(calls.length > 0 && { tool_calls }) };
      const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
      return { ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage };
    });
  }
  const send = sse(response);
  let calls = 0;
  const chunk = (delta: Json, finish_reason: string | null = null) =>
    send({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });
  return {
    open() {
      begin(response, true);
      chunk({ role: "assistant", content: "" });
    },
    text: (content) => chunk({ content }),
    call(tool, input) {
      chunk({ tool_calls: [callOf(calls, tool, input)] });
      calls += 1;
    },
    ping: () => response.write(": keep-alive\n\n"),
    close() {
      chunk({}, calls > 0 ? "tool_calls" : "stop");
      send({ ...base, object: "chat.completion.chunk", choices: [], usage });
      response.write("data: [DONE]\n\n");
      response.end();
    },
  };
}

function gemini(response: ServerResponse, stream: boolean): Voice {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const whole = (parts: Json[], more: Json = {}) => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
    usageMetadata,
  });
  const callOf = (name: string, args: Json) => ({ functionCall: { name, args } });
  if (!stream) {
    return inOnePiece(response, (text, calls) =>
      whole([{ text }, ...calls.map(([tool, input]) => callOf(tool, input))], { finishReason: "STOP" }),
    );
  }
  const send = sse(response);
  return {
    open: () => begin(response, true),
    text: (text) => send(whole([{ text }])),
    call: (tool, input) => send(whole([callOf(tool, input)])),
    ping: () => response.write(": keep-alive\n\n"),
    close() {
      send(whole([{ text: "" }], { finishReason: "STOP" }));
      response.end();
    },
  };
}
