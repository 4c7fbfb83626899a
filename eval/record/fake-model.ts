import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type Json, type Voice, voiceFor } from "./voices.ts";

/**
 * A model on loopback, in the protocols of Anthropic, OpenAI (both) and Gemini. What the last thing that a person typed begins with
 * decides what it does:
 *
 *   run CMD      calls the client's shell tool with CMD, then says "done"
 *   loop CMD     calls the shell tool with CMD again and again
 *   ask WORDS    calls the client's tool for questions, if it has one
 *   stream N     says words for N seconds; `think N` sends only keep-alives for N seconds, then answers; `ponder N` nothing at all
 *   cut          says words for 3 seconds, then breaks the connection
 *   hang         answers with headers and never a word; `mute` does not even send headers; `stall` stops after some words
 *   limit        429 and "come back in an hour"; `throttle` 429 and "come back in 6 s"
 *   denied, broken, overloaded   401, 500, 503
 *   anything else                says "hello"
 */
export interface FakeModel {
  readonly url: string;
  /** What it was asked, newest last: the path, and what a person had typed. */
  readonly asked: readonly string[];
  /** What it did, and when (milliseconds since the epoch). Requests for titles and the like are not here. */
  readonly events: readonly ModelEvent[];
  close(): void;
}

export interface ModelEvent {
  readonly at: number;
  readonly ev: "request" | "status" | "quiet" | "end" | "gone" | "lacks";
  readonly order: string;
}

interface Order {
  /** What the client says of its tools, in which some arguments are named and others are not. */
  readonly schema: string;
  readonly word: string;
  readonly rest: string;
  /** How many tools have answered since it was typed. */
  readonly answers: number;
  /** What the last of them said. */
  readonly output: string;
  readonly tools: readonly string[];
}

const STATUS: Readonly<Record<string, { status: number; type: string; message: string; after?: number }>> = {
  limit: {
    ...{ status: 429, type: "rate_limit_error", after: 3600 },
    message: "You have reached your usage limit. Try again in 1 hour.",
  },
  throttle: { status: 429, type: "rate_limit_error", after: 6, message: "Rate limit reached for requests" },
  denied: { status: 401, type: "authentication_error", message: "Incorrect API key provided" },
  broken: { status: 500, type: "api_error", message: "Internal server error" },
  overloaded: { status: 503, type: "overloaded_error", message: "The server is overloaded" },
};

export async function fakeModel(port = 0): Promise<FakeModel> {
  const asked: string[] = [];
  const events: ModelEvent[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on(
      "end",
      () => void answer(request, response, Buffer.concat(chunks).toString("utf8"), asked, events),
    );
  });
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    events,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  text: string,
  asked: string[],
  events: ModelEvent[],
): Promise<void> {
  const path = (request.url ?? "").split("?")[0] ?? "";
  const make = voiceFor(path);
  let body: Json = {};
  try {
    body = JSON.parse(text || "{}") as Json;
  } catch {}
  if (request.method !== "POST" || make === undefined) {
    const models = [{ id: "fake", object: "model", name: "models/fake" }];
    const other = /count_?tokens/i.test(path) ? { input_tokens: 10, totalTokens: 10 } : {};
    const listed = /\/models$/.test(path) ? { data: models, models, object: "list" } : other;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(listed));
    return;
  }
  const tools = toolNames(body);
  const { typed, answers, output } = lastTyped(body);
  const [word = "", ...rest] = typed.trim().split(/\s+/);
  const order = {
    word: tools.length === 0 ? "" : word.toLowerCase(),
    rest: rest.join(" "),
    answers,
    output,
    tools,
    schema: JSON.stringify(body.tools ?? ""),
  };
  const note = (ev: ModelEvent["ev"]) => {
    if (tools.length > 0) events.push({ at: Date.now(), ev, order: typed });
  };
  asked.push(`${path} ${typed}`);
  note("request");
  response.on("close", () => {
    if (!response.writableFinished) note("gone");
  });
  const failure = STATUS[order.word];
  if (failure !== undefined) {
    fail(response, failure, path);
    note("status");
    return;
  }
  if (order.word === "mute") return note("quiet");
  const stream = body.stream === true || /stream/i.test(path) || /\/responses$/.test(path);
  await speak(make(response, stream), order, note, response);
  if (response.writableEnded) note("end");
}

function fail(
  response: ServerResponse,
  { status, type, message, after }: (typeof STATUS)[string] & object,
  path: string,
): void {
  const resets = Math.floor(Date.now() / 1000) + (after ?? 0);
  response.writeHead(status, {
    "content-type": "application/json",
    ...(after !== undefined && { "retry-after": String(after) }),
    ...(after === 3600 && {
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": String(resets),
    }),
  });
  // The service behind Codex tells the end of a limit in the body; any other 429 is a busy server to Codex.
  const isPlan = after === 3600 && path.endsWith("/responses");
  const plan = {
    type: "usage_limit_reached",
    message: "The usage limit has been reached",
    plan_type: "plus",
  };
  const error = isPlan
    ? { ...plan, resets_at: resets, resets_in_seconds: after }
    : { type, message, code: type, status: type };
  response.end(JSON.stringify({ type: "error", error }));
}

/** The words of an order, one at a time, as long as the client listens. */
async function speak(
  voice: Voice,
  order: Order,
  note: (ev: ModelEvent["ev"]) => void,
  response: ServerResponse,
): Promise<void> {
  const quiet = () => note("quiet");
  const seconds = Number(order.rest.split(" ")[0]) || 10;
  const every = async (ms: number, times: number, act: (i: number) => void) => {
    for (let i = 0; i < times && !response.destroyed; i += 1) {
      act(i);
      await wait(ms);
    }
  };
  const say = (i: number) =>
    voice.text(`${WORDS[((i * 7919 + 13) % 101) % WORDS.length]} ${i % 12 === 11 ? ".\n" : ""}`);
  voice.open();
  switch (order.word) {
    case "hang":
      return quiet();
    case "stall":
      await every(250, 12, say);
      return quiet();
    case "cut":
      await every(250, 12, say);
      quiet();
      response.destroy();
      return;
    case "stream":
      await every(250, seconds * 4, say);
      break;
    case "think":
      quiet();
      await every(4000, Math.ceil(seconds / 4), () => voice.ping());
      voice.text("I have thought.");
      break;
    case "ponder":
      quiet();
      await wait(seconds * 1000);
      voice.text("I have pondered.");
      break;
    case "run":
    case "loop":
      // No model answers at once.
      if (order.word === "loop") await wait(700);
      if (order.answers === 0 && shellIn(order.tools) === undefined) note("lacks");
      runTool(voice, order);
      break;
    case "ask":
      if (!askTool(voice, order)) note("lacks");
      break;
    default:
      voice.text("hello");
  }
  voice.close();
}

const WORDS =
  "now the parser reads each line and keeps what it needs for later while a second pass folds names into one table so that errors point at files instead of offsets which people cannot find by hand".split(
    " ",
  );

function shellIn(tools: readonly string[]): string | undefined {
  return tools.find((name) =>
    /^(bash|shell|run_shell_command|exec_command|shell_command|local_shell|run_commands?|execute_bash|execute_command|run_terminal_cmd|run_terminal_command|execute|terminal|run_in_terminal)$/i.test(
      name,
    ),
  );
}

function runTool(voice: Voice, { word, rest, answers, output, tools, schema }: Order): void {
  // A command that takes long goes on behind the client's back; a model asks for it until it has ended.
  const [, session] = /running with session ID (\d+)/.exec(output) ?? [];
  if (session !== undefined && tools.includes("write_stdin"))
    return voice.call("write_stdin", { session_id: Number(session), chars: "", yield_time_ms: 30_000 });
  if (word === "run" && answers > 0) return voice.text("done");
  const tool = shellIn(tools);
  if (tool === undefined) return voice.text(`no shell among ${tools.join(" ")}`);
  if (tool === "shell") return voice.call(tool, { command: ["bash", "-lc", rest] });
  if (tool === "run_commands") return voice.call(tool, { commands: [rest] });
  if (tool === "exec_command") {
    const outside = { sandbox_permissions: "require_escalated", justification: "it writes outside" };
    return voice.call(tool, { cmd: rest, ...(rest.includes("touch /") && outside) });
  }
  const background = tool === "run_shell_command" ? { is_background: false } : {};
  const approval = tool === "execute_command" ? { requires_approval: true } : {};
  const patience = schema.includes('"initial_wait"') ? { initial_wait: 180 } : {};
  return voice.call(tool, { command: rest, description: "runs it", ...background, ...approval, ...patience });
}

/** False if the client has no tool for questions. */
function askTool(voice: Voice, { rest, answers, tools, schema }: Order): boolean {
  if (answers > 0) {
    voice.text("thanks");
    return true;
  }
  const tool = tools.find((name) =>
    /^(AskUserQuestion|question|ask_user_question|ask_user|request_user_input|ask_followup_question|ask_question|ask)$/i.test(
      name,
    ),
  );
  if (tool === undefined) {
    voice.text(`no question among ${tools.join(" ")}`);
    return false;
  }
  const words = rest || "Which colour?";
  const options = ["red", "blue"].map((label) => ({ label, description: `the ${label} one` }));
  const question = {
    ...{ question: words, header: "colour", options },
    ...(schema.includes('"multiSelect"') && { multiSelect: false }),
    ...(tool === "request_user_input" && { id: "colour" }),
  };
  if (schema.includes('"requestedSchema"')) {
    const properties = { colour: { type: "string", title: "colour", enum: ["red", "blue"] } };
    voice.call(tool, {
      message: words,
      requestedSchema: { type: "object", properties, required: ["colour"] },
    });
    return true;
  }
  const short = { question: words, choices: ["red", "blue"], options: ["red", "blue"] };
  voice.call(
    tool,
    tool === "ask_user" || /followup|ask_question/.test(tool) ? short : { questions: [question] },
  );
  return true;
}

const ORDERS =
  /^\s*(?:run|loop|ask|hang|mute|stall|stream|think|ponder|limit|throttle|denied|broken|overloaded|cut|hello)\b/;

/** The words that a person typed last, and how many tools have answered since. */
function lastTyped(body: Json): { typed: string; answers: number; output: string } {
  const list = (body.messages ?? body.input ?? body.contents ?? []) as Json[];
  let typed = "";
  let answers = 0;
  let output = "";
  for (const item of typeof list === "string" ? [{ role: "user", content: list }] : list) {
    const said = partsOf(item);
    answers += said.answers;
    if (said.answers > 0) output = JSON.stringify(item.output ?? item.content ?? "");
    if (item.role !== "user") continue;
    const lines = said.texts.flatMap((text) => text.replaceAll(/<[^>]*>/g, "\n").split("\n"));
    const order = lines.findLast((line) => ORDERS.test(line));
    if (order === undefined) continue;
    typed = order.trim();
    answers = 0;
    output = "";
  }
  return { typed, answers, output };
}

function partsOf(item: Json): { texts: string[]; answers: number } {
  const content = item.content ?? item.parts ?? [];
  const parts =
    typeof content === "string" ? [{ text: content }] : Array.isArray(content) ? (content as Json[]) : [];
  const results = parts.filter((part) => part.type === "tool_result" || "functionResponse" in part).length;
  const isAnswer = item.role === "tool" || /_output$/.test(String(item.type));
  return {
    texts: parts.flatMap((part) => (typeof part.text === "string" ? [part.text] : [])),
    answers: isAnswer ? 1 : results,
  };
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
