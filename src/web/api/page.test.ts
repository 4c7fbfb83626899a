import { describe, expect, it } from "vitest";
import type { Page } from "../../ports/store.ts";
import { paged } from "./page.ts";

/** Reads a list of times to its end, page by page, as a client would. */
async function pages(times: readonly number[], limit: number): Promise<number[][]> {
  const list = async ({ limit, before = Number.POSITIVE_INFINITY }: Page) =>
    times.filter((time) => time < before).slice(0, limit);
  const read: number[][] = [];
  let url: URL | undefined = new URL(`http://localhost/list?limit=${limit}`);
  while (url !== undefined) {
    const before: string | null = url.searchParams.get("before");
    const page: { limit: number; before?: number } = {
      limit,
      ...(before === null ? {} : { before: Date.parse(before) }),
    };
    const { items, next }: { items: readonly number[]; next: string | null } = await paged(
      url,
      page,
      list,
      (time) => time,
    );
    read.push([...items]);
    url = next === null ? undefined : new URL(next, url);
  }
  return read;
}

describe("reading a list page by page", () => {
  it.each([
    ["ends at once if all fits", [3, 2, 1], 3, [[3, 2, 1]]],
    ["gives the rest on the next page", [5, 4, 3], 2, [[5, 4], [3]]],
    ["loses nothing of one moment at the edge", [5, 4, 4, 3], 2, [[5], [4, 4], [3]]],
    ["gives a moment whole, however much it holds", [4, 4, 4, 4, 3], 2, [[4, 4, 4, 4, 3]]],
    ["of nothing gives nothing", [], 2, [[]]],
  ])("%s", async (_, times, limit, expected) => {
    expect(await pages(times, limit)).toEqual(expected);
  });
});
