import { fstatSync } from "node:fs";
import type { Flip } from "../../core/liveness/verdict.ts";
import { dim, onThisClock, paintState, plain, say } from "./terminal.ts";

/** Nothing rotates a file that our output was sent to, so it gets the first flips only; the log has them all. */
const MOST_IN_A_FILE = 1_000_000;

export function flipPrinter(): (flip: Flip) => void {
  let left = isFile(process.stdout.fd) ? MOST_IN_A_FILE : Number.POSITIVE_INFINITY;
  return (flip) => {
    if (left <= 0) return;
    const line = sayFlip(flip);
    say(line);
    left -= line.length;
    if (left <= 0) say("No more changes are shown here; they are in logs/rollcall.log in the home.");
  };
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    // It was closed before we began.
    return false;
  }
}

export function sayFlip({ agent, from, to, at, why }: Flip): string {
  const time = new Date(at).toTimeString().slice(0, 8);
  return `${dim(time)}  ${agent}: ${from} → ${paintState(to)}  ${dim(onThisClock(plain(why), Date.now()))}`;
}
