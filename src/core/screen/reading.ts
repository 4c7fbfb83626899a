/** What a terminal screen says about the program in it. */
export type ReadingState =
  | "working"
  | "waiting"
  | "login"
  | "limited"
  | "retrying"
  | "idle"
  | "exited"
  | "looping"
  | "spinning";

/** What the program is busy with: a tool may be silent for long, a model not. */
export type ScreenContext = "model" | "tool" | "unknown";

export type ScreenReading = {
  state: ReadingState;
  /** What it waits for (permission, question, password, pager, editor, yes-no, choice …), if that is known. */
  kind?: string;
  /** When a limit ends or the next attempt starts, in milliseconds since the epoch, if the screen says so. */
  resetAt?: number;
  context: ScreenContext;
  /** Which pack and rule decided, as `pack/rule`; `reader/…` where the screen's change over time did. */
  rule: string;
  /** The client that was recognised, as the name of its pack. */
  client?: string;
  /** When something new was last said, in milliseconds since the epoch. */
  progressAt: number;
  /** It hangs: since when nothing has come over connections that always carried something. */
  hungSince?: number;
  /** How it ended, if it has exited. */
  end?: { clean: boolean; crashed: boolean };
};
