import type { ServerResponse } from "node:http";

/** Every error that the API answers with, by its code. docs/api.md lists the same, and a test keeps it so. */
export const PROBLEMS = {
  "bad-request": [400, "The request cannot be understood"],
  "bad-json": [400, "The body is not JSON in UTF-8"],
  "bad-beat": [400, "Something in the beat is not right"],
  "bad-silence": [400, "Something in the silence is not right"],
  "bad-agent": [400, "Something in the agent is not right"],
  "not-allowed": [403, "The request comes from somewhere that may not ask this"],
  "needs-token": [401, "This needs the token in the home folder"],
  "not-found": [404, "There is nothing here"],
  "no-such-agent": [404, "There is no such agent"],
  "no-such-incident": [404, "There is no such incident"],
  "no-such-delivery": [404, "There is no such delivery"],
  "already-sent": [409, "The delivery was sent"],
  "no-such-action": [404, "There is no such action"],
  "no-such-silence": [404, "There is no such silence"],
  "wrong-method": [405, "This address does not take this method"],
  "agent-exists": [409, "There is already such an agent"],
  "declared-in-config": [409, "The agent is declared in the config file"],
  "too-large": [413, "The body is too large"],
  "cannot-store": [503, "Nothing can be stored at the moment; try again"],
  internal: [500, "Something went wrong inside; the log says what"],
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** An answer as RFC 9457 wants it. */
export function problemBody(code: ProblemCode, detail: string): string {
  const [status, title] = PROBLEMS[code];
  return `${JSON.stringify({ type: `urn:rollcall:problem:${code}`, title, status, code, detail })}\n`;
}

export function problemStatus(code: ProblemCode): number {
  return PROBLEMS[code][0];
}

export const PROBLEM_TYPE = "application/problem+json";

export function sendProblem(
  response: ServerResponse,
  code: ProblemCode,
  detail: string,
  close = false,
): void {
  const body = problemBody(code, detail);
  response.writeHead(problemStatus(code), {
    "content-type": PROBLEM_TYPE,
    "content-length": Buffer.byteLength(body),
    ...(close ? { connection: "close" } : {}),
  });
  response.end(response.req.method === "HEAD" ? undefined : body);
}
