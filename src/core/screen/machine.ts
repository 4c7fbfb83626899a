/**
 * Which program holds the foreground of a pane's terminal: the pane's shell, at its prompt; a program; or the shell
 * while the program that was there last is suspended (Ctrl-Z) or runs on in the background.
 */
export type Front = "shell" | "program" | "suspended" | "background";

/** What the machine tells of a terminal besides its screen. A fact that cannot be had is missing, not false. */
export type Machine = {
  readonly front: Front;
  /** The name of what is in front, as tmux tells it. */
  readonly program: string;
};
