import type { IncomingMessage, ServerResponse } from "node:http";
import type { Instant, Millis } from "../../core/duration.ts";
import type { TokenStore } from "../../service/access/token-store.ts";
import { PLAIN_HEADERS, send, sendProblem, sendStoreFailed, sendWrongMethod } from "../kit/problem.ts";
import { type Authenticator, type Caller, COOKIE } from "./authenticator.ts";

export const SIGN_IN = "/sign-in";

export function signInUrl(server: string, code: string): string {
  return `${server}${SIGN_IN}?code=${code}`;
}

export function cookieLine(value: string, lasts: Millis, secure: boolean): string {
  const line = `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${Math.round(lasts / 1000)}`;
  return secure ? `${line}; Secure` : line;
}

const NO_LONGER =
  "this address was used already, is older than a minute, or was made before the watcher restarted; " +
  "`rollcall open` makes a new one";

/**
 * `GET /sign-in?code=…`: signs a browser in and sends it to the page, whose address no longer holds the code. Nothing but
 * GET takes the code: a program that only looks where a link leads (HEAD) must not use it up.
 */
export async function signInByCode(
  {
    keys,
    gate,
    now,
  }: { readonly keys: TokenStore; readonly gate: Authenticator; readonly now: () => Instant },
  caller: Caller,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "GET") return sendWrongMethod(response, "GET");
  const code = new URLSearchParams((request.url ?? "").split("?", 2)[1]).get("code") ?? "";
  const holder = keys.takeCode(code, now());
  if (holder === undefined) {
    const tooMany = gate.failed(caller.from);
    if (tooMany !== undefined)
      return sendProblem(response, tooMany.code, tooMany.detail, { retryAfter: tooMany.retryAfter });
    return refuse(request, response);
  }
  try {
    const { cookie, session } = await keys.signIn(holder, now());
    const secure = request.headers["x-forwarded-proto"] === "https";
    const line = cookieLine(cookie, session.expiresAt - now(), secure);
    send(response, 303, "", { ...PLAIN_HEADERS, location: "/", "set-cookie": line });
  } catch (error) {
    sendStoreFailed(response, error);
  }
}

/** A browser is shown a page, since a person looks at it. */
function refuse(request: IncomingMessage, response: ServerResponse): void {
  if (!String(request.headers.accept ?? "").includes("text/html"))
    return sendProblem(response, "needs-token", NO_LONGER);
  const page = `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Rollcall</title>
<h1>Not signed in</h1>
<p>This sign-in address no longer works: each works once and for a minute, and a restart of the watcher ends them all.</p>
<p>Run <code>rollcall open</code> where the watcher runs to get a new one, or <a href="/">sign in with a token</a>.</p></html>
`;
  send(response, 401, page, { ...PLAIN_HEADERS, "content-type": "text/html; charset=utf-8" });
}
