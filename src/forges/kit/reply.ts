import { type Millis, SECOND } from "../../core/duration.ts";
import { cleaned, shortened } from "../../core/rca/harmless.ts";
import type { Trouble } from "../../ports/forge.ts";
import type { HttpAnswer } from "../../system/http.ts";

/** What a forge answered, as far as it can be used. */
export interface Reply {
  readonly status: number;
  readonly headers: HttpAnswer["headers"];
  /** The parsed JSON; undefined if there was none. */
  readonly value: unknown;
}

const LONGEST_WAIT: Millis = 24 * 60 * 60 * SECOND;

/** What a reply that is not a success means. `what` is what was asked for, such as `create the issue`. */
export function troubleOf(reply: Reply, what: string, secrets: readonly string[]): Trouble {
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

function meaning({ status, headers }: Reply): string {
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

function isLimit(headers: Reply["headers"]): boolean {
  return headers["retry-after"] !== undefined || headers["x-ratelimit-remaining"] === "0";
}

/** How long to wait: what the forge asks for, in seconds, as a date, or as the instant at which its limit resets. */
function waitOf(headers: Reply["headers"]): Millis | undefined {
  const retry = headers["retry-after"];
  if (retry !== undefined) {
    const wait = /^\d+$/.test(retry) ? Number(retry) * SECOND : Date.parse(retry) - Date.now();
    if (Number.isFinite(wait)) return bounded(wait);
  }
  if (headers["x-ratelimit-remaining"] !== "0") return undefined;
  const reset = Number(headers["x-ratelimit-reset"] ?? Number.NaN) * SECOND;
  return Number.isFinite(reset) ? bounded(reset - Date.now()) : undefined;
}

function bounded(wait: Millis): Millis {
  return Math.min(LONGEST_WAIT, Math.max(0, wait));
}
