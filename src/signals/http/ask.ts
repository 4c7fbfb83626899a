import { request as plain } from "node:http";
import { request as secure } from "node:https";
import type { HttpSettings } from "./settings.ts";

/** The status that it answered; `late` if we had no time to wait for it; else what went wrong. */
export type Reply = { readonly status: number } | { readonly failure: string } | "late";

/** Asks once, on a connection of its own. A redirection is an answer, and is not followed. */
export function ask({ url, method, timeoutMs }: HttpSettings, abort: AbortSignal): Promise<Reply> {
  if (abort.aborted) return Promise.resolve("late");
  return new Promise((resolve) => {
    const request = url.startsWith("https:") ? secure : plain;
    const asked = request(url, { method, agent: false, headers: { "user-agent": "rollcall" } });
    const done = (reply: Reply) => {
      clearTimeout(timer);
      abort.removeEventListener("abort", onAbort);
      resolve(reply);
      asked.destroy();
    };
    const onAbort = () => done("late");
    const timer = setTimeout(() => done({ failure: `no answer within ${timeoutMs} ms` }), timeoutMs);
    abort.addEventListener("abort", onAbort);
    asked.on("response", (response) => {
      response.resume();
      done({ status: response.statusCode ?? 0 });
    });
    // Messages of the system may name the whole address; its code does not.
    asked.on("error", (error: NodeJS.ErrnoException) => done({ failure: error.code ?? error.name }));
    asked.end();
  });
}
