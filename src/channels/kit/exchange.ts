import { type IncomingMessage, request as plain } from "node:http";
import { request as secure } from "node:https";

export interface Post {
  /** POST if not given. */
  readonly method?: "PUT";
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<IncomingMessage["headers"]>;
  /** At most the first 64 kB. */
  readonly body: string;
}

const REPLY_LIMIT = 64 * 1024;

/**
 * Sends once, on a connection of its own, and reads the reply. A redirection is a reply and is not followed: what we send
 * is meant for nobody else. What goes wrong is told by its code, because messages may name the whole address.
 */
export function exchange(
  { method, url, headers, body }: Post,
  abort: AbortSignal,
): Promise<Reply | { readonly failure: string }> {
  if (abort.aborted) return Promise.resolve({ failure: "aborted" });
  return new Promise((resolve) => {
    const bytes = Buffer.from(body);
    const asked = (url.protocol === "https:" ? secure : plain)(url, {
      method: method ?? "POST",
      agent: false,
      headers: { "user-agent": "rollcall", "content-length": bytes.length, ...headers },
    });
    const done = (result: Reply | { readonly failure: string }) => {
      abort.removeEventListener("abort", onAbort);
      resolve(result);
      asked.destroy();
    };
    const onAbort = () => done({ failure: "aborted" });
    abort.addEventListener("abort", onAbort);
    asked.on("error", ({ code, name }: NodeJS.ErrnoException) => done({ failure: code ?? name }));
    asked.on("response", (response) => {
      const { statusCode: status = 0, headers } = response;
      const parts: Buffer[] = [];
      let length = 0;
      const finish = () => {
        done({ status, headers, body: Buffer.concat(parts).subarray(0, REPLY_LIMIT).toString() });
      };
      response.on("data", (part: Buffer) => {
        parts.push(part);
        length += part.length;
        if (length >= REPLY_LIMIT) finish();
      });
      response.on("end", finish);
      // The status was heard, so a reply that breaks off after it still says what became of the message.
      response.on("error", finish);
    });
    asked.end(bytes);
  });
}
