import { EventStream, type StreamNews } from "./event-stream.ts";
import type { TabWish } from "./stream-worker.ts";

/** The stream as a tab sees it: shared with the other tabs, or its own where the browser cannot share one. */
export function sharedStream(tell: (news: StreamNews) => void): (wish: TabWish) => void {
  let [wished, ask]: [TabWish, (wish: TabWish) => void] = ["leave", ownStream(tell)];
  const address = document.getElementById("app")?.dataset.stream;
  if (typeof SharedWorker === "function" && address !== undefined) {
    const worker = new SharedWorker(address, { type: "module" });
    worker.port.onmessage = ({ data }: MessageEvent<StreamNews>) => tell(data);
    worker.onerror = () => {
      // It could not be started: the tab goes on alone.
      worker.port.onmessage = null;
      ask = ownStream(tell);
      ask(wished);
    };
    ask = (wish) => worker.port.postMessage(wish);
  }
  return (wish) => {
    wished = wish;
    ask(wish);
  };
}

function ownStream(tell: (news: StreamNews) => void): (wish: TabWish) => void {
  const stream = new EventStream(tell);
  return (wish) => {
    if (wish === "open") stream.open();
    else stream.close();
  };
}
