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
      const token = tokenEnv === undefined ? undefined : process.env[tokenEnv]?.trim();
      if (tokenEnv !== undefined && !token) throw new Error(`the variable ${tokenEnv} holds no token`);
      const { host } = new URL(url);
      const unreachable = (error: unknown): never => {
        abort.throwIfAborted();
        const code = (error as { cause?: { code?: string } }).cause?.code;
        throw new Error(`${host} cannot be reached${code === undefined ? "" : ` (${code})`}`);
      };
      const response = await fetch(url, {
        method: "POST",
        // A redirection would take the token elsewhere; its status is told like any other.
        redirect: "manual",
        signal: abort,
        headers: {
          "content-type": "application/json",
          "idempotency-key": `action:${name}:${dueAt}`,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ version: 1, action: name, dueAt: new Date(dueAt).toISOString() }),
      }).catch(unreachable);
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`${host} answered ${response.status}`);
      }
      const text = await read(response).catch(unreachable);
      if (text === undefined) throw new Error(`the reply of ${host} is longer than ${MOST} characters`);
      return resultOf(text);
    },
  };
}

/** The reply, or undefined if it is too long. */
async function read(response: Response): Promise<string | undefined> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MOST) return undefined;
  }
  return text.trim();
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
