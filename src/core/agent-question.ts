import { redact } from "./redact.ts";
import type { ScreenQuestion } from "./screen/question.ts";

/** What an agent waits with, as its own host read it from its pane. Secrets are removed. */
export interface AgentQuestion {
  readonly text: string;
  readonly choices: readonly { readonly number: number; readonly label: string }[];
  /** An answer names it, so that it never reaches another question. */
  readonly fingerprint: string;
  /** The change of the incident at which it was read. */
  readonly change: number;
  /** The command with which a person on its host reaches its pane. */
  readonly attach: string;
}

export function askedOf(
  { text, choices, fingerprint }: ScreenQuestion & { readonly fingerprint: string },
  { change, attach }: Pick<AgentQuestion, "change" | "attach">,
): AgentQuestion {
  const labels = choices.map(({ number, label }) => ({ number, label: redact(label) }));
  return { text: redact(text), choices: labels, fingerprint, change, attach };
}

const MOST_ROWS = 12;

/** The question in the agent's own words, marked as such: nobody shall take them for Rollcall's. */
export function askedLines({ text, choices }: AgentQuestion): string[] {
  const rows = text.split("\n").filter((row) => row.trim() !== "");
  return [
    "The agent asks, in its own words:",
    ...rows.slice(-MOST_ROWS).map((row) => `│ ${row.trim()}`),
    ...choices.map(({ number, label }) => `│ ${number}. ${label}`),
  ];
}

/** The same in one line, for a message about many. */
export function askedBriefly({ text, choices }: AgentQuestion): string {
  const words = text.split("\n").join(" ");
  const offered = choices.map(({ number, label }) => `${number} ${label}`).join(" · ");
  return `it asks: “${words.slice(-200)}”${offered === "" ? "" : ` (${offered})`}`;
}

/** Whether what a host sent is one. */
export function isAsked(value: unknown): value is AgentQuestion {
  const { text, choices, fingerprint, change, attach } = (value ?? {}) as Record<string, unknown>;
  return (
    [text, fingerprint, attach].every((each) => typeof each === "string") &&
    typeof change === "number" &&
    Array.isArray(choices) &&
    choices.every((each) => typeof each?.number === "number" && typeof each?.label === "string")
  );
}
