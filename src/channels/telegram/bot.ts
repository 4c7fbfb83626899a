import { backoff } from "../../core/delivery/retry.ts";
import { type Millis, SECOND } from "../../core/duration.ts";
import type { ChatListener, Press } from "../../ports/channel.ts";
import { pause } from "../../ports/clock.ts";
import { systemClock } from "../../system/clock.ts";
import { askHttp } from "../../system/http.ts";
import type { SecretReader } from "../../system/secret.ts";

/** How long the service keeps a request open until somebody presses something. */
const POLL: Millis = 50 * SECOND;
const LATEST: Millis = POLL + 20 * SECOND;
const REPLY: Millis = 20 * SECOND;
const LARGEST = 1 << 20;
/** The service shows at most 200 characters. */
const LONGEST_TOAST = 200;

type Json = Readonly<Record<string, unknown>>;
type Called = { readonly result: unknown } | { readonly problem: string };

/** Calls of a bot besides sending. A problem never names the token. */
export class TelegramBot {
  readonly #url: string;
  readonly #token: SecretReader;

  constructor(url: string, token: SecretReader) {
    this.#url = url.replace(/\/+$/, "");
    this.#token = token;
  }

  async call(method: string, body: object, abort: AbortSignal, timeout: Millis = REPLY): Promise<Called> {
    const found = await this.#token();
    if ("problem" in found) return found;
    const answer = await askHttp({
      url: `${this.#url}/bot${encodeURIComponent(found.value)}/${method}`,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      ...{ most: LARGEST, timeout, abort },
    });
    if ("failure" in answer) return { problem: `Telegram cannot be reached (${answer.failure})` };
    const { ok, result } = parsed(answer.body.toString("utf8"));
    if (ok === true) return { result };
    if (answer.status === 409) return { problem: "another program reads the presses of this bot (409)" };
    return { problem: `Telegram answered ${answer.status} to ${method}` };
  }

  /** Hears presses until it is told to stop. Each is confirmed before it is obeyed: after a crash none is obeyed twice. */
  listener(source: string, people: Readonly<Record<string, string>>): ChatListener {
    return {
      source,
      people,
      hear: async (onPress, abort, onProblem) => {
        let offset: number | undefined;
        let failures = 0;
        while (!abort.aborted) {
          const wanted = { offset, timeout: POLL / SECOND, allowed_updates: ["callback_query"] };
          const got = await this.call("getUpdates", wanted, abort, LATEST);
          if (abort.aborted) return;
          if ("problem" in got) {
            failures += 1;
            onProblem(got.problem);
            await pause(backoff(this.#url, failures), systemClock, abort);
            continue;
          }
          failures = 0;
          const updates = (Array.isArray(got.result) ? got.result : []) as readonly Json[];
          const last = Math.max(-1, ...updates.map(({ update_id }) => Number(update_id)));
          if (last < 0) continue;
          offset = last + 1;
          await this.call("getUpdates", { offset, timeout: 0, limit: 1 }, abort);
          for (const update of updates) await this.#obey(update.callback_query, onPress, abort);
        }
      },
    };
  }

  async #obey(query: unknown, onPress: (press: Press) => Promise<string>, abort: AbortSignal): Promise<void> {
    const { id, from, data } = (query ?? {}) as { id?: unknown; from?: Json; data?: unknown };
    if (typeof id !== "string" || typeof data !== "string") return;
    const text = await onPress({
      person: String(from?.id),
      called: String(from?.username ?? from?.first_name),
      data,
    });
    const toast = { callback_query_id: id, text: text.slice(0, LONGEST_TOAST), show_alert: true };
    await this.call("answerCallbackQuery", toast, abort);
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}
