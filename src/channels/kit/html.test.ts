import { expect, test } from "vitest";
import { escapeHtml } from "./plain.ts";

test("no tag, no entity and no end of an attribute is left", () => {
  expect(escapeHtml(`<a href="x">&lt;'</a>`)).toBe("&lt;a href=&quot;x&quot;&gt;&amp;lt;'&lt;/a&gt;");
});
