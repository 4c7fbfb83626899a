import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { SECOND } from "../core/duration.ts";
import { type Api, apiOf } from "./api.ts";
import { type BeatIntake, postBeats, simpleBeat } from "./beats.ts";
import { refusal } from "./guard.ts";
import { sendProblem } from "./problem.ts";

export interface WebServer {
  readonly url: string;
  /** Takes no new requests and resolves when those under way are answered. */
  stop(): Promise<void>;
}

export interface WebOptions extends BeatIntake, Api {
  readonly host: string;
  readonly port: number;
}

/** Listens, and sends beats down their own short way and everything else to the API. */
export async function serve(options: WebOptions): Promise<WebServer> {
  const api = getRequestListener(apiOf(options).fetch, { overrideGlobalObjects: false });
  const server = createServer((request, response) => {
    const refused = refusal(request);
    if (refused !== undefined) {
      sendProblem(response, "not-allowed", refused);
      return;
    }
    if (request.url === "/api/v1/beats") postBeats(options, request, response);
    else if (request.url?.startsWith("/beat/")) beatByAddress(options, request, response);
    else void api(request, response);
  });
  server.headersTimeout = 10 * SECOND;
  server.requestTimeout = 30 * SECOND;
  server.keepAliveTimeout = 65 * SECOND;
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n");
  });
  await listen(server, options);
  return { url: urlOf(server.address() as AddressInfo), stop: () => stop(server) };
}

function beatByAddress(intake: BeatIntake, request: IncomingMessage, response: ServerResponse): void {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  let agent: string;
  try {
    agent = decodeURIComponent(path.slice("/beat/".length));
  } catch {
    sendProblem(response, "bad-request", "the address holds a broken percent sign");
    return;
  }
  simpleBeat(intake, agent, new URLSearchParams(query), request, response);
}

function listen(server: Server, { host, port }: WebOptions): Promise<void> {
  return new Promise((done, failed) => {
    const refused = (error: NodeJS.ErrnoException) => failed(new ListenError(`${host}:${port}`, error));
    server.once("error", refused);
    server.listen(port, host, () => {
      server.off("error", refused);
      done();
    });
  });
}

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program already does; choose another address with --listen, or port 0 for a free one",
  EACCES: "this user may not; ports under 1024 belong to root",
  EADDRNOTAVAIL: "this machine has no such address",
};

class ListenError extends Error {
  readonly code: string;

  constructor(address: string, cause: NodeJS.ErrnoException) {
    super(`cannot listen at ${address}: ${LISTEN_PROBLEMS[cause.code ?? ""] ?? cause.message}`, { cause });
    this.name = "ListenError";
    this.code = cause.code ?? "cannot-listen";
  }
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function stop(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done());
    server.closeIdleConnections();
  });
}
