import * as z from "zod";
import type { Instant } from "../../core/duration.ts";
import type { LogFile } from "../../session-log/template.ts";
import type { Modes } from "./feed.ts";

/** What is known of a log from one look to the next: where we stand in it, and what stood there. */
export interface LogMemory {
  path: string;
  dev: number;
  ino: number;
  /** How it was when it was last looked at. */
  size: number;
  modifiedAt: Instant;
  /** When something was last written, as far as we can tell. */
  grewAt: Instant;
  /** When we noticed that. */
  seenAt: Instant;
  /** Up to where it was read, and the bytes before that place, by which the same log is known again. */
  offset: number;
  mark: string;
  modes?: Modes;
}

const modes = z.looseObject({
  title: z.string(),
  code: z.string(),
  progress: z.boolean(),
  alternate: z.boolean(),
  paste: z.boolean(),
  hidden: z.boolean(),
});

const logMemory = z.looseObject({
  path: z.string(),
  dev: z.number(),
  ino: z.number(),
  size: z.number(),
  modifiedAt: z.number(),
  grewAt: z.number(),
  seenAt: z.number(),
  offset: z.number(),
  mark: z.string(),
  modes: modes.optional(),
});

/** A memory that is none (another version's, a damaged one) is forgotten. */
export function restoreLog(data: unknown): LogMemory | undefined {
  const checked = logMemory.safeParse(data);
  return checked.success ? (structuredClone(checked.data) as unknown as LogMemory) : undefined;
}

export function isSameFile(known: LogMemory, file: LogFile): boolean {
  return known.ino === file.ino && known.dev === file.dev;
}

/** Same file, same size, same time: nothing was written. */
export function isUnchanged(known: LogMemory, file: LogFile): boolean {
  return known.size === file.size && known.modifiedAt === file.modifiedAt && isSameFile(known, file);
}
