// Runs as a SharedWorker: one stream for all tabs of this browser. A browser opens about six connections to one
// address, and a stream takes one for as long as it is open: with a stream each, the seventh tab would never load.
import { EventStream, type StreamNews } from "./event-stream.ts";

/** What a tab wants: to hear the stream, to end it for all (its session may not read), or to hear nothing. */
export type TabWish = "open" | "close" | "leave";

const tabs = new Set<MessagePort>();

const stream = new EventStream(tellAll);

function tellAll(news: StreamNews): void {
  // A tab that crashed never left: what it is sent goes nowhere, and does no harm.
  for (const tab of tabs) tab.postMessage(news);
}

addEventListener("connect", (event) => {
  const [tab] = (event as MessageEvent).ports;
  if (tab === undefined) return;
  tab.onmessage = ({ data: wish }: MessageEvent<TabWish>) => {
    if (wish === "leave") tabs.delete(tab);
    else tabs.add(tab);
    if (wish === "open") {
      stream.open();
      if (stream.isOpen) tab.postMessage({ is: "open" } satisfies StreamNews);
    } else if (wish === "close" || tabs.size === 0) {
      if (stream.close()) tellAll({ is: "broken" });
    }
  };
});
