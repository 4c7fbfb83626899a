import { type Millis, sayDuration } from "../../core/duration.ts";
import { cleaned } from "../../core/rca/harmless.ts";
import type { ForgeIssue, Trouble } from "../../ports/forge.ts";
import { askHttp, isGood } from "../../system/http.ts";
import { type ForgeReply, troubleOf } from "./reply.ts";

/** How to reach a forge. */
export interface ForgeAccess {
  /** The root of its API, without a slash at its end. */
  readonly api: string;
  readonly repo: string;
  readonly token: string;
  readonly timeout: Millis;
}

type Answer = { readonly reply: ForgeReply } | { readonly trouble: Trouble };

/** A page of fifty issues at their longest stays below this; what is longer is no reply of a forge. */
const LONGEST_REPLY = 5 * 1024 * 1024;
/** So many pages of fifty are looked through at most. */
const MOST_PAGES = 200;
export const PAGE = 50;

/** Requests to one forge. What goes wrong is an answer, never an error, and no answer contains the token. */
export class Connection {
  readonly #access: ForgeAccess;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(access: ForgeAccess, headers: Readonly<Record<string, string>>) {
    this.#access = access;
    this.#headers = headers;
  }

  /** Asks once. A status that is in `allow` is an answer too, whatever it says. */
  async ask(
    what: string,
    method: "GET" | "POST" | "PATCH" | "PUT",
    path: string,
    { body, allow = [] }: { body?: unknown; allow?: readonly number[] } = {},
  ): Promise<Answer> {
    const { api, token, timeout } = this.#access;
    const json = "application/json";
    const headers = {
      accept: json,
      ...this.#headers,
      ...(body === undefined ? {} : { "content-type": json }),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const url = `${api}${path}`;
    const answer = await askHttp({ url, method, headers, ...sent, most: LONGEST_REPLY, timeout });
    const failure = "failure" in answer ? answer.failure : answer.cut;
    if (failure === "timeout") return this.#retry(what, `no answer within ${sayDuration(timeout)}`);
    if (failure === "too-large") return this.#retry(what, `the reply is longer than ${LONGEST_REPLY} bytes`);
    if ("failure" in answer || failure !== undefined)
      return this.#retry(what, `the connection failed (${failure})`);
    const { status } = answer;
    const reply: ForgeReply = {
      status,
      headers: answer.headers,
      value: parsed(answer.body.toString("utf8")),
    };
    if (allow.includes(status)) return { reply };
    if (!isGood(answer)) return { trouble: troubleOf(reply, what, [token]) };
    return reply.value === undefined ? this.#retry(what, "the reply is not JSON") : { reply };
  }

  /** Goes through all pages of a list until `take` has what it wants. True if it has, or nothing is left. */
  async pages(
    what: string,
    path: string,
    take: (items: readonly unknown[]) => boolean,
  ): Promise<Trouble | undefined> {
    let seen = 0;
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const answer = await this.ask(what, "GET", `${path}${path.includes("?") ? "&" : "?"}page=${page}`);
      if ("trouble" in answer) return answer.trouble;
      const { value, headers } = answer.reply;
      if (!Array.isArray(value)) return this.#retry(what, "the reply is not a list").trouble;
      seen += value.length;
      if (take(value) || isLast(headers, value.length, seen)) return undefined;
    }
    return {
      outcome: "refused",
      problem: `could not ${what}: there are more than ${MOST_PAGES * PAGE}${path.includes("labels=") ? "; remove the label from old issues" : ""}`,
    };
  }

  /** Goes through all issues of a list until one is taken. What is no issue is left out. */
  issues(
    what: string,
    path: string,
    toIssue: (value: unknown) => ForgeIssue | undefined,
    take: (issue: ForgeIssue) => boolean,
  ): Promise<Trouble | undefined> {
    return this.pages(what, path, (items) => items.flatMap((item) => toIssue(item) ?? []).some(take));
  }

  #retry(what: string, why: string): { trouble: Trouble } {
    const { api, token } = this.#access;
    const problem = cleaned(`could not ${what} at ${new URL(api).host}: ${why}`, [token]);
    return { trouble: { outcome: "retry", problem } };
  }
}

/**
 * A server may give fewer than were asked for, and GitLab leaves out what the token may not read: only the server's word,
 * or a page that is empty without one, tells the last page.
 */
function isLast(headers: ForgeReply["headers"], length: number, seen: number): boolean {
  const { link, "x-total-count": total } = headers;
  if (link !== undefined && /rel="?next"?/.test(link)) return false;
  if (length > 0 && total !== undefined && /^\d+$/.test(total)) return seen >= Number(total);
  return length === 0 || link !== undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
