import type { Instant } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import { textOf } from "../../core/hook/words.ts";
import type { LimitUse, Spent, Tokens } from "../../core/usage/usage.ts";
import { instantOf, isObject, type JsonObject } from "./json.ts";

/** What one line of a transcript tells of usage. */
export interface LineSpent extends Omit<Spent, "tokens"> {
  /** The tokens of one answer by its id, which several lines may repeat; or of the session so far. */
  readonly id?: string;
  readonly tokens?: Tokens;
  readonly isTotal?: true;
  readonly model?: string;
}

/** Reads it by the shape of the line; undefined if it tells nothing. */
export function spentIn(line: JsonObject): LineSpent | undefined {
  if (isObject(line.payload)) return codex(line, line.payload);
  if (line.type === "system" && /^(?:compact_boundary|chat_compression)$/.test(String(line.subtype)))
    return { compacted: true };
  if (isObject(line.usageMetadata)) return qwen(line, line.usageMetadata);
  if (isObject(line.tokens)) return gemini(line, line.tokens);
  return isObject(line.message) && isObject(line.message.usage)
    ? claude(line, line.message, line.message.usage)
    : undefined;
}

/** The context of Claude Code, which its transcript does not tell, and that of its larger models. */
const [CONTEXT, LARGE] = [200_000, 1_000_000];

function claude(line: JsonObject, message: JsonObject, usage: JsonObject): LineSpent | undefined {
  const model = textOf(message.model);
  // The client's own words have no model behind them.
  if (model === "<synthetic>") return undefined;
  const tokens: Tokens = {
    input: count(usage.input_tokens),
    output: count(usage.output_tokens),
    cacheRead: count(usage.cache_read_input_tokens),
    cacheWrite: count(usage.cache_creation_input_tokens),
  };
  const filled = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  const context = line.isSidechain === true ? undefined : filled / (filled > CONTEXT ? LARGE : CONTEXT);
  const cost = typeof line.costUSD === "number" ? line.costUSD : undefined;
  return { tokens, ...given({ id: textOf(message.id) ?? textOf(line.uuid), model, cost, context }) };
}

function qwen(line: JsonObject, usage: JsonObject): LineSpent {
  const size = count(line.contextWindowSize);
  const filled = count(usage.promptTokenCount);
  return {
    tokens: withCached(usage.promptTokenCount, usage.cachedContentTokenCount, [
      usage.candidatesTokenCount,
      usage.thoughtsTokenCount,
    ]),
    ...given({
      id: textOf(line.uuid),
      model: textOf(line.model),
      context: size > 0 ? filled / size : undefined,
    }),
  };
}

function gemini(line: JsonObject, tokens: JsonObject): LineSpent {
  return {
    tokens: withCached(tokens.input, tokens.cached, [tokens.output, tokens.thoughts]),
    ...given({ id: textOf(line.id), model: textOf(line.model) }),
  };
}

function codex(line: JsonObject, payload: JsonObject): LineSpent | undefined {
  if (line.type === "compacted") return { compacted: true };
  if (line.type === "turn_context") return given({ model: textOf(payload.model) });
  if (payload.type !== "token_count") return undefined;
  const info = isObject(payload.info) ? payload.info : {};
  const { total_token_usage: total, last_token_usage: last } = info;
  const size = count(info.model_context_window);
  return {
    ...given({
      tokens: isObject(total)
        ? withCached(total.input_tokens, total.cached_input_tokens, [total.output_tokens])
        : undefined,
      context: isObject(last) && size > 0 ? count(last.total_tokens) / size : undefined,
    }),
    isTotal: true,
    limits: codexLimits(payload.rate_limits, instantOf(line.timestamp)),
  };
}

function codexLimits(limits: unknown, at: Instant | undefined): NonNullable<Spent["limits"]> {
  if (!isObject(limits)) return [];
  return [limits.primary, limits.secondary].filter(isObject).map((each) => {
    const name: LimitUse["name"] = count(each.window_minutes) > 24 * 60 ? "7d" : "5h";
    const seconds = typeof each.resets_in_seconds === "number" ? each.resets_in_seconds : undefined;
    const resetsAt =
      typeof each.resets_at === "number"
        ? each.resets_at * 1000
        : seconds === undefined || at === undefined
          ? undefined
          : at + seconds * 1000;
    return { name, used: count(each.used_percent) / 100, ...given({ resetsAt }) };
  });
}

/** Clients of this make count what was kept as input, too. */
function withCached(input: unknown, cached: unknown, output: readonly unknown[]): Tokens {
  const cacheRead = count(cached);
  return {
    input: Math.max(0, count(input) - cacheRead),
    output: output.reduce<number>((sum, each) => sum + count(each), 0),
    ...{ cacheRead, cacheWrite: 0 },
  };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
