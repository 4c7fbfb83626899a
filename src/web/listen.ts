import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

/** Who holds connections open and says nothing gives way when they become many. */
export function makeRoom(server: Server, most: number): void {
  let connections = 0;
  server.on("connection", (socket) => {
    connections += 1;
    socket.once("close", () => {
      connections -= 1;
    });
    if (connections > most * 0.8) server.closeIdleConnections();
  });
}

const CLIENT_ERRORS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

export function refuseBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
  else
    socket.end(
      `HTTP/1.1 ${CLIENT_ERRORS[error.code ?? ""] ?? "400 Bad Request"}\r\nconnection: close\r\n\r\n`,
    );
}

export function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((done, failed) => {
    const refused = (error: NodeJS.ErrnoException) => failed(new ListenError(`${host}:${port}`, error));
    server.once("error", refused);
    server.listen(port, host, 1024, () => {
      server.off("error", refused);
      done();
    });
  });
}

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    "another program already listens there; choose another address with --listen, or port 0 for a free one",
  EACCES: "this user has no permission; ports below 1024 belong to root",
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

/** Where this machine itself reaches it. */
export function urlOf({ address, family, port }: AddressInfo): string {
  if (address === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (address === "::") return `http://[::1]:${port}`;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

/** How often connections are closed on which nothing is under way any more. */
const SWEEP = 50;

export function stop(server: Server): Promise<void> {
  return new Promise((done) => {
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP);
    server.close(() => {
      clearInterval(sweep);
      done();
    });
    server.closeIdleConnections();
  });
}
