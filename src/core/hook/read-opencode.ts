import { isRecord } from "../beat-input.ts";
import { type Instant, MINUTE } from "../duration.ts";
import { given } from "../given.ts";
import { callOf } from "../liveness/calls.ts";
import type { HookEvent } from "./event.ts";
import { commandIn, NAME, questionIn, shown, textOf } from "./words.ts";

type Json = Readonly<Record<string, unknown>>;
type Told = Omit<HookEvent, "session" | "name" | "cwd">;

/** A client that tries again after longer than this is at a limit. */
const LIMIT = 5 * MINUTE;

/** An event of OpenCode as our plugin passes it on: `{type, properties, root, cwd}`. */
export function readOpenCode(value: Json, now: Instant): HookEvent | undefined {
  const name = textOf(value.type);
  const its = isRecord(value.properties) ? value.properties : {};
  const own = textOf(its.sessionID);
  const session = textOf(value.root) ?? own;
  if (name === undefined || session === undefined) return undefined;
  const told = toldBy(name, its, now);
  // What a helper's session says of itself is no word about the turn of its parent.
  const isChild = own !== undefined && own !== session;
  const word = isChild && told.says === "idle" ? { ...told, says: "child-ended" as const } : told;
  return {
    ...{ session: session.slice(0, NAME), name: name.slice(0, NAME) },
    ...given({ cwd: textOf(value.cwd), child: isChild ? own.slice(0, NAME) : undefined }),
    ...word,
  };
}

function toldBy(name: string, its: Json, now: Instant): Told {
  switch (name) {
    case "session.created":
      return { says: "started", context: "unknown" };
    case "session.status":
      return status(isRecord(its.status) ? its.status : {}, now);
    case "session.idle":
      return { says: "idle", context: "unknown" };
    case "session.error":
      return error(isRecord(its.error) ? its.error : {});
    case "permission.asked":
    case "permission.updated": {
      const [pattern] = Array.isArray(its.patterns) ? its.patterns : [];
      const what =
        commandIn(isRecord(its.metadata) ? its.metadata : {}) ?? textOf(pattern) ?? textOf(its.title);
      return {
        ...{ says: "waiting", context: "unknown", detail: "permission" },
        ...given({ tool: textOf(its.permission)?.slice(0, NAME) }),
        ...(what === undefined ? {} : { asks: { question: shown(what) } }),
      };
    }
    case "question.asked":
      return { says: "waiting", context: "unknown", detail: "question", ...given({ asks: questionIn(its) }) };
    case "permission.replied":
      return { says: "working", context: "tool" };
    case "question.replied":
    case "question.rejected":
    case "tool.execute.after":
      return { says: "working", context: "model" };
    case "tool.execute.before": {
      const command = commandIn(isRecord(its.args) ? its.args : {});
      const tool = textOf(its.tool)?.slice(0, NAME);
      return {
        ...{ says: "working", context: "tool" },
        ...given({
          tool,
          call: tool === undefined ? undefined : callOf(tool, its.args, textOf(its.callID)),
          command: command === undefined ? undefined : shown(command),
        }),
      };
    }
    case "session.compacted":
      return { says: "nothing", context: "unknown", compacted: true };
    case "server.instance.disposed":
      return { says: "ended", context: "unknown" };
    default:
      return { says: "nothing", context: "unknown" };
  }
}

function status({ type, next }: Json, now: Instant): Told {
  if (type === "idle") return { says: "idle", context: "unknown" };
  if (type !== "retry") return { says: "working", context: "model" };
  const resetAt = typeof next === "number" && next > now ? next : undefined;
  const isLimit = resetAt !== undefined && resetAt - now > LIMIT;
  return { says: isLimit ? "limited" : "retrying", context: "model", ...given({ resetAt }) };
}

function error({ name, data }: Json): Told {
  const status = isRecord(data) ? data.statusCode : undefined;
  const isLogin = name === "ProviderAuthError" || status === 401;
  return { says: isLogin ? "login" : "idle", context: "unknown" };
}
