import { closeSync, openSync, readSync } from "node:fs";

const LOOK_EVERY = 100;
const CHUNK = 64 * 1024;

/** Shows what is appended to a file from an offset on, as it comes. The answer shows the rest and stops. */
export function follow(file: string, from: number, show: (bytes: Buffer) => void): () => void {
  const fd = openSync(file, "r");
  const buffer = Buffer.alloc(CHUNK);
  let offset = from;
  const look = (): void => {
    for (;;) {
      const count = readSync(fd, buffer, 0, CHUNK, offset);
      if (count === 0) return;
      offset += count;
      show(Buffer.from(buffer.subarray(0, count)));
    }
  };
  const timer = setInterval(look, LOOK_EVERY);
  return () => {
    clearInterval(timer);
    look();
    closeSync(fd);
  };
}
