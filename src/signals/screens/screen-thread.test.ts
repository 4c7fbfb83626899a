import { expect, test } from "vitest";
import { ScreenThread } from "./screen-thread.ts";
import type { Drawing } from "./screens.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const none = new Uint8Array(0);
const drawing = (terminal: number, text: string, more: Partial<Drawing> = {}): Drawing => ({
  ...{ terminal, open: {}, before: none, bytes: bytes(text) },
  ...more,
});
const onlyBytes = (terminal: number, text: string): Drawing => ({
  ...{ terminal, before: none, bytes: bytes(text) },
});

/** Each three of these bytes fill half a million cells. */
const hostile = { open: { cols: 1000, rows: 500 }, bytes: bytes("\x1b#8".repeat(300_000)) };

test("a screen that takes too long fails alone, and the others are drawn on a new thread", async () => {
  const thread = new ScreenThread({ zone: "UTC", packs: [] });
  const [first, bad, waited] = await Promise.allSettled([
    thread.draw(drawing(1, "one")),
    thread.draw(drawing(2, "", hostile)),
    thread.draw(drawing(3, "three")),
  ]);
  expect(first).toMatchObject({ value: { screen: { rows: { 0: "one" } } } });
  expect(bad).toMatchObject({
    reason: { message: expect.stringMatching(/^drawing its screen took longer than [14] s$/) },
  });
  expect(waited).toMatchObject({ value: { screen: { rows: { 0: "three" } } } });
  // What was drawn on the thread that was ended is lost, and says so.
  expect(await thread.draw(onlyBytes(1, " more"))).toBe(undefined);
  expect(await thread.draw(onlyBytes(3, " more"))).toMatchObject({ screen: { rows: { 0: "three more" } } });
  for (const terminal of [1, 2, 3]) thread.drop(terminal);
  expect(await thread.draw(onlyBytes(3, " more"))).toBe(undefined);
});

test("a look that was broken off while it waited is not drawn", async () => {
  const thread = new ScreenThread({ zone: "UTC", packs: [] });
  const abort = new AbortController();
  const drawn = thread.draw(drawing(1, "one"));
  const late = thread.draw(drawing(1, "two"), abort.signal);
  abort.abort();
  await expect(late).rejects.toThrow("cancelled");
  await drawn;
  expect(await thread.draw(onlyBytes(1, "!"))).toMatchObject({ screen: { rows: { 0: "one!" } } });
});
