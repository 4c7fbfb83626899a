import { X509Certificate } from "node:crypto";
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as plain,
  type ServerResponse,
} from "node:http";
import { Agent as SecureAgent, request as secure } from "node:https";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Millis } from "../../core/duration.ts";
import type { KnownHub } from "../../ports/hubs.ts";
import { PLAIN } from "../api/plain.ts";

/** What a hub adds to a request that it passes on. */
export interface PassedOn {
  /** The token in the home of the hub that passes it on. */
  readonly hub: string;
  readonly caller: "owner" | "local" | "other";
  readonly from: string;
}

/** How passing on ended without an answer. */
export interface NotPassed {
  /** Nothing of it was read: it can be given to somebody else. */
  readonly isWhole: boolean;
  readonly problem: string;
}

/** Headers that are of one connection and not of the request, and those that only hubs may set. */
const DROPPED =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|rollcall-.*)$/;

const plainAgent = new Agent({ keepAlive: true });
/** Whom we speak with is decided by the certificate itself, not by who signed it; sessions are not resumed without it. */
const secureAgent = new SecureAgent({ keepAlive: true, rejectUnauthorized: false, maxCachedSessions: 0 });

/** Passes requests on to another hub. */
export class Forwarder {
  readonly #underWay = new Set<ClientRequest>();

  /** Resolves with undefined when an answer is on its way to whoever asked; `heard` is told of it too. */
  pass(
    to: KnownHub,
    request: IncomingMessage,
    response: ServerResponse,
    added: PassedOn,
    heard?: (status: number, body: string) => void,
  ): Promise<NotPassed | undefined> {
    const hasBody =
      request.headers["content-length"] !== undefined || request.headers["transfer-encoding"] !== undefined;
    const headers = headersOf(request.headers);
    const sent = openTo(to, {
      ...{ path: request.url, method: request.method },
      headers: {
        ...headers,
        "rollcall-hub": added.hub,
        "rollcall-caller": added.caller,
        "rollcall-from": added.from,
      },
    });
    this.#underWay.add(sent);
    return new Promise((done) => {
      let isRead = false;
      const giveUp = () => sent.destroy();
      response.once("close", giveUp);
      sent.once("close", () => {
        this.#underWay.delete(sent);
        response.off("close", giveUp);
      });
      // Only once somebody is reached, so that a request that reaches nobody stays whole.
      whenReached(sent, to, () => {
        isRead = hasBody;
        if (hasBody) request.pipe(sent);
        else sent.end();
      });
      sent.on("response", (answer) => {
        const passed = { ...headersOf(answer.headers), "rollcall-owner": to.url };
        response.writeHead(answer.statusCode ?? 502, passed);
        if (heard !== undefined) hearWhole(answer, heard);
        answer.pipe(response);
        // What breaks off in the middle must not look whole.
        answer.once("error", () => response.destroy());
        answer.once("aborted", () => response.destroy());
        done(undefined);
      });
      sent.on("error", (error: NodeJS.ErrnoException) => {
        if (response.headersSent) response.destroy();
        const isHarmless =
          request.method === "GET" || request.method === "HEAD" || error.syscall === "connect";
        done({ isWhole: !isRead && isHarmless, problem: error.code ?? error.message });
      });
    });
  }

  /** Nobody waits any more for answers of a hub that is not asked any more. */
  abandon(): void {
    for (const each of this.#underWay) each.destroy(new Error("another hub has taken over"));
  }

  /** What a hub says of itself at `/healthz`; undefined if it says nothing within so long. */
  health(of: KnownHub, within: Millis): Promise<string | undefined> {
    return new Promise((done) => {
      const sent = openTo(of, { path: PLAIN.healthz.path, method: "GET", headers: {} });
      sent.setTimeout(within, () => sent.destroy(new Error("timeout")));
      sent.on("error", () => done(undefined));
      sent.on("response", async (answer) => {
        let text = "";
        for await (const part of answer) text += String(part);
        done(answer.statusCode === 200 ? text : undefined);
      });
      whenReached(sent, of, () => sent.end());
    });
  }
}

/** Tells what was answered, once it was answered whole. */
function hearWhole(answer: IncomingMessage, heard: (status: number, body: string) => void): void {
  const parts: Buffer[] = [];
  answer.on("data", (part: Buffer) => parts.push(part));
  answer.once("end", () => heard(answer.statusCode ?? 0, Buffer.concat(parts).toString("utf8")));
}

function openTo({ address }: KnownHub, options: object): ClientRequest {
  return address.startsWith("https:")
    ? secure(address, { ...options, agent: secureAgent })
    : plain(address, { ...options, agent: plainAgent });
}

/** What the far side of a connection showed when it was opened: it can be asked for only then. */
const shownBy = new WeakMap<TLSSocket, Buffer>();

/** Nothing is sent before the far side has shown the very certificate that the hub told the others of. */
function whenReached(sent: ClientRequest, { certificate }: KnownHub, go: () => void): void {
  sent.once("socket", (socket: Socket) => {
    if (!(socket instanceof TLSSocket)) return socket.connecting ? socket.once("connect", go) : go();
    const check = () => {
      const shown = shownBy.get(socket) ?? socket.getPeerX509Certificate()?.raw;
      if (shown !== undefined) shownBy.set(socket, shown);
      if (shown?.equals(new X509Certificate(certificate ?? "").raw) === true) go();
      else sent.destroy(new Error("it shows another certificate"));
    };
    return socket.connecting ? socket.once("secureConnect", check) : check();
  });
}

function headersOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !DROPPED.test(name)) kept[name] = value;
  return kept;
}
