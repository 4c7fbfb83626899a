import { chmodSync, closeSync, constants, openSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { basename, dirname } from "node:path";

/** The kernel takes no longer path for a socket; other systems than Linux take 4 bytes less. */
const LONGEST = process.platform === "linux" ? 107 : 103;

/**
 * A path for a socket that the kernel takes. If the real one is too long, Linux reaches the same file through the open
 * folder; `release` closes it again.
 */
export function socketPath(path: string): { readonly path: string; readonly release: () => void } {
  if (Buffer.byteLength(path) <= LONGEST || process.platform !== "linux") return { path, release: () => {} };
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${folder}/${basename(path)}`, release: () => closeSync(folder) };
}

/**
 * Listens at a socket that its owner alone can open; resolves with what to call once it is closed. One that a killed
 * watcher left behind is replaced: whoever calls this holds the home's lock, so no living watcher listens there.
 */
export function listenAtSocket(server: Server, file: string): Promise<() => void> {
  rmSync(file, { force: true });
  const { path, release } = socketPath(file);
  return new Promise((done, failed) => {
    const refused = (error: Error) => {
      release();
      failed(error);
    };
    server.once("error", refused);
    server.listen(path, 1024, () => {
      server.off("error", refused);
      done(release);
    });
    // The socket exists as soon as `listen` returns, and nobody is served before this turn is over.
    if (server.listening) chmodSync(file, 0o600);
  });
}
