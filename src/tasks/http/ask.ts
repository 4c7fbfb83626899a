import { TaskSourceError, type TaskSourceProblem } from "../../ports/task-source.ts";
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

export type Answer =
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

/** Asks for one page. The token goes to no other origin than the address names. Rejects with a `TaskSourceError`, or as fetch does. */
export async function ask(question: Question): Promise<Answer> {
  const { name, token, etag, signal } = question;
  const headers = {
    accept: "application/json",
    "user-agent": "rollcall",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(etag === undefined ? {} : { "if-none-match": etag }),
  };
  let url = question.url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const response = await fetch(url, { headers, signal, redirect: "manual" });
    if (response.status === 200) return { ...(await answerOf(response, question)), url };
    await response.body?.cancel();
    if (response.status === 304 && etag !== undefined) return "unchanged";
    const to = REDIRECTS.includes(response.status) ? response.headers.get("location") : null;
    if (to === null) throw refusal(response, question);
    url = follow(to, url, name);
  }
  throw new TaskSourceError(
    "redirected",
    `${name}: expected at most ${MOST_REDIRECTS} redirections, not a circle`,
  );
}

const REDIRECTS = [301, 302, 303, 307, 308];

function follow(to: string, from: string, name: string): string {
  const next = URL.canParse(to, from) ? new URL(to, from) : undefined;
  if (next !== undefined && next.origin === new URL(from).origin) return next.href;
  const where = next === undefined || next.origin === "null" ? "no address" : next.origin;
  const expected = "expected an address that stays on its server; if that is right, set url to the new one";
  throw new TaskSourceError("redirected", `${name}: redirects to ${where}; ${expected}`);
}

async function answerOf(response: Response, { name, most }: Question) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the body, so that nothing more is sent.
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > most) {
      const problem = `expected at most ${MOST_BYTES / 1024 / 1024} MB in all`;
      throw new TaskSourceError("too-large", `${name}: ${problem}`);
    }
    chunks.push(chunk as Uint8Array);
  }
  return {
    bytes: Buffer.concat(chunks),
    etag: response.headers.get("etag") ?? undefined,
    link: response.headers.get("link") ?? undefined,
    type: /^[\w.+-]{1,40}\/[\w.+-]{1,40}/.exec(response.headers.get("content-type") ?? "")?.[0] ?? "no type",
  };
}

function refusal({ status, headers }: Response, { name, token }: Question): TaskSourceError {
  const say = (code: TaskSourceProblem, what: string) =>
    new TaskSourceError(code, `${name}: answered ${status}; ${what}`);
  if (status === 401 || status === 403) {
    const expected = token === undefined ? "a token (tokenEnv or tokenFile)" : "a token that it accepts";
    return say("refused", `expected ${expected}`);
  }
  if (status === 404 || status === 410) return say("not-found", "expected a list of tasks at this address");
  if (status === 429) {
    const seconds = /^\d{1,6}$/.exec(headers.get("retry-after") ?? "")?.[0];
    return say(
      "limited",
      `it wants fewer questions${seconds === undefined ? "" : `, the next in ${seconds} s`}`,
    );
  }
  return say("unavailable", "expected 200 and a list of tasks");
}
