import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { isLoopbackName } from "../core/access/exposure.ts";
import { type Millis, SECOND } from "../core/duration.ts";
import type { HostBatch, HubAnswer } from "../core/host/batch.ts";
import { isUntrusted, OTHER_CERTIFICATE } from "../system/certificate.ts";
import { askHttp, type HttpAnswer, type HttpRequest, isGood } from "../system/http.ts";
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

/**
 * A hub over HTTP. The token is read anew for each request, so that a new one needs no restart. Of several hubs the owner is
 * asked itself while it answers: a hub that passes a request on names it, and one that cannot (421) does too.
 */
export function httpHub(address: HubAddress, token: () => Promise<string>): HubClient {
  const base = address.url.replace(/\/+$/, "");
  const { certificate } = address;
  const trust = certificate === undefined ? {} : { certificate };
  let owner: string | undefined;
  /** An owner that could not be reached from here is left to the hubs, until they name another one. */
  let avoided: string | undefined;
  /** The hub passes nothing on: it is asked for the owner without a body, which would only have to be sent again. */
  let asksFirst = false;
  const note = ({ status, headers }: HttpAnswer): boolean => {
    const named = followed(headers["rollcall-owner"], base);
    if (named !== undefined && named !== avoided) [owner, avoided] = [named, undefined];
    if (status === 421) asksFirst = true;
    return status === 421 && owner !== undefined;
  };
  const ask = async (path: string, request: Omit<HttpRequest, "url" | "most">) => {
    const authorization = `Bearer ${await token()}`;
    const asked = { ...request, most: LARGEST, ...trust, headers: { ...request.headers, authorization } };
    if (owner === undefined && asksFirst) {
      const url = `${base}/hub/v1/owner`;
      const found = await askHttp({
        ...{ url, most: LARGEST, timeout: PATIENCE },
        ...trust,
        headers: { authorization },
      });
      if ("status" in found) note(found);
    }
    const direct = owner;
    const answer = await askHttp({ ...asked, url: `${direct ?? base}${path}` });
    if ("status" in answer && answer.status !== 503)
      return note(answer) && direct === undefined
        ? askHttp({ ...asked, url: `${owner ?? base}${path}` })
        : answer;
    if (direct === undefined) return answer;
    owner = undefined;
    if ("status" in answer || answer.unsent !== true) return answer;
    avoided = direct;
    return askHttp({ ...asked, url: `${base}${path}` });
  };
  return {
    async send(batch: HostBatch): Promise<Reply> {
      const text = JSON.stringify(batch);
      const packed = text.length > WORTH_PACKING ? await pack(text) : undefined;
      const answer = await ask("/hub/v1/facts", {
        ...{ method: "POST", timeout: PATIENCE, body: packed ?? text },
        headers: {
          "content-type": "application/json",
          ...(packed === undefined ? {} : { "content-encoding": "gzip" }),
        },
      });
      if ("failure" in answer)
        return { failed: isUntrusted(answer.failure) ? OTHER_CERTIFICATE : answer.failure };
      return replyOf(answer);
    },
    async commands(wait: Millis) {
      const path = `/hub/v1/commands?wait=${Math.round(wait / SECOND)}`;
      const answer = await ask(path, { timeout: wait + PATIENCE });
      if ("failure" in answer || !isGood(answer)) return undefined;
      const { commands } = bodyOf(answer);
      return Array.isArray(commands) ? commands : undefined;
    },
  };
}

/** An owner that may be asked itself: over TLS, or on this machine, as the hub that this host joined. */
function followed(url: unknown, base: string): string | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  const { protocol, origin, hostname } = new URL(url);
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopbackName(hostname));
  return isSafe && protocol === new URL(base).protocol && origin !== new URL(base).origin
    ? origin
    : undefined;
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
