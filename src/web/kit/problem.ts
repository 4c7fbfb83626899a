import type { ServerResponse } from "node:http";

/** Every error that the API answers with, by its code. docs/api.md lists the same, and a test keeps it so. */
export const PROBLEMS = {
  "bad-request": [400, "The request cannot be understood"],
  "bad-json": [400, "The body is not JSON in UTF-8"],
  "bad-beat": [400, "Something in the beat is not right"],
  "bad-silence": [400, "Something in the silence is not right"],
  "bad-agent": [400, "Something in the agent is not right"],
  "bad-token": [400, "Something in the wish for a token is not right"],
  "not-allowed": [403, "The request comes from somewhere that may not ask this"],
  "needs-token": [401, "This needs a token"],
  "join-refused": [403, "This host may not join"],
  "host-refused": [403, "This hub does not take this host"],
  "wrong-scope": [403, "The token does not reach as far as this"],
  "not-found": [404, "There is nothing here"],
  "no-such-agent": [404, "There is no such agent"],
  "no-such-incident": [404, "There is no such incident"],
  "no-such-delivery": [404, "There is no such delivery"],
  "step-refused": [409, "The step was not taken"],
  "config-refused": [409, "The config was not put in force"],
  "already-sent": [409, "The delivery was sent"],
  "no-such-action": [404, "There is no such action"],
  "no-such-silence": [404, "There is no such silence"],
  "bad-host": [400, "Something in the host is not right"],
  "not-a-hub": [409, "This watcher is no hub"],
  "host-exists": [409, "There is already such a host"],
  "host-did-not": [409, "The host did not do it"],
  "no-such-host": [404, "There is no such host"],
  "no-such-token": [404, "There is no such token"],
  "wrong-method": [405, "This address does not take this method"],
  "agent-exists": [409, "There is already such an agent"],
  "declared-in-config": [409, "The agent is declared in the config file"],
  "send-again": [409, "The facts do not follow what is stored"],
  "wrong-version": [426, "The versions of hub and host are too far apart"],
  "agent-of-host": [409, "Another host judges the agent"],
  "too-large": [413, "The body is too large"],
  "too-many-requests": [429, "That is more than one sender may ask for"],
  "too-many-agents": [429, "More agents register themselves than may"],
  "too-many-streams": [503, "As many streams are open as may be"],
  "cannot-store": [503, "Nothing can be stored at the moment; try again"],
  internal: [500, "Something went wrong inside; the log says what"],
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

export function isProblem(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

/** An answer as RFC 9457 wants it. */
export function problemBody(code: ProblemCode, detail: string): string {
  const [status, title] = PROBLEMS[code];
  return `${JSON.stringify({ type: `urn:rollcall:problem:${code}`, title, status, code, detail })}\n`;
}

export function problemStatus(code: ProblemCode): number {
  return PROBLEMS[code][0];
}

export const PROBLEM_TYPE = "application/problem+json";

/** Something that a request asked for and cannot have. */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly retryAfter: number | undefined;

  constructor(code: ProblemCode, detail: string, retryAfter?: number) {
    super(detail);
    this.name = "ProblemError";
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** What goes with every answer that is not a page: no browser shall guess, keep or frame it. */
export const PLAIN_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
} as const;

export function problemHeaders(code: ProblemCode, retryAfter?: number): Record<string, string> {
  return {
    ...PLAIN_HEADERS,
    "content-type": PROBLEM_TYPE,
    ...(code === "needs-token" ? { "www-authenticate": 'Bearer realm="rollcall"' } : {}),
    ...(retryAfter === undefined ? {} : { "retry-after": String(Math.ceil(retryAfter / 1000)) }),
  };
}

export function sendProblem(
  response: ServerResponse,
  code: ProblemCode,
  detail: string,
  how: { readonly close?: boolean; readonly retryAfter?: number | undefined } = {},
): void {
  const body = problemBody(code, detail);
  response.writeHead(problemStatus(code), {
    ...problemHeaders(code, how.retryAfter),
    "content-length": Buffer.byteLength(body),
    ...(how.close === true ? { connection: "close" } : {}),
  });
  response.end(response.req.method === "HEAD" ? undefined : body);
}
