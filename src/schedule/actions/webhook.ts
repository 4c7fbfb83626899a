import { askHttp, isGood } from "../../system/http.ts";
import { fitsHeader, readSecret } from "../../system/secret.ts";
import type { HeartbeatAction, HeartbeatResult } from "../engine/action.ts";

export interface WebhookSettings {
  readonly url: string;
  /** The name of the variable that holds a bearer token. */
  readonly tokenEnv?: string | undefined;
}

const MOST = 64 * 1024;

/** Calls an address. An empty reply is quiet; a JSON result is taken as it is; anything but 2xx is a failure of the run. */
export function webhookAction(name: string, { url, tokenEnv }: WebhookSettings): HeartbeatAction {
  return {
    name,
    description: `calls ${new URL(url).host}`,
    async execute({ abort, dueAt }) {
      const token = tokenEnv === undefined ? undefined : readSecret({ env: tokenEnv }, process.env);
      if (token !== undefined && ("problem" in token || !fitsHeader(token.value)))
        throw new Error(`the variable ${tokenEnv} holds no token`);
      const { host } = new URL(url);
      const answer = await askHttp({
        url,
        method: "POST",
        most: (status) => (isGood({ status }) ? MOST : 0),
        abort,
        headers: {
          "content-type": "application/json",
          "idempotency-key": `action:${name}:${dueAt}`,
          ...(token === undefined ? {} : { authorization: `Bearer ${token.value}` }),
        },
        body: JSON.stringify({ version: 1, action: name, dueAt: new Date(dueAt).toISOString() }),
      });
      if ("failure" in answer) {
        abort.throwIfAborted();
        throw new Error(`${host} cannot be reached (${answer.failure})`);
      }
      if (!isGood(answer)) throw new Error(`${host} answered ${answer.status}`);
      const { cut, body } = answer;
      if (cut === "too-large") throw new Error(`the reply of ${host} is longer than ${MOST} characters`);
      if (cut !== undefined) throw new Error(`${host} cannot be reached (${cut})`);
      return resultOf(body.toString("utf8").trim());
    },
  };
}

function resultOf(text: string): HeartbeatResult {
  if (text === "") return { shouldNotify: false };
  try {
    const value = JSON.parse(text) as HeartbeatResult | null;
    if (typeof value?.shouldNotify === "boolean") return value;
  } catch {
    // Not JSON: a page for people, which says nothing to us.
  }
  return { shouldNotify: false };
}
