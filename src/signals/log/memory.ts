import * as z from "zod";

const modes = z.object({
  title: z.string(),
  code: z.string(),
  progress: z.boolean(),
  alternate: z.boolean(),
  paste: z.boolean(),
  hidden: z.boolean(),
});

/** What is known of a log from one look to the next: where we stand in it, and what stood there. */
const logMemory = z.object({
  ...{ path: z.string(), dev: z.number(), ino: z.number() },
  /** How it was when it was last looked at. */
  ...{ size: z.number(), modifiedAt: z.number() },
  /** When something was last written, as far as we can tell, and when we noticed that. */
  ...{ grewAt: z.number(), seenAt: z.number() },
  /** Up to where it was read, and the bytes before that place, by which the same log is known again. */
  ...{ offset: z.number(), mark: z.string() },
  modes: modes.optional(),
});

export type LogMemory = z.output<typeof logMemory>;

/** A memory that is none (another version's, a damaged one) is forgotten. */
export function restoreLog(data: unknown): LogMemory | undefined {
  return logMemory.safeParse(data).data;
}
