import type { Message } from "../core/delivery/message.ts";
import type { Receipt } from "../core/delivery/receipt.ts";
import type { Instant } from "../core/duration.ts";

/** One attempt to tell people something. */
export interface Dispatch {
  /** The same at every attempt: whoever sees it twice has seen the same message twice. */
  readonly key: string;
  readonly message: Message;
  /** When the thing that is told happened. */
  readonly at: Instant;
  /** 1 for the first. */
  readonly attempt: number;
  /** Ends the attempt: its time is over, or we stop. A channel has no other time limit. */
  readonly abort: AbortSignal;
}

/** Where people are told. */
export interface Channel {
  readonly kind: string;
  /** Never throws for what the far side does; no secret stands in what it answers. */
  send(dispatch: Dispatch): Promise<Receipt>;
}
