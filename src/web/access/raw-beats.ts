import type { Socket } from "node:net";
import type { BeatAnswer } from "../kit/beat-answer.ts";
import type { Body } from "../kit/body.ts";
import type { Heads } from "./heads.ts";

/** A request with beats that was read without node:http. */
export interface RawBeats {
  readonly socket: Socket;
  readonly method: "POST";
  readonly heads: Heads;
  readonly body: Body;
  /** Gives the request to node:http, instead of an answer. The connection stays there. */
  leave(): void;
}

/** Takes such a request. `bySocket`: through the socket in the home. */
export type TakeBeats = (request: RawBeats, answer: BeatAnswer, bySocket: boolean) => void;
