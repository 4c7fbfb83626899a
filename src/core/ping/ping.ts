import type { Instant } from "../duration.ts";

/** What a ping says: the word in its address, or an exit code. */
export type PingKind = "success" | "start" | "fail" | "log";

/** A ping as it is kept: the newest of each agent, with the beginning of its body as it came. */
export interface Ping {
  readonly agent: string;
  /** Counts the pings of an agent. */
  readonly number: number;
  readonly kind: PingKind;
  readonly at: Instant;
  readonly method: string;
  readonly userAgent: string;
  readonly exitCode?: number;
  readonly rid?: string;
  /** Base64, because a body is bytes. Absent if there was none. */
  readonly body?: string;
}

/** A run that a ping began. Several of one agent may be under way; the run id tells them apart. */
export interface PingRun {
  readonly agent: string;
  readonly rid?: string;
  /** The cycle that it is. */
  readonly cycle: number;
  readonly beganAt: Instant;
  readonly endedAt?: Instant;
  readonly outcome?: "ok" | "error" | "lost";
}
