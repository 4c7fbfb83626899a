import { describe, expect, it } from "vitest";
import type { HistoryPage } from "../ports/store.ts";
import { type ListPage as PageOf, type PageStart, placeIn, placeQuery } from "./page.ts";
import { historyPage } from "./read-page.ts";

type Read = PageOf<{ readonly time: number }>;

/** Reads a list of times to its end, page by page, as a client would. */
async function pages(times: readonly number[], limit: number, size = 1): Promise<number[][]> {
  const list = async ({ limit, before = Number.POSITIVE_INFINITY, skip = 0 }: HistoryPage) =>
    times
      .filter((time) => time < before)
      .slice(skip, skip + limit)
      .map((at) => ({ at }));
  const read: number[][] = [];
  let place: PageStart | null = {};
  while (place !== null) {
    const show = ({ at: time }: { at: number }) => ({ time, text: "x".repeat(size) });
    const query: URLSearchParams = new URLSearchParams(placeQuery(place));
    const page: Read = await historyPage({ ...placeIn(query), limit }, "at", show, list);
    read.push(page.items.map(({ time }) => time));
    place = page.next;
  }
  return read;
}

describe("reading a list page by page", () => {
  it.each([
    ["ends at once if all fits", [3, 2, 1], 3, [[3, 2, 1]]],
    ["gives the rest on the next page", [5, 4, 3], 2, [[5, 4], [3]]],
    [
      "loses nothing of one moment at the edge",
      [5, 4, 4, 3],
      2,
      [
        [5, 4],
        [4, 3],
      ],
    ],
    [
      "goes on within one moment",
      [4, 4, 4, 4, 4, 3],
      2,
      [
        [4, 4],
        [4, 4],
        [4, 3],
      ],
    ],
    [
      "goes on within one moment that is no whole millisecond",
      [4.5, 4.5, 4.25, 3],
      1,
      [[4.5], [4.5], [4.25], [3]],
    ],
    ["of nothing gives nothing", [], 2, [[]]],
  ])("%s", async (_, times, limit, expected) => {
    expect(await pages(times, limit)).toEqual(expected);
  });

  it("ends a page before it is too large, and loses nothing", async () => {
    const times = Array.from({ length: 30 }, (_, n) => 30 - Math.floor(n / 3));
    const read = await pages(times, 10_000, 400_000);
    expect(read.map((page) => page.length)).toEqual([10, 10, 10]);
    expect(read.flat()).toEqual(times);
    // One that is too large for any page is a page of its own.
    expect(await pages([3, 2], 10, 5 * 1024 * 1024)).toEqual([[3], [2]]);
  });

  it("reads many small ones in lots", async () => {
    const times = Array.from({ length: 1000 }, (_, n) => 1000 - Math.floor(n / 7));
    expect((await pages(times, 999)).map((page) => page.length)).toEqual([999, 1]);
    expect((await pages(times, 999)).flat()).toEqual(times);
  });
});
