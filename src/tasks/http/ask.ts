import { given } from "../../core/given.ts";
import { TaskSourceError, type TaskSourceProblem } from "../../ports/task-source.ts";
import { askHttp, type HttpAnswer, MOVED } from "../../system/http.ts";
import { fitsHeader, secretReader } from "../../system/secret.ts";
import { MOST_BYTES } from "../kit/read-tasks.ts";

export interface Question {
  readonly url: string;
  /** What people know the address by; it holds no secret. */
  readonly name: string;
  readonly token: string | undefined;
  readonly etag: string | undefined;
  /** How many bytes the answer may have. */
  readonly most: number;
  readonly signal: AbortSignal;
}

export type PageAnswer =
  | "unchanged"
  | {
      /** Where it was found after redirections: what it links to is relative to it. */
      readonly url: string;
      readonly bytes: Uint8Array;
      readonly etag: string | undefined;
      readonly link: string | undefined;
      readonly type: string;
    };

const MOST_REDIRECTS = 5;

/** Asks for one page. The token goes to no other origin than the address names. Rejects with a `TaskSourceError`. */
export async function ask(question: Question): Promise<PageAnswer> {
  const { name, token, etag, most, signal: abort } = question;
  const authorization = token && `Bearer ${token}`;
  const headers = given({ accept: "application/json", authorization, "if-none-match": etag });
  let url = question.url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const answer = await askHttp({ url, headers, most: (status) => (status === 200 ? most : 0), abort });
    if ("failure" in answer) throw unreachable(name, answer.failure);
    if (answer.status === 200) return answerOf(answer, name);
    if (answer.status === 304 && etag !== undefined) return "unchanged";
    const to = MOVED.has(answer.status) ? answer.headers.location : undefined;
    if (to === undefined) throw refusal(answer, question);
    url = follow(to, url, name);
  }
  const problem = `expected at most ${MOST_REDIRECTS} redirections, not a circle`;
  throw new TaskSourceError("redirected", `${name}: ${problem}`);
}

function follow(to: string, from: string, name: string): string {
  const next = URL.canParse(to, from) ? new URL(to, from) : undefined;
  if (next !== undefined && next.origin === new URL(from).origin) return next.href;
  const where = next === undefined || next.origin === "null" ? "no address" : next.origin;
  const expected = "expected an address that stays on its server; if that is right, set url to the new one";
  throw new TaskSourceError("redirected", `${name}: redirects to ${where}; ${expected}`);
}

function answerOf({ url, headers, body, cut }: HttpAnswer, name: string): PageAnswer {
  if (cut === "too-large") {
    const problem = `expected at most ${MOST_BYTES / 1024 / 1024} MB in all`;
    throw new TaskSourceError("too-large", `${name}: ${problem}`);
  }
  if (cut !== undefined) throw unreachable(name, cut);
  const type = /^[\w.+-]{1,40}\/[\w.+-]{1,40}/.exec(headers["content-type"] ?? "")?.[0] ?? "no type";
  return { url, bytes: body, etag: headers.etag, link: headers.link, type };
}

function unreachable(name: string, why: string): TaskSourceError {
  return new TaskSourceError("unavailable", `${name}: expected a server that answers, it does not (${why})`);
}

function refusal({ status, headers }: HttpAnswer, { name, token }: Question): TaskSourceError {
  const say = (code: TaskSourceProblem, what: string) =>
    new TaskSourceError(code, `${name}: answered ${status}; ${what}`);
  if (status === 401 || status === 403) {
    const expected = token === undefined ? "a token (tokenEnv or tokenFile)" : "a token that it accepts";
    return say("refused", `expected ${expected}`);
  }
  if (status === 404 || status === 410) return say("not-found", "expected a list of tasks at this address");
  if (status === 429) {
    const seconds = /^\d{1,6}$/.exec(headers["retry-after"] ?? "")?.[0];
    const next = seconds === undefined ? "" : `, the next in ${seconds} s`;
    return say("limited", `it wants fewer questions${next}`);
  }
  return say("unavailable", "expected 200 and a list of tasks");
}

/** Where the token is. At most one of the two is given; without both, none is sent. */
export interface TokenPlace {
  readonly tokenEnv: string | undefined;
  /** An absolute path. */
  readonly tokenFile: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads the token anew each time, so that it can be changed without a restart. */
export async function readToken(
  { tokenEnv, tokenFile, env }: TokenPlace,
  name: string,
): Promise<string | undefined> {
  if (tokenEnv === undefined && tokenFile === undefined) return undefined;
  const token = await secretReader({ env: tokenEnv, file: tokenFile }, { env })();
  if ("value" in token && fitsHeader(token.value)) return token.value;
  const what = "problem" in token ? "there is none" : "what is there is not of one line of plain characters";
  throw new TaskSourceError("no-token", `${name}: expected a token in ${token.place}; ${what}`);
}
