import type { HeartbeatAction, HeartbeatResult } from "../action.ts";

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
      const token = tokenEnv === undefined ? undefined : process.env[tokenEnv];
      if (tokenEnv !== undefined && !token) throw new Error(`the variable ${tokenEnv} holds no token`);
      const response = await fetch(url, {
        method: "POST",
        redirect: "error",
        signal: abort,
        headers: {
          "content-type": "application/json",
          "idempotency-key": `action:${name}:${dueAt}`,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ version: 1, action: name, dueAt: new Date(dueAt).toISOString() }),
      }).catch((error: unknown) => {
        abort.throwIfAborted();
        const code = (error as { cause?: { code?: string } }).cause?.code;
        throw new Error(`${new URL(url).host} cannot be reached${code === undefined ? "" : ` (${code})`}`);
      });
      const text = await read(response);
      if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
      return resultOf(text);
    },
  };
}

async function read(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MOST) throw new Error(`the reply is longer than ${MOST} characters`);
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
