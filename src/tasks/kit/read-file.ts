import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** A file's bytes, or why it is not read. Rejects with the error of the system, or when it is told to stop. */
export async function readFileUpTo(
  path: string,
  most: number,
  abort: AbortSignal,
): Promise<Uint8Array | "no-file" | "too-large"> {
  abort.throwIfAborted();
  // A pipe that was put in the file's place must not hang the reader.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return "no-file";
    if (stat.size > most) return "too-large";
    const bytes = await file.readFile({ signal: abort });
    return bytes.length > most ? "too-large" : bytes;
  } finally {
    await file.close();
  }
}
