import type { Instant, Millis } from "../core/duration.ts";
import type { IssueDraft } from "../core/rca/issue.ts";

/** An issue as the forge has it. */
export interface ForgeIssue {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly state: "open" | "closed";
  readonly labels: readonly string[];
  readonly createdAt: Instant;
}

export interface ForgeComment {
  readonly author: string;
  readonly body: string;
  readonly at: Instant;
}

/** It did not work. A problem is a sentence for people and never contains a secret. */
export type Trouble =
  /** It may work later, at the earliest after so long. Whether it was done is not known. */
  | { readonly outcome: "retry"; readonly problem: string; readonly after?: Millis }
  /** It will not work until somebody changes something. */
  | { readonly outcome: "refused"; readonly problem: string };

export type Filed =
  | { readonly outcome: "created" | "found"; readonly number: number; readonly url: string }
  | Trouble;

export type Done<T = unknown> = ({ readonly outcome: "done" } & T) | Trouble;

/**
 * Where a team keeps its issues. Nothing here throws for what a forge or a network may do.
 *
 * There is no way to create without looking: `file` goes through the issues that are labelled as ours, whatever their
 * state, and creates only if none of them carries the marker. So a reply that was lost, a process that was killed and a
 * second host all find what is there. The issue of a tick that a person or another program filed under the same title is
 * found, too: `file` gives it the labels and the marker.
 */
export interface Forge {
  /** What it is and where, for people: `gitea org/fleet at https://git.example`. */
  readonly name: string;
  file(draft: IssueDraft): Promise<Filed>;
  /** The issue with the marker, or undefined. */
  find(marker: string): Promise<Done<{ readonly issue: ForgeIssue | undefined }>>;
  read(number: number): Promise<Done<{ readonly issue: ForgeIssue }>>;
  comments(number: number): Promise<Done<{ readonly comments: readonly ForgeComment[] }>>;
  comment(number: number, body: string): Promise<Done>;
  edit(number: number, change: { readonly body?: string; readonly state?: "open" | "closed" }): Promise<Done>;
  /** The open issues with a label, oldest first. */
  open(label: string): Promise<Done<{ readonly issues: readonly ForgeIssue[] }>>;
}
