// The thread that draws and reads screens, so that nothing that an agent writes holds up the watcher. It does one thing
// after the other; `ScreenThread` ends it if that takes too long.
import { parentPort, workerData } from "node:worker_threads";
import { threadFolder } from "../../system/proc.ts";
import { loadPacks } from "./packs.ts";
import type { ScreenAnswer, ScreenMessage, ScreenThreadDeps } from "./screen-thread.ts";
import { openScreens } from "./screens.ts";

const port = parentPort;
if (port === null) throw new Error("this file is the entry of a worker thread, not a program");
const { packs, zone } = workerData as ScreenThreadDeps;
const screens = openScreens(loadPacks(packs), zone);

const answer = async (message: ScreenMessage): Promise<void> => {
  if ("drop" in message) {
    screens.drop(message.drop);
    return;
  }
  let reply: ScreenAnswer;
  try {
    reply = {
      value: "draw" in message ? await screens.draw(message.draw) : await screens.read(message.read),
    };
  } catch (error) {
    reply = { failed: error instanceof Error ? error.message : String(error) };
  }
  port.postMessage(reply);
};

// A terminal is not dropped while it is drawn on.
let last: Promise<void> = Promise.resolve();
port.on("message", (message: ScreenMessage) => {
  last = last.then(() => answer(message));
});
port.postMessage({ value: threadFolder() } satisfies ScreenAnswer);
