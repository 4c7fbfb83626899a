import type { ServerResponse } from "node:http";
import { type Millis, SECOND } from "../../core/duration.ts";
import { OperationError } from "../../service/operation-error.ts";

/** Every error that the API answers with, by its code. docs/api.md lists the same, and a test keeps it so. */
export const PROBLEMS = {
  "bad-request": [400, "The request cannot be understood"],
  "bad-json": [400, "The body is not JSON in UTF-8"],
  "bad-beat": [400, "The beat is not valid"],
  "bad-silence": [400, "The silence is not valid"],
  "bad-agent": [400, "The agent is not valid"],
  "bad-token": [400, "The request for a token is not valid"],
  "not-allowed": [403, "Requests from this host name or page are refused"],
  "needs-token": [401, "This needs a token"],
  "join-refused": [403, "This host may not join"],
  "host-refused": [403, "This hub does not take this host"],
  "wrong-scope": [403, "The scope of the token does not allow this"],
  "not-found": [404, "There is nothing here"],
  "no-such-agent": [404, "There is no such agent"],
  "no-such-incident": [404, "There is no such incident"],
  "no-such-delivery": [404, "There is no such delivery"],
  "step-refused": [409, "The step was not taken"],
  "config-refused": [409, "The new config was refused"],
  "already-sent": [409, "The delivery was already sent"],
  "told-by-hub": [409, "The hub of this host does this"],
  "no-such-action": [404, "There is no such action"],
  "no-such-silence": [404, "There is no such silence"],
  "bad-host": [400, "Something in the host is not right"],
  "not-a-hub": [409, "This watcher is not a hub"],
  "host-exists": [409, "There is already such a host"],
  "host-did-not": [409, "The host did not do it"],
  "no-such-host": [404, "There is no such host"],
  "no-such-token": [404, "There is no such token"],
  "wrong-method": [405, "This address does not accept this method"],
  "agent-exists": [409, "An agent with this id already exists"],
  "declared-in-config": [409, "The agent is declared in the config file"],
  "send-again": [409, "The facts do not follow what is stored"],
  "wrong-version": [426, "The versions of hub and host are too far apart"],
  "agent-of-host": [409, "The agent belongs to a host"],
  "too-large": [413, "The body is too large"],
  "too-many-requests": [429, "Too many requests from one sender"],
  "too-many-agents": [429, "Too many agents registered themselves"],
  "too-many-streams": [503, "Too many streams are open"],
  "cannot-store": [503, "Nothing can be stored at the moment; try again"],
  "no-owner": [503, "No hub has taken over yet; try again"],
  "not-owner": [421, "Another hub answers this"],
  internal: [500, "Internal error; see the log of the daemon"],
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

/** What a request asked for and cannot have. */
export function problem(code: ProblemCode, detail: string, retryAfter?: Millis): OperationError {
  return new OperationError(code, detail, { retryAfter });
}

/** What goes with every answer that is not a page: no browser shall guess, keep or frame it. */
export const PLAIN_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
} as const;

export function problemHeaders(code: ProblemCode, retryAfter?: Millis): Record<string, string> {
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
  how: { readonly close?: boolean; readonly retryAfter?: Millis | undefined } = {},
): void {
  send(response, problemStatus(code), problemBody(code, detail), {
    ...problemHeaders(code, how.retryAfter),
    ...(how.close === true ? { connection: "close" } : {}),
  });
}

/** A hung disk gives no error. A sender that waits for its commit longer than this is told to come again. */
export const PATIENCE: Millis = 5 * SECOND;

/** An error of the store, whatever was thrown. */
export function sendStoreFailed(response: ServerResponse, error: unknown): void {
  sendProblem(response, "cannot-store", error instanceof Error ? error.message : "the store failed");
}

export function sendWrongMethod(response: ServerResponse, allowed: string): void {
  response.setHeader("allow", allowed);
  sendProblem(response, "wrong-method", `this address takes ${allowed}`);
}

/** Sends a whole answer; to HEAD without its body. */
export function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(response.req.method === "HEAD" ? undefined : body);
}
