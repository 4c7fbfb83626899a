import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { SECOND } from "../../core/duration.ts";
import { bold, cutLine, outputWidth, plain } from "./terminal.ts";

const ENTER = "\x1b[?1049h\x1b[?25l"; // The alternate screen, without a cursor.
const LEAVE = "\x1b[?25h\x1b[?1049l";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Shows what `draw` makes for so many rows on the alternate screen and brings it up to date every second, until `q`, Ctrl-C or a signal.
 * However it ends, the terminal is as it was before. A failed refresh is shown, and the next one may succeed.
 */
export async function onScreen(draw: (rows: number) => string, refresh: () => Promise<void>): Promise<void> {
  const { stdin, stdout } = process;
  let problem: string | undefined;
  const paint = () => {
    const rows = stdout.rows || 24;
    const lines = problem === undefined ? [] : [bold(plain(problem))];
    lines.push(...draw(rows - lines.length).split("\n"));
    const shown = lines.slice(0, rows).map((line) => `${cutLine(line, outputWidth())}\x1b[K`);
    stdout.write(`\x1b[H${shown.join("\r\n")}\x1b[J`);
  };
  const ending = new AbortController();
  const ended = once(ending.signal, "abort").then(() => undefined);
  let signal: (typeof SIGNALS)[number] | undefined;
  const end = (by?: (typeof SIGNALS)[number]) => {
    signal ??= by;
    ending.abort();
  };
  const onKey = (keys: Buffer) => {
    if (keys.includes("q") || keys.includes("Q")) end();
    // In raw mode Ctrl-C is a key like any other.
    if (keys.includes("\x03")) end("SIGINT");
  };
  const leave = () => {
    if (stdin.isTTY === true) stdin.setRawMode(false);
    stdout.write(LEAVE);
  };

  process.once("exit", leave);
  for (const each of SIGNALS) process.on(each, end);
  if (stdin.isTTY === true) {
    stdin.setRawMode(true);
    stdin.on("data", onKey);
  }
  stdout.write(ENTER);
  stdout.on("resize", paint);
  try {
    while (!ending.signal.aborted) {
      paint();
      await sleep(SECOND, undefined, { signal: ending.signal }).catch(() => {});
      if (ending.signal.aborted) break;
      const refreshed = refresh().then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      // A watcher that does not answer must not keep anybody here.
      problem = await Promise.race([refreshed, ended]);
    }
  } finally {
    stdout.off("resize", paint);
    stdin.off("data", onKey).pause();
    for (const each of SIGNALS) process.off(each, end);
    process.off("exit", leave);
    leave();
  }
  // Whoever started us learns which signal it was; a request that is still open must not keep us.
  if (signal !== undefined) process.kill(process.pid, signal);
  else process.exit(0);
}
