import type { Button } from "./deed.ts";

/** What a person is told, in plain text; channels dress it. */
export interface Message {
  readonly severity: "info" | "warning" | "critical" | "resolved";
  /** One line: who and what. */
  readonly title: string;
  /** Since when, why we think so, what was done. Plain text lines. */
  readonly lines: readonly string[];
  /** Commands to copy. */
  readonly commands?: readonly string[];
  /** Addresses worth opening (the dashboard, an issue). */
  readonly links?: readonly string[];
  /** What can be done about it, for channels in which people can press something. */
  readonly buttons?: readonly Button[];
  /** The same for programs: the webhook sends it as it is. */
  readonly data?: Readonly<Record<string, unknown>>;
}
