import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Removes a folder where somebody who was just ended may still be writing. Node's own retries try the folder again, but not
 * the files that came meanwhile.
 */
export async function removeFolder(folder: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY" || tries === 100) throw error;
    }
    await sleep(100);
  }
}
