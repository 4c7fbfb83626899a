import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Millis, SECOND } from "../core/duration.ts";
import type { HostBatch, HubAnswer } from "../core/host/batch.ts";
import { askHttp, type HttpAnswer, isGood } from "../system/http.ts";
import type { HubClient, Reply } from "./link.ts";

const pack = promisify(gzip);

export interface HubAddress {
  readonly url: string;
  /** The hub's certificate, if it is signed by nobody else. */
  readonly certificate?: string;
}

const PATIENCE: Millis = 20 * SECOND;
const LARGEST = 1 << 20;
/** Packing a sign of life makes it larger. */
const WORTH_PACKING = 300;

/** A hub over HTTP. The token is read anew for each request, so that a new one needs no restart. */
export function httpHub(address: HubAddress, token: () => Promise<string>): HubClient {
  const { url, certificate } = address;
  const base = url.replace(/\/+$/, "");
  const trust = certificate === undefined ? {} : { certificate };
  return {
    async send(batch: HostBatch): Promise<Reply> {
      const text = JSON.stringify(batch);
      const packed = text.length > WORTH_PACKING ? await pack(text) : undefined;
      const answer = await askHttp({
        ...{ url: `${base}/hub/v1/facts`, method: "POST", most: LARGEST, timeout: PATIENCE, ...trust },
        headers: {
          authorization: `Bearer ${await token()}`,
          "content-type": "application/json",
          ...(packed === undefined ? {} : { "content-encoding": "gzip" }),
        },
        body: packed ?? text,
      });
      if ("failure" in answer) return { failed: answer.failure };
      return replyOf(answer);
    },
    async commands(wait: Millis) {
      const answer = await askHttp({
        ...{ url: `${base}/hub/v1/commands?wait=${Math.round(wait / SECOND)}`, most: LARGEST },
        ...{ timeout: wait + PATIENCE, ...trust },
        headers: { authorization: `Bearer ${await token()}` },
      });
      if ("failure" in answer || !isGood(answer)) return undefined;
      const { commands } = bodyOf(answer);
      return Array.isArray(commands) ? commands : undefined;
    },
  };
}

function replyOf(answer: HttpAnswer): Reply {
  const body = bodyOf(answer);
  const { status } = answer;
  if (isGood(answer)) {
    const { acked, commands } = body;
    if (!Number.isSafeInteger(acked) || !Array.isArray(commands)) return { failed: "an answer that is none" };
    return { answer: body as unknown as HubAnswer };
  }
  const says = typeof body.detail === "string" ? body.detail : `the hub answered ${status}`;
  if (status === 409 && Number.isSafeInteger(body.acked))
    return { resend: body.acked as number, renew: body.renew === true };
  if (status === 401)
    return { refused: "the hub does not know this host's token; join again: rollcall join" };
  if (status === 403 || status === 404 || status === 426 || status === 400) return { refused: says };
  const wait = Number(answer.headers["retry-after"]) * SECOND;
  return { failed: says, ...(wait > 0 ? { wait } : {}) };
}

function bodyOf({ body }: HttpAnswer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
