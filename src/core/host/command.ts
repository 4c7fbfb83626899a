import type { Instant, Millis } from "../duration.ts";

/** What can be asked of a host. A command names a thing that the host knows; it never carries one. */
export const COMMANDS = ["pause", "resume", "resolve", "look", "peek", "step", "run", "answer"] as const;
export type CommandName = (typeof COMMANDS)[number];

/** What a host does unless its config says otherwise. */
export const ALLOWED: readonly CommandName[] = ["pause", "resume", "look", "peek"];

/** The steps that somebody can ask for. */
export const ASKED_STEPS = ["nudge", "restart"] as const;
export type AskedStep = (typeof ASKED_STEPS)[number];

/** What a command says besides its target. */
export type CommandDetail = Pick<HostCommand, "step" | "answer">;

/** Something that is asked of a host. */
export interface HostCommand {
  /** Grows with each command to this host. */
  readonly number: number;
  readonly name: CommandName;
  /** An agent on the host's roll; of `resolve` an incident, of `run` an action of its config. */
  readonly target: string;
  readonly by: string;
  /** Of `step`: which one is meant. The host refuses if another one is next. */
  readonly step?: AskedStep;
  /** Of `answer`: the number of a choice that the host itself read, and of which question. The host types its own key for it. */
  readonly answer?: { readonly choice: number; readonly fingerprint: string };
  /** It counts for so long after the host has received it, by the host's monotonic clock. */
  readonly ttl: Millis;
}

export type CommandEnd = "done" | "refused" | "expired" | "failed";

/** How a command ended, as the host tells. */
export interface CommandResult {
  readonly number: number;
  readonly end: CommandEnd;
  readonly says: string;
  /** What `peek` saw, without secrets. */
  readonly screen?: string;
  /** What `look` found, newest first, without secrets. */
  readonly evidence?: readonly FoundEvidence[];
}

/** What a signal says of an agent; `at` is a date. */
export interface FoundEvidence {
  readonly signal: string;
  readonly at: string;
  readonly says: string;
}

/** A command as hub and host keep it: recorded before it is asked, or done. */
export interface CommandRecord extends HostCommand {
  readonly host: string;
  readonly askedAt: Instant;
  readonly result?: CommandResult & { readonly at: Instant };
}
