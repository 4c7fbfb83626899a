import * as z from "zod";
import { given } from "../../core/given.ts";
import { readOwnFile } from "../../system/files.ts";
import type { Proc } from "../../system/proc.ts";
import { lifeShape } from "../kit/existence.ts";
import type { Finder, FoundProcess } from "./find.ts";

/** Larger files are not journals. */
const LARGEST = 16 * 1024 * 1024;

/** What counts here of the journal that `rollcall run` writes. */
const journal = z.object({
  cycle: z.number(),
  beganAt: z.string(),
  incarnation: lifeShape.optional(),
  wrapper: lifeShape.optional(),
  outcome: z.string().optional(),
});

type Open = z.output<typeof journal>;
type Read = Open | "none" | "ended" | { readonly problem: string };

/**
 * The process of the cycle that a journal says is under way. Only if the one that looks after it is gone too did the
 * cycle end without an end: otherwise that one is about to write it, and to tell.
 */
export function findJournal(path: string, proc: Proc): Finder {
  return {
    find(): FoundProcess {
      const open = readOpen(path);
      if (typeof open === "string") return { how: "quiet" };
      if ("problem" in open) return { how: "unclear", problem: open.problem };
      const { incarnation, wrapper } = open;
      const stat = incarnation && proc.isAlive(incarnation) ? proc.stat(incarnation.pid) : undefined;
      if (stat !== undefined) return { how: "there", stat };
      if (incarnation === undefined && wrapper === undefined) return { how: "quiet" };
      if (wrapper !== undefined && proc.isAlive(wrapper)) return { how: "quiet" };
      // Between our reading and our looking it may have ended in good order, or another cycle may have begun.
      const again = readOpen(path);
      if (typeof again === "string" || "problem" in again || again.beganAt !== open.beganAt) {
        return { how: "quiet" };
      }
      const why = `cycle ${open.cycle} never ended`;
      const since = Date.parse(open.beganAt);
      return given({ how: "nobody", why, since: Number.isNaN(since) ? undefined : since, life: incarnation });
    },
  };
}

function readOpen(path: string): Read {
  let text: string;
  try {
    text = readOwnFile(path, LARGEST).toString("utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "none" : { problem: `the journal ${path} cannot be read (${code})` };
  }
  try {
    const read = journal.parse(JSON.parse(text));
    return read.outcome === undefined ? read : "ended";
  } catch {
    return { problem: `${path} is not a cycle's journal` };
  }
}
