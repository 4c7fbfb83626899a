import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SignalReader } from "../ports/signal.ts";
import { sessionLogs } from "../session-log/index.ts";
import type { SignalsOf } from "./registry.ts";

/** The end of the log stands for a screen. */
const LINES = 50;

/**
 * What a person would see of an agent: the first of its signals that shows something, or else the log that `rollcall run`
 * wrote. That log is no signal, because it says nothing of an agent between its cycles.
 */
export async function showAgent(
  readers: readonly SignalReader[],
  how: "screen" | "raw",
  { agent, home, open }: { agent: string; home: string; open: (whose: SignalsOf) => readonly SignalReader[] },
): Promise<string | undefined> {
  const shows = readers.find((reader) => reader.show !== undefined);
  if (shows !== undefined) return shows.show?.(how);
  const log = sessionLogs({ folder: join(home, "logs") }).path(agent);
  if (!existsSync(log)) return undefined;
  // The command wrote into a pipe, whose lines are no screen.
  const settings = { log: { path: "{log}", keys: { log }, plain: true } };
  const own = open({ agent, settings, memories: {}, journal: "" });
  try {
    const text = await own[0]?.show?.(how);
    return how === "raw" ? text : text?.trimEnd().split("\n").slice(-LINES).join("\n");
  } finally {
    for (const reader of own) reader.close();
  }
}
