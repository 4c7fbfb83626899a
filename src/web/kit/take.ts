import type { IncomingMessage, ServerResponse } from "node:http";

/** Takes a request. `bySocket`: through the socket in the home. */
export type Take = (request: IncomingMessage, response: ServerResponse, bySocket: boolean) => void;
