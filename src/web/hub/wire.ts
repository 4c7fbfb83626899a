import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { SECOND } from "../../core/duration.ts";
import { readBatch } from "../../core/host/batch.ts";
import type { Enrolment } from "../../hub/enrolment.ts";
import type { Hub, Refusal } from "../../hub/hub.ts";
import type { Authenticator, Caller } from "../access/authenticator.ts";
import {
  PLAIN_HEADERS,
  PROBLEM_TYPE,
  type ProblemCode,
  problemBody,
  send,
  sendProblem,
  sendWrongMethod,
} from "../kit/problem.ts";

const unzip = promisify(gunzip);

/** A batch is half a megabyte before it is packed; a fact that is larger than that comes alone. */
export const LARGEST = 1 << 20;
const LARGEST_UNPACKED = 16 << 20;
const LONGEST_WAIT = 25 * SECOND;

/** A hub, as its wire needs it. */
export interface HubService {
  readonly hub: Hub;
  readonly enrolment: Enrolment;
  /** Where this hub itself is reached, not through whatever stands in front of several. */
  readonly ownUrl?: (() => string) | undefined;
}

const CODES: Readonly<Record<Refusal["code"], ProblemCode>> = {
  "no-such-host": "host-refused",
  "host-revoked": "host-refused",
  "host-cloned": "host-refused",
  "other-spool": "send-again",
  gap: "send-again",
  "wrong-version": "wrong-version",
};

/** What hosts ask of a hub. */
export function hubWire({ hub, enrolment, ownUrl }: HubService, gate: Authenticator) {
  return {
    async join(request: IncomingMessage, response: ServerResponse, { from }: Caller): Promise<void> {
      const asked = await readJson(request, response);
      if (asked === undefined) return;
      const { code, name, version, machine } = asked as Record<string, unknown>;
      if (typeof code !== "string" || typeof version !== "string" || typeof machine !== "string")
        return sendProblem(response, "bad-request", "expected code, version and machine, each a text");
      const joined = await enrolment.join({
        ...{ code, version: version.slice(0, 40), machine: machine.slice(0, 100) },
        ...(typeof name === "string" ? { name } : {}),
      });
      if (!("refused" in joined)) return sendJson(response, 200, joined);
      // Who guesses codes has few tries.
      const tooMany = gate.failed(from);
      if (tooMany === undefined) return sendProblem(response, "join-refused", joined.refused);
      sendProblem(response, tooMany.code, tooMany.detail, { retryAfter: tooMany.retryAfter });
    },

    async facts(request: IncomingMessage, response: ServerResponse, { host = "" }: Caller): Promise<void> {
      const asked = await readJson(request, response);
      if (asked === undefined) return;
      const batch = readBatch(asked);
      if (typeof batch === "string") return sendProblem(response, "bad-request", batch);
      // The token says who speaks, whatever the batch does.
      const answer = await hub.receive({ ...batch, host });
      if (!("code" in answer)) return sendJson(response, 200, { ...answer, host });
      const { code, says, acked } = answer;
      const body = JSON.parse(problemBody(CODES[code], says)) as { status: number };
      const more = { ...(acked === undefined ? {} : { acked }), renew: code === "other-spool" };
      sendJson(response, body.status, { ...body, ...more }, PROBLEM_TYPE);
    },

    async commands(request: IncomingMessage, response: ServerResponse, { host = "" }: Caller): Promise<void> {
      const query = new URLSearchParams((request.url ?? "").split("?", 2)[1]);
      const wait = Math.min(LONGEST_WAIT, Math.max(0, Number(query.get("wait") ?? 0) * SECOND || 0));
      const gone = new AbortController();
      response.on("close", () => gone.abort());
      const commands = await hub.commands.wait(host, wait, gone.signal);
      if (!gone.signal.aborted) sendJson(response, 200, { commands });
    },

    /** Of several hubs only the owner answers this itself. Without another address, the one that was asked serves. */
    async owner(_: IncomingMessage, response: ServerResponse): Promise<void> {
      sendJson(response, 200, { url: ownUrl?.() ?? null });
    },
  };
}

/** The body as JSON, or undefined: then the sender has been told what is wrong. */
async function readJson(request: IncomingMessage, response: ServerResponse): Promise<object | undefined> {
  if (request.method !== "POST") {
    sendWrongMethod(response, "POST");
    return undefined;
  }
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > LARGEST) {
      sendProblem(response, "too-large", `a body may have ${LARGEST} bytes`);
      return undefined;
    }
    parts.push(part);
  }
  try {
    const value = await unpacked(request, Buffer.concat(parts));
    if (typeof value === "object" && value !== null) return value;
    sendProblem(response, "bad-json", "expected an object");
  } catch (error) {
    sendProblem(response, "bad-json", error instanceof Error ? error.message : "not JSON");
  }
  return undefined;
}

/** The JSON in the body of a request. Throws if it holds none. */
export async function unpacked({ headers }: IncomingMessage, bytes: Buffer): Promise<unknown> {
  const isPacked = headers["content-encoding"] === "gzip";
  const plain = isPacked ? await unzip(bytes, { maxOutputLength: LARGEST_UNPACKED }) : bytes;
  return JSON.parse(plain.toString("utf8")) as unknown;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: object,
  type = "application/json",
): void {
  send(response, status, JSON.stringify(value), { ...PLAIN_HEADERS, "content-type": type });
}
