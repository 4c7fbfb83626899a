import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type Millis, SECOND } from "../core/duration.ts";
import type { Log } from "../ports/log.ts";
import { listenAtSocket } from "../system/socket.ts";
import type { TakeBeats } from "./access/raw-beats.ts";
import type { Take } from "./kit/take.ts";
import { openLane } from "./lane.ts";
import { listen, makeRoom, refuseBadRequest, stop, urlOf } from "./listen.ts";
import { plainHere } from "./plain-here.ts";

/** How long a sender may take, and how many may be connected. */
export interface WebLimits {
  readonly headers: Millis;
  readonly request: Millis;
  readonly connections: number;
}

const LIMITS: WebLimits = { headers: 10 * SECOND, request: 30 * SECOND, connections: 10_000 };
/** How long a connection may be idle between two requests. */
const IDLE: Millis = 65 * SECOND;

export interface DoorOptions {
  readonly host: string;
  readonly port: number;
  /** Set to speak TLS with others than this machine. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** The socket in the home: whoever can open it is the home's owner. */
  readonly socket?: string;
  readonly log: Log;
  readonly limits?: WebLimits;
}

/** Where requests come in. Who takes them may change while it is open. */
export interface Door {
  readonly url: string;
  /**
   * From now on `take` has them, until the answer is called: then whoever had them before has them again. `takeBeats` has
   * the beats that need no node:http.
   */
  enter(take: Take, takeBeats?: TakeBeats): () => void;
  /** Gives a request to whoever has them now. */
  readonly pass: Take;
  /** Takes no new requests and resolves when those under way are answered. */
  stop(): Promise<void>;
}

/** Listens. */
export async function openDoor(options: DoorOptions, first: Take, firstBeats?: TakeBeats): Promise<Door> {
  const takers = [{ take: first, takeBeats: firstBeats }];
  const pass: Take = (request, response, bySocket) => takers.at(-1)?.take(request, response, bySocket);
  const limits = options.limits ?? LIMITS;
  let isStopping = false;
  const serverOf = (bySocket: boolean) => {
    const settings = {
      maxHeaderSize: 16 * 1024,
      connectionsCheckingInterval: Math.min(5 * SECOND, limits.headers),
    };
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      // Node leaves a connection open on which one request follows the other: it would never end.
      if (isStopping) response.setHeader("connection", "close");
      pass(request, response, bySocket);
    };
    const limited = <S extends Server>(server: S): S => {
      server.headersTimeout = limits.headers;
      server.requestTimeout = limits.request;
      server.keepAliveTimeout = IDLE;
      server.maxConnections = limits.connections;
      server.maxHeadersCount = 100;
      server.on("clientError", refuseBadRequest);
      return server;
    };
    const plain = limited(createServer(settings, answer));
    const taker = () => (isStopping ? undefined : takers.at(-1)?.takeBeats);
    openLane(plain, { taker, bySocket, first: limits.headers, idle: IDLE });
    const server =
      options.tls === undefined || bySocket
        ? plain
        : plainHere(limited(createTlsServer({ ...settings, ...options.tls }, answer)), plain, limits.headers);
    makeRoom(server, limits.connections);
    return server;
  };
  const server = serverOf(false);
  await listen(server, options);
  const closeSocket = await openSocket(options, () => serverOf(true));
  return {
    url: urlOf(server.address() as AddressInfo),
    pass,
    enter(take, takeBeats) {
      const taker = { take, takeBeats };
      takers.push(taker);
      return () => {
        const at = takers.indexOf(taker);
        if (at !== -1) takers.splice(at, 1);
      };
    },
    stop: async () => {
      isStopping = true;
      await Promise.all([stop(server), closeSocket()]);
    },
  };
}

/** Opens the socket in the home, if one is asked for. A file system without sockets is no reason not to watch. */
async function openSocket(
  { socket, log }: Pick<DoorOptions, "socket" | "log">,
  make: () => Server,
): Promise<() => Promise<void>> {
  if (socket === undefined) return async () => {};
  const server = make();
  try {
    const release = await listenAtSocket(server, socket);
    return () => stop(server).then(release);
  } catch (error) {
    log.warn({ socket, problem: String(error) }, "no socket in the home; commands use the token over TCP");
    return async () => {};
  }
}
