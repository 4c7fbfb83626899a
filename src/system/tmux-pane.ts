import { constants } from "node:os";
import type { Instant } from "../core/duration.ts";
import type { ProcessEnd } from "./proc.ts";

/** How the program of a pane ended; `isTold` is false as long as tmux does not say it. */
export interface PaneEnd {
  readonly clean: boolean;
  readonly exit: string;
  readonly at?: Instant;
  readonly isTold: boolean;
}

/** A pane as tmux describes it. */
export interface Pane {
  readonly id: string;
  readonly pid: number;
  /** The server's pid and the session's id: together they name a session that another of its name is not. */
  readonly sitting: string;
  readonly session: string;
  readonly window: { readonly index: number; readonly name: string; readonly panes: number };
  readonly index: number;
  readonly isActiveInWindow: boolean;
  /** Set if its program has ended and the pane was kept (`remain-on-exit`). */
  readonly end?: PaneEnd;
  /** When its window last had output, in seconds: of a detached session only the window's time moves. */
  readonly activity: number;
  readonly cursor: { readonly x: number; readonly y: number; readonly hidden: boolean };
  readonly alternate: boolean;
  readonly paste: boolean;
  readonly size: { readonly width: number; readonly height: number };
  /** Rows that have left the top of the screen. */
  readonly history: number;
  readonly isPiped: boolean;
  /** The device of its terminal, such as `/dev/pts/3`. */
  readonly terminal: string;
  readonly command: string;
  readonly folder: string;
  /** Empty if none was ever set. */
  readonly title: string;
}

// Text that programs choose must not look like a field: in all but the last one the separator is replaced.
const safe = (name: string) => `#{s/[|]/_/:${name}}`;
const FIELDS = [
  ...["#{pane_id}", "#{pane_pid}", "#{pid}#{session_id}", "#{window_index}", "#{window_panes}"],
  ...["#{pane_index}", "#{pane_active}", "#{pane_dead}", "#{pane_dead_status}"],
  ...["#{pane_dead_signal}", "#{pane_dead_time}", "#{window_activity}", "#{cursor_x}", "#{cursor_y}"],
  ...["#{cursor_flag}", "#{alternate_on}", "#{bracket_paste_flag}", "#{pane_width}", "#{pane_height}"],
  ...["#{history_size}", "#{pane_pipe}", "#{pane_tty}", "#{host}", safe("session_name"), safe("window_name")],
  ...[safe("pane_current_command"), safe("pane_current_path"), "#{pane_title}"],
];

/** For `tmux list-panes -F`: a line per pane. */
export const PANE_FORMAT = FIELDS.join("|");

export function parsePanes(text: string): readonly Pane[] {
  return text.split("\n").flatMap((line) => parsePane(line.split("|")) ?? []);
}

function parsePane(fields: readonly string[]): Pane | undefined {
  const [id = "", pid, sitting = "", window, panes, index, active, dead, status = "", signal = ""] = fields;
  const [diedAt, activity, x, y, shown, alternate, paste, width, height, history] = fields.slice(10);
  const [piped, terminal = "", host, session = "", name = "", command = "", folder = "", ...rest] =
    fields.slice(20);
  if (!id.startsWith("%") || rest.length === 0) return undefined;
  const title = rest.join("|");
  return {
    id,
    pid: Number(pid),
    sitting,
    session,
    window: { index: Number(window), name, panes: Number(panes) },
    index: Number(index),
    isActiveInWindow: active === "1",
    ...(dead === "1" && { end: endOf(toldEnd(status, signal), diedAt) }),
    activity: Number(activity),
    cursor: { x: Number(x), y: Number(y), hidden: shown === "0" },
    alternate: alternate === "1",
    paste: paste === "1",
    size: { width: Number(width), height: Number(height) },
    history: Number(history),
    isPiped: piped === "1",
    terminal,
    command,
    folder,
    // Until a program sets one, tmux shows the host's name as the title.
    title: title === host ? "" : title,
  };
}

/** What tmux tells of an end: both are empty while it tells nothing. */
function toldEnd(status: string, signal: string): ProcessEnd | undefined {
  if (signal !== "") return { signal: Number(signal) };
  return status === "" ? undefined : { code: Number(status) };
}

export function endOf(end: ProcessEnd | undefined, diedAt = ""): PaneEnd {
  // An end that nobody vouches for is not clean.
  if (end === undefined) return { clean: false, exit: "tmux does not say how", isTold: false };
  const known = { isTold: true, ...(diedAt !== "" && { at: Number(diedAt) * 1000 }) };
  if ("signal" in end) return { clean: false, exit: `signal ${signalName(end.signal)}`, ...known };
  return { clean: end.code === 0, exit: `exit ${end.code}`, ...known };
}

/** `SIGKILL` for 9; a number that has no name stays as it is. */
export function signalName(number: number | string): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === Number(number));
  return found?.[0] ?? String(number);
}
