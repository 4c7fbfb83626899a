import { type FSWatcher, watch } from "node:fs";

/**
 * Calls for every file of a folder that changes. A host that has no watches left (inotify) is a problem to tell, not a
 * reason to end: whoever calls this looks at the folder by the clock as well.
 */
export function watchFolder(
  folder: string,
  changed: (name: string) => void,
  failed: (problem: string) => void,
): FSWatcher | undefined {
  try {
    const watcher = watch(folder, (_event, name) => {
      if (name !== null) changed(name);
    });
    watcher.on("error", ({ message }) => failed(message));
    return watcher;
  } catch (error) {
    failed(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
