import { askHttp } from "../../system/http.ts";
import type { HttpSettings } from "./settings.ts";

/** The status that it answered; `late` if we had no time to wait for it; else what went wrong. */
export type Reply = { readonly status: number } | { readonly failure: string } | "late";

/** Asks once. A redirection is an answer, and is not followed. */
export async function ask({ url, method, timeoutMs }: HttpSettings, abort: AbortSignal): Promise<Reply> {
  const answer = await askHttp({ url, method, most: 0, timeout: timeoutMs, abort });
  if ("status" in answer) return answer;
  if (answer.failure === "aborted") return "late";
  return answer.failure === "timeout" ? { failure: `no answer within ${timeoutMs} ms` } : answer;
}
