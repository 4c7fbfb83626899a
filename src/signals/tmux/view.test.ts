import { expect, test } from "vitest";
import type { Pane } from "../../system/tmux-pane.ts";
import { View } from "./view.ts";

const T = 1_000_000;

/** A pane whose window was last written to at a second, and has that many panes. */
function pane(activity: number, panes = 1): Pane {
  return {
    ...{ id: "%0", pid: 7, sitting: "1$0", session: "s", window: { index: 0, name: "w", panes }, index: 0 },
    ...{ isActiveInWindow: true, activity: T + activity, alternate: false, paste: false, history: 0 },
    ...{ cursor: { x: 0, y: 0, hidden: false }, size: { width: 80, height: 24 } },
    ...{ isPiped: false, terminal: "/dev/pts/1", command: "cat", folder: "/", title: "" },
  };
}

const at = (second: number) => (T + second) * 1000;

test("the time of a window that it has to itself is that of the pane", () => {
  const view = new View();
  expect(view.frame(pane(1), at(5), "a\n")).toMatchObject({ bytes: 1, writtenAt: at(1) });
  expect(view.frame(pane(1), at(15), "a\n")).toMatchObject({ bytes: 0 });
  const written = view.frame(pane(20), at(25), "a\n");
  expect(written).toMatchObject({ bytes: 1, writtenAt: at(20) });
  expect(view.activity(written, at(25))).toMatchObject([{ kind: "activity", at: at(20) }]);
});

test("what was written beside it is not its own, also when the one beside it is gone", () => {
  const view = new View();
  view.frame(pane(1), at(5), "a\n");
  for (const frame of [
    view.frame(pane(100, 2), at(105), "a\n"),
    // The last of it was written after our look, and then it went.
    view.frame(pane(112), at(115), "a\n"),
    view.frame(pane(112), at(125), "a\n"),
  ]) {
    expect(frame.bytes).toBe(0);
    expect(frame).not.toHaveProperty("writtenAt");
    expect(view.activity(frame, at(125))).toEqual([]);
  }
  expect(view.frame(pane(130), at(135), "b\n")).toMatchObject({ bytes: 1, writtenAt: at(130) });
});
