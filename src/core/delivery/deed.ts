/** What a person can do about an incident from a message, by pressing a button. */
export type ChatDeed =
  | { readonly do: "acknowledge" | "silence" | "nudge" | "restart" }
  /** The number of a choice, of the very question that the message shows. */
  | { readonly do: "answer"; readonly choice: number; readonly fingerprint: string };

export interface Button {
  readonly label: string;
  readonly deed: ChatDeed;
}
