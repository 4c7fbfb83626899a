import type { Activity } from "../../core/liveness/observation.ts";
import { blankScreen, type Frame, type Screen } from "../../core/screen/screen.ts";
import type { Pane } from "../../system/tmux-pane.ts";
import { screenOf } from "./screen.ts";

/** What is seen of one pane over time: it is captured only if something may have changed. */
export class View {
  #screen: Screen = blankScreen();
  #pane: Pane | undefined;
  #capturedAt = 0;
  /** The window's time when it was last shared: it may be that of a pane beside this one. */
  #shared = 0;
  #looks = 0;

  /** Whether the pane must be captured. */
  mayHaveChanged(pane: Pane): boolean {
    const last = this.#pane;
    if (last?.id !== pane.id || last.sitting !== pane.sitting || last.pid !== pane.pid) return true;
    if (last.activity !== pane.activity || last.title !== pane.title) return true;
    // Its clock counts whole seconds: in the second of our capture more may have been written after it.
    return pane.activity >= Math.floor(this.#capturedAt / 1000);
  }

  /** A frame for the reader, from a new capture or from the last one. */
  frame(pane: Pane, now: number, capture: string | undefined): Frame {
    const last = this.#pane?.id === pane.id && this.#pane.sitting === pane.sitting ? this.#pane : undefined;
    const before = this.#screen;
    if (capture !== undefined) {
      this.#screen = screenOf(pane, capture);
      this.#capturedAt = now;
    }
    this.#pane = pane;
    this.#looks += 1;
    // Who was beside it may have written between our last look and its own end.
    if (pane.window.panes > 1 || (last?.window.panes ?? 1) > 1) this.#shared = pane.activity;
    const isOwn = pane.activity > this.#shared;
    const wasWritten = isOwn && pane.activity !== last?.activity;
    const wrote = last === undefined || wasWritten || differ(before, this.#screen);
    return {
      t: now,
      screen: this.#screen,
      bytes: wrote ? 1 : 0,
      scrolled: last === undefined ? 0 : Math.max(0, pane.history - last.history),
      ...(isOwn && { writtenAt: Math.min(now, pane.activity * 1000) }),
    };
  }

  /** That something was written, whatever it says: what a silent log is compared with. */
  activity(frame: Frame, seenAt: number): readonly Activity[] {
    // At first sight of a pane that shares its window nothing tells when it was written.
    const isDated = frame.writtenAt !== undefined || this.#looks > 1;
    if (frame.bytes === 0 || !isDated) return [];
    const at = frame.writtenAt ?? seenAt;
    return [{ kind: "activity", signal: "tmux", at, seenAt, context: "unknown" }];
  }
}

function differ(a: Screen, b: Screen): boolean {
  return a !== b && JSON.stringify(a) !== JSON.stringify(b);
}
