import type { ServerResponse } from "node:http";
import { iso } from "../core/duration.ts";
import type { Watcher } from "../watch/watcher.ts";
import { PLAIN_HEADERS, send, sendStoreFailed } from "./kit/problem.ts";
import type { Metrics, MetricsSource } from "./metrics/metrics.ts";

/** `GET /healthz`: whether the watcher can store. */
export function sendHealth({ blindSince }: Watcher, response: ServerResponse): void {
  const isBlind = blindSince !== undefined;
  const health = { status: isBlind ? "blind" : "ok", blindSince: isBlind ? iso(blindSince) : null };
  const headers = { ...PLAIN_HEADERS, "content-type": "application/json" };
  send(response, isBlind ? 503 : 200, `${JSON.stringify(health)}\n`, headers);
}

export async function sendMetrics(
  source: MetricsSource & { readonly metrics: Metrics },
  response: ServerResponse,
): Promise<void> {
  try {
    const headers = { ...PLAIN_HEADERS, "content-type": source.metrics.contentType };
    send(response, 200, await source.metrics.text(source), headers);
  } catch (error) {
    sendStoreFailed(response, error);
  }
}
