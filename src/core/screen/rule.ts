import type { ScreenContext } from "./reading.ts";

/**
 * What a rule's match means. `shell` is a shell's prompt and `crash` the remains of a program that died: they
 * tell idle from exited. `busy` and `tool` are the program's own sign that it works; only a tool may say
 * nothing for long. `agent` is chrome that only coding agents have. `ignore` marks rows that change by themselves and say nothing (tips, jokes, clocks).
 */
export type Says =
  | "shell"
  | "crash"
  | "waiting"
  | "login"
  | "limited"
  | "retrying"
  | "busy"
  | "tool"
  | "idle"
  | "agent"
  | "ignore";

/**
 * Where a rule looks. `cursor`: the cursor's row up to the cursor. `bottom`: the last rows, where footers are.
 * `end`: the last row with text before the cursor's, for programs that only append. `tail`: the lower part of the
 * screen. `message`: each row of what was said last, above the
 * input box. `output`: what came since a shell's last prompt.
 * `prompt`: as `cursor`, but only if the cursor shows and nothing stands below it, as in a shell. `row`: each of
 * the lower rows by itself; `anywhere`: each row of the screen. `last`: the last row that was said, above the busy
 * line and the input box; `block`: the rows up to it that no blank row divides. `group`: each part of the tail that no
 * blank row divides.
 */
export type Region =
  | "title"
  | "code"
  | "cursor"
  | "prompt"
  | "bottom"
  | "end"
  | "tail"
  | "message"
  | "output"
  | "row"
  | "last"
  | "block"
  | "group"
  | "anywhere";

/** A regular expression, of whichever engine. */
export type Pattern = {
  test(text: string): boolean;
  /** Where it first matches, or -1. */
  [Symbol.search](text: string): number;
};

export type ScreenRule = {
  /** `pack/name`. */
  id: string;
  says: Says;
  in: Region;
  match: Pattern;
  /** Further patterns which the tail must show too: what a dialog has besides its question. */
  also: readonly Pattern[];
  /** Patterns that must not be in the same region. */
  not: readonly Pattern[];
  /** The text outlives its cause: it is believed only while nothing is busy. */
  notice: boolean;
  /** Milliseconds of silence after which it is no longer believed: a spinner that stands still is over. */
  lively: number;
  /** Milliseconds of silence before it is believed. */
  quiet: number;
  kind?: string;
  context?: ScreenContext;
};

export type Pack = {
  name: string;
  /** Signs by which a client is recognised: any of them in the title, the state code or a row. */
  detect: readonly Pattern[];
  rules: readonly ScreenRule[];
};

/** Packs in force: the clients' own, of which the recognised one is asked first, and those that always apply. */
export type Packs = { clients: readonly Pack[]; generic: readonly Pack[] };
