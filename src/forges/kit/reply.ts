import { type Millis, SECOND } from "../../core/duration.ts";
import { cleaned, shortened } from "../../core/rca/harmless.ts";
import type { Trouble } from "../../ports/forge.ts";
import type { HttpAnswer } from "../../system/http.ts";
import { boundedWait, retryAfter } from "../../system/retry-after.ts";

/** What a forge answered, as far as it can be used. */
export interface ForgeReply {
  readonly status: number;
  readonly headers: HttpAnswer["headers"];
  /** The parsed JSON; undefined if there was none. */
  readonly value: unknown;
}

/** What a reply that is not a success means. `what` is what was asked for, such as `create the issue`. */
export function troubleOf(reply: ForgeReply, what: string, secrets: readonly string[]): Trouble {
  const { status, headers } = reply;
  const after = waitOf(headers);
  const problem = `could not ${what}: ${meaning(reply)}${wordsOf(reply.value, secrets)}`;
  const later = { outcome: "retry", problem, ...(after === undefined ? {} : { after }) } as const;
  if (status === 429 || (status === 403 && isLimit(headers))) return later;
  return status >= 500 || [408, 409, 423, 425].includes(status) ? later : { outcome: "refused", problem };
}

const MEANINGS: Readonly<Record<number, string>> = {
  400: "the forge does not take the request",
  401: "the token is not accepted",
  403: "the token does not allow it",
  404: "there is no such repository, or the token may not see it",
  409: "something else changed it at the same time",
  410: "issues are disabled there",
  422: "the forge does not take the request",
  429: "too many requests",
};

function meaning({ status, headers }: ForgeReply): string {
  if (status === 403 && isLimit(headers)) return "too many requests (403)";
  if (status >= 300 && status < 400)
    return `it answers with a redirection (${status}); is the address right?`;
  return `${MEANINGS[status] ?? (status >= 500 ? "the forge has an error" : "unexpected status")} (${status})`;
}

/** What the forge says itself, which may quote what we sent. */
function wordsOf(value: unknown, secrets: readonly string[]): string {
  const { message, error } = (value ?? {}) as { message?: unknown; error?: unknown };
  // GitLab says what is wrong under either name, and of a field in an object.
  const said = message ?? error ?? "";
  const words = typeof said === "string" ? said : JSON.stringify(said);
  if (words === "") return "";
  return `: ${shortened(cleaned(words, secrets), 200).replace(/\s+/g, " ")}`;
}

function isLimit(headers: ForgeReply["headers"]): boolean {
  return headers["retry-after"] !== undefined || headers["x-ratelimit-remaining"] === "0";
}

/** How long to wait: what the forge asks for, or the instant at which its limit resets. */
function waitOf(headers: ForgeReply["headers"]): Millis | undefined {
  const wait = retryAfter({ headers });
  if (wait !== undefined || headers["x-ratelimit-remaining"] !== "0") return wait;
  const reset = Number(headers["x-ratelimit-reset"] ?? Number.NaN) * SECOND;
  return Number.isFinite(reset) ? boundedWait(reset - Date.now()) : undefined;
}
