import { request } from "node:http";
import { type Home, readToken } from "./home.ts";
import { PidFile, type PidRecord } from "./pid-file.ts";

/** What the running watcher answered when it did not do what was asked. */
class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
  }
}

/** The watcher that runs in this home, if one does. */
export function runningWatcher(home: Home): PidRecord | undefined {
  return new PidFile(home.pidFile).holder();
}

/** Asks the running watcher. `fetch` would take longer to load than the answer takes. */
export function ask(home: Home, url: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const token = readToken(home);
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((done, failed) => {
    const sent = request(
      `${url}${path}`,
      {
        method,
        timeout: 10_000,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(text === undefined ? {} : { "content-type": "application/json" }),
        },
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
          failed(new ApiError(status, code ?? "failed", detail ?? `the watcher answered ${status}`));
        });
      },
    );
    sent.on("timeout", () => sent.destroy(new Error(`the watcher at ${url} did not answer within 10 s`)));
    sent.on("error", failed);
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
