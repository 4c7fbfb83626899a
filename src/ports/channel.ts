import type { Message } from "../core/delivery/message.ts";
import type { Receipt } from "../core/delivery/receipt.ts";
import type { Instant } from "../core/duration.ts";

/** One attempt to tell people something. */
export interface Dispatch {
  /** The same at every attempt: whoever sees it twice has seen the same message twice. */
  readonly key: string;
  readonly message: Message;
  /** The end of an incident: the earlier messages about it alone, as the far side calls them. They may be changed to this one. */
  readonly earlier?: readonly string[];
  /** When the thing that is told happened. */
  readonly at: Instant;
  /** 1 for the first. */
  readonly attempt: number;
  /** Ends the attempt: its time is over, or we stop. A channel has no other time limit. */
  readonly abort: AbortSignal;
}

/** A button that a person pressed in a chat. */
export interface Press {
  /** The person as the service proves who it is, and as they call themselves. */
  readonly person: string;
  readonly called: string;
  readonly data: string;
}

/** A chat in which people press buttons. */
export interface ChatListener {
  /** Two channels with the same source are heard once. */
  readonly source: string;
  /** The people who may press, by the ids of the service, with their names. */
  readonly people: Readonly<Record<string, string>>;
  /** Hears until it is aborted; answers each press with a sentence. */
  hear(
    onPress: (press: Press) => Promise<string>,
    abort: AbortSignal,
    onProblem: (problem: string) => void,
  ): Promise<void>;
}

/** Where people are told. */
export interface Channel {
  /** Set where people may press buttons. */
  readonly chat?: ChatListener;
  readonly kind: string;
  /** Never throws for what the far side does; no secret stands in what it answers. */
  send(dispatch: Dispatch): Promise<Receipt>;
}
