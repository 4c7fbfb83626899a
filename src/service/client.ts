import { type Millis, SECOND, sayDuration } from "../core/duration.ts";
import { type Home, readSecret } from "../home/home.ts";
import { askHttp, type HttpAnswer, type HttpFailure, type HttpRequest } from "../system/http.ts";
import { socketPath } from "../system/socket.ts";
import { OperationError } from "./operation-error.ts";

/**
 * Asks the running watcher, and waits for its answer: 10 s unless told otherwise, with 0 as long as it lives. It goes by
 * the socket in the home, which proves the owner; where there is none, by TCP with the token of the home.
 */
export async function ask(
  home: Home,
  url: string,
  method: string,
  path: string,
  body?: unknown,
  limit: Millis = 10 * SECOND,
): Promise<unknown> {
  const send = (headers: Readonly<Record<string, string>>, direct: NonNullable<HttpRequest["direct"]>) =>
    askHttp({
      ...{ method, url: `${url}${path}`, direct, silence: limit, most: LARGEST_ANSWER },
      ...(body === undefined
        ? { headers }
        : { headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) }),
    });
  const answer =
    (await bySocket(home, (socketPath) => send({ host: "localhost" }, { socketPath }))) ??
    (await send(authorization(home), true));
  if ("failure" in answer || answer.cut !== undefined) throw noAnswer(answer, url, limit);
  const { status } = answer;
  const value = parse(answer.body.toString("utf8"));
  if (status < 400) return value;
  const { code, detail } = (value ?? {}) as { code?: string; detail?: string };
  throw new OperationError(code ?? "failed", detail ?? `the watcher answered ${status}`, { status });
}

const JSON_TYPE = { "content-type": "application/json" };
/** A roll of tens of thousands of agents stays below this. */
const LARGEST_ANSWER = 512 * 1024 * 1024;

/** Undefined if nothing was sent: the socket is not there, or nobody listens at it. */
async function bySocket(
  home: Home,
  send: (path: string) => Promise<HttpAnswer | HttpFailure>,
): Promise<HttpAnswer | HttpFailure | undefined> {
  let opened: ReturnType<typeof socketPath>;
  try {
    opened = socketPath(home.socket);
  } catch {
    return undefined;
  }
  const answer = await send(opened.path);
  opened.release();
  return "failure" in answer && answer.unsent === true ? undefined : answer;
}

function authorization(home: Home): Record<string, string> {
  const token = readSecret(home.tokenFile);
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

function noAnswer(answer: HttpAnswer | HttpFailure, url: string, limit: Millis): Error {
  const why = "failure" in answer ? answer.failure : "ECONNRESET";
  if (why === "timeout")
    return new OperationError(
      "no-answer",
      `the watcher at ${url} did not answer within ${sayDuration(limit)}`,
    );
  if (why === "ECONNRESET")
    return new OperationError("no-answer", `the watcher at ${url} stopped before it answered`);
  return Object.assign(new Error(`the watcher at ${url} cannot be reached (${why})`), { code: why });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
