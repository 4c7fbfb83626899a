import type { IncomingMessage, ServerResponse } from "node:http";
import { iso } from "../core/duration.ts";
import type { Watcher } from "../watch/watcher.ts";
import { PLAIN_HEADERS, sendProblem } from "./kit/problem.ts";
import type { Metrics, MetricsSource } from "./metrics/metrics.ts";

/** `GET /healthz`: whether the watcher can store. */
export function sendHealth(watcher: Watcher, request: IncomingMessage, response: ServerResponse): void {
  const { blindSince } = watcher;
  const blind = blindSince !== undefined;
  const body = `${JSON.stringify({ status: blind ? "blind" : "ok", blindSince: blind ? iso(blindSince) : null })}\n`;
  response.writeHead(blind ? 503 : 200, {
    ...PLAIN_HEADERS,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** `GET /metrics`. */
export async function sendMetrics(
  source: MetricsSource & { readonly metrics: Metrics },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const text = await source.metrics.text(source);
    response.writeHead(200, {
      ...PLAIN_HEADERS,
      "content-type": source.metrics.contentType,
      "content-length": Buffer.byteLength(text),
    });
    response.end(request.method === "HEAD" ? undefined : text);
  } catch (error) {
    sendProblem(response, "cannot-store", error instanceof Error ? error.message : "the store failed");
  }
}
