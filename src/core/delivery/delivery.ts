import type { Instant } from "../duration.ts";
import type { Message } from "./message.ts";

/**
 * One message to one place: a row of the outbox. It is committed together with what caused it, and its key is the same
 * at every attempt, whatever happens in between.
 *
 *   pending ──claimed──▶ sending ──▶ sent
 *      │                   ├──────▶ pending (retry, in the same batch)
 *      │                   ├──────▶ refused (for good)
 *      └──▶ superseded     └──────▶ expired (after 72 h)
 */
export interface Delivery {
  readonly key: string;
  /** The name of the channel. */
  readonly to: string;
  /** The agent, group or action that it is about. */
  readonly about: string;
  readonly incident?: string;
  /** Which change of the incident it tells: the order among what is told of one, whatever the clock says. */
  readonly change?: number;
  /** What it says of its incident: the end of a pair that was never sent takes both away. */
  readonly says?: "opened" | "resolved" | "other";
  /** It tells something that nothing else tells: it is sent even if what it is about is over. */
  readonly must?: true;
  readonly message: Message;
  readonly createdAt: Instant;
  /** Not before this: what is due to one place by then goes out as one. */
  readonly dueAt: Instant;
  readonly state: "pending" | "sending" | "sent" | "refused" | "expired" | "superseded";
  /** The key under which it goes out together with others, once it has been claimed. */
  readonly batch?: string;
  readonly attempts: number;
  /** How the far side calls the message that it became part of. */
  readonly ref?: string;
  /** When the last attempt ended. */
  readonly triedAt?: Instant;
  /** How the last attempt failed, or why it was never made. */
  readonly problem?: string;
  readonly endedAt?: Instant;
}

/** What holds a message back, and until when. */
export interface Held {
  readonly until: Instant;
  readonly by: "mute" | "window" | "quiet hours";
}

/** What the keys of all messages about an incident begin with: they are found by it. */
export function keyPrefixOf({ subject, id }: { readonly subject: string; readonly id: string }): string {
  return `${subject}:${id}`;
}

/** Something is still to be done about it. */
export function isUnderWay({ state }: Delivery): boolean {
  return state === "pending" || state === "sending";
}
