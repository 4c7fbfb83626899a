import { type RequestOptions, request } from "node:http";
import { type Millis, SECOND, sayDuration } from "../core/duration.ts";
import { type Home, readToken } from "../home/home.ts";
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
  const asked = { method, path, body, limit, url };
  try {
    return await askBySocket(home, asked);
  } catch (error) {
    // Nothing was sent: the socket is not there, or nobody listens at it.
    if (!["connect", "open"].includes((error as { syscall?: string }).syscall ?? "")) throw error;
  }
  const token = readToken(home);
  return send(asked, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
}

interface Question {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly limit: Millis;
  readonly url: string;
}

async function askBySocket(home: Home, asked: Question): Promise<unknown> {
  const { path, release } = socketPath(home.socket);
  try {
    return await send(asked, { socketPath: path, headers: { host: "localhost" } });
  } finally {
    release();
  }
}

/** One request. `fetch` would take longer to load than the answer takes. */
function send({ method, path, body, limit, url }: Question, how: RequestOptions): Promise<unknown> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((done, failed) => {
    const sent = request(
      `${url}${path}`,
      {
        ...how,
        method,
        timeout: limit,
        headers: { ...how.headers, ...(text === undefined ? {} : { "content-type": "application/json" }) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", failed);
        response.on("end", () => {
          const status = response.statusCode ?? 500;
          const answer = parse(Buffer.concat(chunks).toString("utf8"));
          if (status < 400) return done(answer);
          const { code, detail } = (answer ?? {}) as { code?: string; detail?: string };
          failed(new OperationError(code ?? "failed", detail ?? `the watcher answered ${status}`, status));
        });
      },
    );
    const gone = `the watcher at ${url} went away before it answered`;
    const late = `the watcher at ${url} did not answer within ${sayDuration(limit)}`;
    sent.on("timeout", () => sent.destroy(new OperationError("no-answer", late)));
    sent.on("error", (error: NodeJS.ErrnoException) =>
      failed(error.code === "ECONNRESET" ? new OperationError("no-answer", gone) : error),
    );
    sent.end(text);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
