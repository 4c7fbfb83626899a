import type { Asks } from "../asks.ts";
import { isRecord } from "../beat-input.ts";
import type { Instant } from "../duration.ts";
import { given } from "../given.ts";
import { callOf } from "../liveness/calls.ts";
import { resetAt } from "../screen/reset.ts";
import type { HookClient, HookEvent, HookSays } from "./event.ts";
import { readOpenCode } from "./read-opencode.ts";
import { ASKING, commandIn, NAME, questionIn, shown, textOf } from "./words.ts";

type Json = Readonly<Record<string, unknown>>;

export interface HookArrival {
  readonly now: Instant;
  readonly zone: string;
  /** The name of the event, where the client's own record does not tell it. */
  readonly event?: string;
  /** A process at or below the client's. */
  readonly pid?: number;
}

/** What a client's own record says; undefined if it is none that we know. Whatever stands in it, this never throws. */
export function readHook(client: HookClient, value: unknown, arrival: HookArrival): HookEvent | undefined {
  if (!isRecord(value)) return undefined;
  if (client === "opencode") return readOpenCode(value, arrival.now);
  if (client === "codex" && value.type === TURN_ENDED) return readNotify(value, arrival.pid);
  const name = textOf(value.hook_event_name) ?? arrival.event;
  const session = textOf(value.session_id) ?? textOf(value.sessionId);
  if (name === undefined || session === undefined) return undefined;
  const form = FORMS[name];
  const told = form === undefined ? NOTHING : form(value, arrival);
  return {
    ...{ session: session.slice(0, NAME), name: name.slice(0, NAME) },
    ...given({ cwd: textOf(value.cwd), child: textOf(value.agent_id)?.slice(0, NAME) }),
    ...usageIn(value),
    ...told,
  };
}

const TURN_ENDED = "agent-turn-complete";

/** What Codex before 0.124 gives to its `notify`. Early versions do not name the session: their process stands for it. */
function readNotify(value: Json, pid: number | undefined): HookEvent | undefined {
  const session = textOf(value["thread-id"]) ?? (pid === undefined ? undefined : `pid ${pid}`);
  if (session === undefined) return undefined;
  return {
    ...{ session: session.slice(0, NAME), name: TURN_ENDED, says: "idle", context: "unknown" },
    ...given({ cwd: textOf(value.cwd) }),
    endsOnly: true,
  };
}

type Told = Omit<HookEvent, "session" | "name" | "cwd">;
type Form = (payload: Json, arrival: HookArrival) => Told;

const NOTHING: Told = { says: "nothing", context: "unknown" };
const says = (word: HookSays, context: Told["context"] = "unknown"): Told => ({ says: word, context });
const always =
  (told: Told): Form =>
  () =>
    told;
const MODEL = always(says("working", "model"));
const COMPACTS = always({ ...says("working", "model"), compacted: true });
/** A prompt. Qwen Code sends an empty one after each tool, and Copilot CLI one of its own when a command has ended: no person said those. */
const PROMPT: Form = ({ prompt }) => {
  const isPerson = prompt !== "" && !textOf(prompt)?.startsWith("<system_notification>");
  return { ...says("working", "model"), ...(isPerson ? { prompted: true } : {}) };
};

/** The events by their names. Claude Code, Codex and Qwen Code share theirs; Gemini CLI and Copilot CLI have their own. */
const FORMS: Readonly<Record<string, Form>> = {
  // A session that begins anew in the middle of a turn, because its context was compacted, is no new one.
  SessionStart: ({ source }) => (source === "compact" ? NOTHING : says("started")),
  UserPromptSubmit: PROMPT,
  PreToolUse: begins,
  PermissionRequest: (payload) => {
    const call = callIn(payload);
    if (call.says === "waiting") return call;
    return { ...call, says: "waiting", ...askedFor(call.tool, call.command) };
  },
  PostToolUse: MODEL,
  PostToolUseFailure: MODEL,
  PermissionDenied: MODEL,
  ElicitationResult: MODEL,
  Elicitation: ({ message }) => asking(textOf(message)),
  Notification: notification,
  Stop: stopped,
  StopFailure: failed,
  Interrupt: always(says("idle")),
  PreCompact: COMPACTS,
  PostCompact: ({ trigger }) => (trigger === "manual" ? says("idle") : NOTHING),
  SubagentStart: always(says("child-began", "tool")),
  SubagentStop: always(says("child-ended", "model")),
  // The person goes on in another session of the same program, which says so itself.
  SessionEnd: ({ reason }) => (reason === "clear" || reason === "resume" ? NOTHING : ended(reason)),

  PreCompress: COMPACTS,
  BeforeAgent: PROMPT,
  AfterAgent: always(says("idle")),
  BeforeTool: begins,
  AfterTool: MODEL,

  sessionStart: always(says("started")),
  sessionEnd: ({ reason }) => ended(reason),
  userPromptSubmitted: PROMPT,
  preToolUse: begins,
  postToolUse: MODEL,
  postToolUseFailure: MODEL,
  agentStop: always(says("idle")),
  subagentStart: always(says("child-began", "tool")),
  subagentStop: always(says("child-ended", "model")),
  errorOccurred: (payload, arrival) => {
    const told = failed({ error: payload.errorContext, error_details: payload.error }, arrival);
    // It tries again.
    return told.says === "idle" && payload.recoverable === true ? says("retrying", "model") : told;
  },
  notification,
};

function ended(reason: unknown): Told {
  const why = textOf(reason);
  return { ...says("ended"), ...(why === undefined ? {} : { reason: shown(why) }) };
}

/** A call begins. Others that name one, such as a request for permission, tell of the same call. */
function begins(payload: Json): Told {
  const { tool, input } = toolIn(payload);
  const id = textOf(payload.tool_use_id) ?? textOf(payload.toolCallId);
  return { ...callIn(payload), ...given({ call: tool === undefined ? undefined : callOf(tool, input, id) }) };
}

function toolIn(payload: Json): { readonly tool: string | undefined; readonly input: Json } {
  const tool = textOf(payload.tool_name) ?? textOf(payload.toolName);
  return { tool, input: objectOf(payload.tool_input ?? payload.toolArgs ?? payload.toolInput) };
}

function callIn(payload: Json): Told {
  const { tool, input } = toolIn(payload);
  if (tool !== undefined && ASKING.test(tool)) {
    return { ...says("waiting"), detail: "question", tool, ...given({ asks: questionIn(input) }) };
  }
  const command = commandIn(input);
  return {
    ...says("working", "tool"),
    ...given({ tool: tool?.slice(0, NAME), command: command === undefined ? undefined : shown(command) }),
  };
}

function notification(payload: Json): Told {
  const { notification_type: type, message } = payload;
  if (type === "permission_prompt" || type === "ToolPermission") {
    const details = objectOf(payload.details);
    const command = commandIn(details);
    const asks = askedFor(undefined, command === undefined ? undefined : shown(command));
    return {
      ...says("waiting"),
      ...asks,
      ...(command === undefined ? given({ asks: asksOf(message) }) : {}),
    };
  }
  if (type === "agent_needs_input" || type === "elicitation_dialog") return asking(textOf(message));
  return type === "idle_prompt" ? { ...says("idle"), detail: "prompt" } : NOTHING;
}

function asking(question: string | undefined): Told {
  return { ...says("waiting"), detail: "question", ...given({ asks: asksOf(question) }) };
}

/** The turn is over. What it started beside itself goes on: a parent that waits for its helpers is working. */
function stopped({ background_tasks: tasks }: Json): Told {
  const helpers = Array.isArray(tasks) ? tasks.filter((task) => isRecord(task) && !isShell(task)) : [];
  return helpers.length === 0 ? says("idle") : says("working", "tool");
}

/** A server that it left running is not its work. */
function isShell({ type }: Json): boolean {
  return /bash|shell|monitor/i.test(String(type));
}

/** The client gave up: at a limit, for want of a login, or at an error of the service. */
function failed(payload: Json, { now, zone }: HookArrival): Told {
  const words = [payload.error, payload.error_details, payload.last_assistant_message]
    .map((part) => (isRecord(part) ? String(part.message ?? "") : String(part ?? "")))
    .join(" ");
  if (/rate_?limit|usage_?limit|\b429\b|hit your\b.*\blimit|limit reached|quota|billing/i.test(words)) {
    return { ...says("limited"), ...given({ resetAt: resetAt(words, now, zone) }) };
  }
  return /authenticat|unauthor|\b401\b|\/login|oauth/i.test(words) ? says("login") : says("idle");
}

function askedFor(tool: string | undefined, command: string | undefined): Pick<Told, "detail" | "asks"> {
  const what = command ?? (tool === undefined ? undefined : `use ${tool}`);
  return { detail: "permission", ...(what === undefined ? {} : { asks: { question: what } }) };
}

function asksOf(question: unknown): Asks | undefined {
  const text = textOf(question);
  return text === undefined ? undefined : { question: shown(text) };
}

/** An object, also one that is written as text. */
function objectOf(value: unknown): Json {
  if (isRecord(value)) return value;
  if (typeof value !== "string" || !value.startsWith("{")) return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** How full the context is, and the cost, where a client tells it as its status line does. */
function usageIn(payload: Json): Pick<HookEvent, "contextShare" | "cost" | "limits"> {
  const { context_window: window, cost, rate_limits: limits } = payload;
  const used = isRecord(window) ? window.used_percentage : undefined;
  const spent = isRecord(cost) ? cost.total_cost_usd : undefined;
  const told = isRecord(limits)
    ? [...limitIn("5h", limits.five_hour), ...limitIn("7d", limits.seven_day)]
    : undefined;
  return {
    ...(typeof used === "number" && used >= 0 && used <= 100 ? { contextShare: used / 100 } : {}),
    ...(typeof spent === "number" && spent >= 0 ? { cost: spent } : {}),
    ...given({ limits: told }),
  };
}

function limitIn(name: "5h" | "7d", limit: unknown): NonNullable<HookEvent["limits"]> {
  if (!isRecord(limit) || typeof limit.used_percentage !== "number") return [];
  const resets = typeof limit.resets_at === "number" ? limit.resets_at * 1000 : undefined;
  return [{ name, used: limit.used_percentage / 100, ...given({ resetsAt: resets }) }];
}
