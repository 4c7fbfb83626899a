import type { IncomingMessage, ServerResponse } from "node:http";
import { isLoopbackAddress } from "../core/access/exposure.ts";
import { HOOK_CLIENTS, type HookPost, isHookClient } from "../core/hook/event.ts";
import { jsonOf, readBody } from "./kit/body.ts";
import { sendProblem, sendWrongMethod } from "./kit/problem.ts";

export type TakeHook = (post: HookPost) => Promise<void>;

const PATH = "/hook/";

/**
 * `POST /hook/<client>?pid=…&up=…&event=…`: what a coding agent's client says of itself. It is answered before it is looked at, so that
 * no client waits for us. Only this machine may send it.
 */
export function postHook(take: TakeHook, request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== "POST") return sendWrongMethod(response, "POST");
  if (!isHere(request)) return sendProblem(response, "not-allowed", "hooks are taken from this machine only");
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const client = path.slice(PATH.length);
  if (!isHookClient(client))
    return sendProblem(response, "not-found", `expected one of ${HOOK_CLIENTS.join(", ")} after /hook/`);
  readBody(request, (body) => {
    const json = jsonOf(body);
    if ("refused" in json)
      return sendProblem(response, json.refused, json.why, { close: json.refused === "too-large" });
    response.writeHead(204).end();
    const asked = new URLSearchParams(query);
    const pid = wholeNumber(asked.get("pid"));
    const up = Number(asked.get("up") ?? Number.NaN);
    void take({
      client,
      payload: json.value,
      event: asked.get("event") ?? undefined,
      pid,
      sent: Number.isFinite(up) && up > 0 ? up * 1000 : undefined,
    });
  });
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : undefined;
}

/** A socket of the home has no address. */
function isHere({ socket: { remoteAddress } }: IncomingMessage): boolean {
  return remoteAddress === undefined || isLoopbackAddress(remoteAddress);
}
