import type { Server } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import { isLoopbackAddress } from "../core/access/exposure.ts";
import type { Millis } from "../core/duration.ts";

/** The first byte of whoever begins to speak TLS. */
const HANDSHAKE = 0x16;

/**
 * TLS for the network and plain HTTP for this machine, at one address: agents and commands here need no certificate, and what
 * they say goes nowhere else. Answers with the server that listens.
 */
export function plainHere(secure: TlsServer, plain: Server, patience: Millis): Server {
  const shake = secure.listeners("connection") as ((socket: Socket) => void)[];
  secure.removeAllListeners("connection");
  const greet = (socket: Socket) => {
    for (const each of shake) each.call(secure, socket);
  };
  secure.on("connection", (socket: Socket) => {
    if (!isHere(socket)) return greet(socket);
    const giveUp = () => socket.destroy();
    socket.setTimeout(patience, giveUp);
    socket.once("error", giveUp);
    socket.once("data", (first: Buffer) => {
      socket.setTimeout(0);
      socket.off("timeout", giveUp);
      socket.off("error", giveUp);
      socket.pause();
      socket.unshift(first);
      if (first[0] === HANDSHAKE) greet(socket);
      else plain.emit("connection", socket);
      process.nextTick(() => socket.resume());
    });
  });
  const closeIdle = secure.closeIdleConnections.bind(secure);
  secure.closeIdleConnections = () => {
    closeIdle();
    plain.closeIdleConnections();
  };
  return secure;
}

function isHere({ remoteAddress, localAddress }: Socket): boolean {
  return isLoopbackAddress(remoteAddress) || (remoteAddress !== undefined && remoteAddress === localAddress);
}
