/**
 * Which program holds the foreground of a pane's terminal: the pane's shell, at its prompt; a program; or the shell
 * while the program that was there last is suspended (Ctrl-Z) or runs on in the background.
 */
export type Front = "shell" | "program" | "suspended" | "background";

/** How the terminal takes input: in whole lines (`canonical`) or by keys, shown or not, and whether somebody waits for it. */
export type TerminalFacts = {
  readonly canonical: boolean;
  readonly echo: boolean;
  readonly isRead?: boolean;
};

/** The program's connections to others: how many are open, and when the one that was used last took bytes in and sent some. */
export type WireFacts = { readonly open: number; readonly receivedAt?: number; readonly sentAt?: number };

/** A process below the program, and since when it runs. */
export type ChildFacts = { readonly name: string; readonly since: number };

/** What the machine tells of a terminal besides its screen. A fact that cannot be had, or was not asked for, is missing, not false. */
export type Machine = {
  readonly front: Front;
  /** The name of what is in front, as tmux tells it. */
  readonly program: string;
  readonly terminal?: TerminalFacts;
  readonly wire?: WireFacts;
  /** The youngest first; empty if there are none. */
  readonly children?: readonly ChildFacts[];
};
