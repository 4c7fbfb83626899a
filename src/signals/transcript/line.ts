import type { Asks } from "../../core/asks.ts";
import type { Instant } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import { ASKING, questionIn } from "../../core/hook/words.ts";
import { callOf, type ToolCall } from "../../core/liveness/calls.ts";
import { resetAt } from "../../core/screen/reset.ts";
import { instantOf, isObject, type JsonObject } from "./json.ts";
import { type LineSpent, spentIn } from "./spent.ts";

export type TurnWord = "asked" | "said" | "ended" | "limited" | "login";

/** What one line of a transcript tells. */
export interface Line {
  readonly at?: Instant;
  /** Tool calls that begin, and that end, by their ids. */
  readonly opens: readonly string[];
  readonly closes: readonly string[];
  /** What those of them ask a person that do, by their ids. */
  readonly asks?: Readonly<Record<string, Asks>>;
  /**
   * Whose turn it is after this line: `asked` (the model's), `said` (it said something and may go on), `ended` (its
   * turn is over), `limited`, `login`; nothing if the line says nothing about that.
   */
  readonly turn?: TurnWord;
  readonly resetAt?: Instant;
  /** The calls that begin, with their input; and that a person said something. */
  readonly calls?: readonly ToolCall[];
  readonly prompted?: true;
  readonly spent?: LineSpent;
}

/** Reads a line by its shape, so that no client has to be named. What is cut short or strange is `undefined`. */
export function readLine(text: string): Line | undefined {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(data)) return undefined;
  return {
    ...{ opens: [], closes: [] },
    ...given({ at: instantOf(data.timestamp), spent: spentIn(data) }),
    ...saidBy(data),
  };
}

function saidBy(line: JsonObject): Partial<Line> {
  if (isObject(line.payload)) return codex(line.payload, instantOf(line.timestamp));
  if (isObject(line.message)) return chat(line);
  if (line.type === "gemini" || (line.type === "user" && "content" in line)) return gemini(line);
  // Gemini CLI notes when it last wrote a message.
  return isObject(line.$set) ? given({ at: instantOf(line.$set.lastUpdated) }) : system(line);
}

/** Calls that Gemini CLI has done with; any other status is one on the way there. */
const DONE: readonly unknown[] = ["success", "error", "cancelled"];

/**
 * Gemini CLI. A message is written again, whole, whenever something is added to it, such as the calls that it made
 * when they are done: the later line counts, and its own time is that of the first.
 */
function gemini({ type, content, toolCalls, timestamp }: JsonObject): Partial<Line> {
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const calls = Array.isArray(toolCalls) ? toolCalls.filter(isObject) : [];
  const closes = [
    ...parts.flatMap((part) => idOf(part, "", "functionResponse")),
    ...calls.filter(({ status }) => DONE.includes(status)).map(({ id }) => String(id)),
  ];
  const opens = [
    ...parts.flatMap((part) => idOf(part, "", "functionCall")),
    ...calls.filter(({ status }) => !DONE.includes(status)).map(({ id }) => String(id)),
  ].filter((id) => !closes.includes(id));
  const times = [timestamp, ...calls.map((call) => call.timestamp)].flatMap((time) => instantOf(time) ?? []);
  const at = times.length === 0 ? {} : { at: Math.max(...times) };
  const made = calls.flatMap(({ id, name, args }) => callsOf(name, args, id));
  if (opens.length + closes.length > 0) return { opens, closes, turn: "asked", ...at, calls: made };
  if (type === "user") return { turn: "asked", ...at, prompted: true };
  const words = wordsIn(content, parts);
  // A message without words is that of a call, which is noted when it is done.
  return { turn: words.trim() === "" ? "asked" : "said", ...at };
}

/** What the items of a conversation with Codex, and the events of its session, say about the turn. */
const CODEX: Readonly<Record<string, Line["turn"]>> = {
  ...{ task_started: "asked", turn_started: "asked", user_message: "asked" },
  ...{ reasoning: "asked", agent_reasoning: "asked", agent_message: "said" },
  ...{ task_complete: "ended", turn_complete: "ended", turn_aborted: "ended" },
};

function codex(payload: JsonObject, at: Instant | undefined): Partial<Line> {
  const id = typeof payload.call_id === "string" ? payload.call_id : String(payload.id ?? "");
  const type = String(payload.type);
  if (/^(?:function|custom_tool)_call$/.test(type)) {
    const input = jsonOf(payload.arguments) ?? payload.arguments ?? payload.input;
    const calls = callsOf(payload.name, input, id);
    return { opens: [id], turn: "asked", calls, ...asksOf([[id, payload.name, input]]) };
  }
  if (/^(?:function|custom_tool)_call_output$/.test(type)) return { closes: [id], turn: "asked" };
  if (type === "local_shell_call")
    return { [payload.status === "in_progress" ? "opens" : "closes"]: [id], turn: "asked" };
  if (type === "message") return { turn: payload.role === "assistant" ? "said" : "asked" };
  // A turn that failed ends with the error; no hook tells of it.
  if (CODEX[type] === "ended" && isObject(payload.error)) {
    const { message, codex_error_info: info } = payload.error;
    return failure(`${JSON.stringify(info ?? "")} ${String(message ?? "")}`, at);
  }
  const prompted = type === "user_message" ? ({ prompted: true } as const) : {};
  return Object.hasOwn(CODEX, type) ? { ...given({ turn: CODEX[type] }), ...prompted } : {};
}

/** Who a model is called in a message, and why it stops when its turn is over. */
const MODEL: readonly unknown[] = ["assistant", "model"];
const LAST: readonly unknown[] = ["end_turn", "stop_sequence", "refusal"];

/** Claude Code (`message.content`) and Qwen Code (`message.parts`). */
function chat(line: JsonObject): Partial<Line> {
  const message = isObject(line.message) ? line.message : {};
  const content = message.content ?? message.parts;
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  // What a helper of the agent says decides nothing about the agent's own turn.
  if (line.isSidechain === true) return {};
  const opens = parts.flatMap((part) => idOf(part, "tool_use", "functionCall"));
  const closes = parts.flatMap((part) => idOf(part, "tool_result", "functionResponse"));
  if (opens.length > 0 || closes.length > 0) {
    const calls = parts.map(({ id, name, input }) => [String(id ?? ""), name, input] as const);
    const made = parts.flatMap(({ type, id, name, input, functionCall }) => {
      if (isObject(functionCall)) return callsOf(functionCall.name, functionCall.args, functionCall.id);
      return type === "tool_use" ? callsOf(name, input, id) : [];
    });
    return { opens, closes, turn: "asked", calls: made, ...asksOf(calls) };
  }
  const words = wordsIn(content, parts);
  const isModel = line.type === "assistant" || MODEL.includes(message.role);
  if (!isModel) {
    if (line.isMeta === true) return {};
    return words.startsWith("[Request interrupted") ? { turn: "ended" } : { turn: "asked", prompted: true };
  }
  if (line.isApiErrorMessage === true) return failure(words, instantOf(line.timestamp));
  if (LAST.includes(message.stop_reason)) return { turn: "ended" };
  // A thought is followed by more; words may be the last.
  const thinks = parts.length > 0 && parts.every((part) => part.type === "thinking" || part.thought === true);
  return { turn: thinks ? "asked" : "said" };
}

function wordsIn(content: unknown, parts: readonly JsonObject[]): string {
  return typeof content === "string" ? content : parts.map(({ text }) => String(text ?? "")).join(" ");
}

/** The client gave up its turn: at a limit it says until when, and without a login that somebody must sign in. */
function failure(words: string, at: Instant | undefined): Partial<Line> {
  if (/\blimit reached\b|hit your\b.*\blimit|usage_limit/i.test(words)) {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    return {
      turn: "limited",
      ...given({ resetAt: at === undefined ? undefined : resetAt(words, at, timeZone) }),
    };
  }
  return {
    turn: /\/login\b|OAuth|invalid api key|authentication_error|unauthorized/i.test(words)
      ? "login"
      : "ended",
  };
}

/** What the calls of tools that ask a person ask. */
function asksOf(
  calls: readonly (readonly [id: string, name: unknown, input: unknown])[],
): Pick<Line, "asks"> {
  const asks = calls.flatMap(([id, name, input]) => {
    if (typeof name !== "string" || !ASKING.test(name)) return [];
    return [[id, (isObject(input) ? questionIn(input) : undefined) ?? { question: name }] as const];
  });
  return asks.length === 0 ? {} : { asks: Object.fromEntries(asks) };
}

function callsOf(name: unknown, input: unknown, id: unknown): readonly ToolCall[] {
  return typeof name === "string" ? [callOf(name, input, typeof id === "string" ? id : undefined)] : [];
}

function jsonOf(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Notes of the client itself. */
function system({ type, subtype }: JsonObject): Partial<Line> {
  return type === "system" && subtype === "turn_duration" ? { turn: "ended" } : {};
}

function idOf(part: JsonObject, type: string, key: string): string[] {
  const nested = part[key];
  if (isObject(nested)) return [String(nested.id ?? nested.name ?? "")];
  if (part.type !== type) return [];
  return [String((type === "tool_use" ? part.id : part.tool_use_id) ?? "")];
}
