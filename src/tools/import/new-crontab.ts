import type { Imported, Wake } from "./imported.ts";

/**
 * The crontab after the move: each old line that can go is gone, a new one stands in its place, so that the variables above
 * it still hold, and everything else is as it was. Undefined if nothing changes.
 */
export function newCrontab(
  old: string,
  { wakes, canGo }: Pick<Imported, "wakes" | "canGo">,
  blockOf: (wake: Wake) => string,
): string | undefined {
  const gone = new Set(canGo.flatMap(({ line }) => line ?? []));
  if (wakes.length === 0 && gone.size === 0) return undefined;
  const lines = old.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const kept = lines.map((line, index) => {
    const here = wakes.filter(({ replaces }) => replaces === index).map(blockOf);
    if (here.length > 0) return here.join("");
    return gone.has(index) ? "" : `${line.replace(/\n$/, "")}\n`;
  });
  const added = wakes.filter(({ replaces }) => replaces === undefined).map(blockOf);
  return [...kept, ...added].join("");
}
