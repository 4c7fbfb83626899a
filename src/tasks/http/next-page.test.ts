import { describe, expect, it } from "vitest";
import { nextPage } from "./index.ts";

const url = "https://board.example/v1/tasks?page=1";
const at = (link: string | undefined, next?: unknown) => nextPage({ url, link, next }, "board");

describe("the next page", () => {
  it.each<[string, string | undefined, unknown, string | undefined]>([
    ["none", undefined, undefined, undefined],
    ["null at the end", undefined, null, undefined],
    ["a query in the body", undefined, "?page=2", "https://board.example/v1/tasks?page=2"],
    ["a path in the body", undefined, "/v2/tasks#top", "https://board.example/v2/tasks"],
    ["a link", '<https://board.example/x?page=2>; rel="next"', undefined, "https://board.example/x?page=2"],
    [
      "a link among others",
      '</a>; rel="prev", </b>; title="x, y"; rel="last next", </c>; rel=last',
      null,
      "https://board.example/b",
    ],
    ["a link without quotes", "<?page=9>; rel=next", undefined, "https://board.example/v1/tasks?page=9"],
    ["a link before the body", "<?page=3>; rel=next", "?page=2", "https://board.example/v1/tasks?page=3"],
    ["links to other things", '<?page=1>; rel="prev"', undefined, undefined],
    ["a broken link", "<?page=1; rel=next", undefined, undefined],
  ])("is read from %s", (_, link, next, found) => {
    expect(at(link, next)).toBe(found);
  });

  it.each<[unknown, string]>([
    [2, "an address, or null at the end"],
    ["http://[", "an address, or null at the end"],
    ["https://evil.example/", "an address on the same server"],
    ["http://board.example/", "an address on the same server"],
    ["//evil.example/", "an address on the same server"],
    ["file:///etc/passwd", "an address on the same server"],
    ["https://u:p@board.example/", "an address without a user or a password"],
  ])("is refused if it is %s", (next, expected) => {
    expect(() => at(undefined, next)).toThrow(
      expect.objectContaining({ code: "bad-paging", message: `board: next: expected ${expected}` }),
    );
  });
});
