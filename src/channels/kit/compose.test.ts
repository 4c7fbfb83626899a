import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../../core/delivery/message.ts";
import { compose, type Dress, LEFT_OUT } from "./compose.ts";
import { inBytes } from "./shorten.ts";

const dress = (limit: number): Dress => ({
  limit,
  title: (text) => `# ${text}`,
  line: (text) => text,
  command: (text) => `$ ${text}`,
  link: (text) => `<${text}>`,
  footer: (text) => `ref ${text}`,
});
const message = (more: Partial<Message> = {}): Message => ({
  severity: "resolved",
  title: "builder is back",
  lines: ["since 12:00"],
  ...more,
});

test("parts stand in their order, each on its own line", () => {
  const all = message({ commands: ["rollcall status"], links: ["https://example.org/1"] });
  expect(compose(all, "k1", dress(500))).toBe(
    "# ✅ builder is back\nsince 12:00\n$ rollcall status\n<https://example.org/1>\nref k1",
  );
});

test("a line that does not fit is cut, and what comes before and after it stays", () => {
  const text = compose(
    message({ lines: ["x".repeat(900)], commands: ["rollcall status"] }),
    "k1",
    dress(200),
  );
  expect(text.length).toBeLessThanOrEqual(200);
  expect(text).toMatch(/^# ✅ builder is back\nx+…\n\$ rollcall status\nref k1$/);
});

test("a command or an address that does not fit is not cut, and that is said", () => {
  const long = message({
    commands: ["rm -rf /tmp/a", `rm -rf /${"x".repeat(300)}`],
    links: ["https://example.org/"],
  });
  const text = compose(long, "k1", dress(400));
  expect(text).toContain("$ rm -rf /tmp/a\n");
  expect(text).toContain(LEFT_OUT);
  expect(text).not.toContain("rm -rf /x");
});

test.each(["javascript:alert(1)", "https://example.org/ <x>", 'https://x/"', "tg://resolve?domain=x"])(
  "%j is words and no link",
  (link) => {
    expect(compose(message({ links: [link] }), "k1", dress(500))).toContain(`\n${link}\nref`);
  },
);

test("a text with line ends is one line", () => {
  expect(compose(message({ title: "a\nb", lines: ["c\r\n# d"] }), "k\n1", dress(500))).toBe(
    "# ✅ a b\nc # d\nref k 1",
  );
});

test("whatever it is, it fits", () => {
  const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 300 }), { maxLength: 8 });
  fc.assert(
    fc.property(
      fc.string(),
      texts,
      texts,
      texts,
      fc.integer({ min: 250, max: 900 }),
      (title, lines, commands, links, limit) => {
        const text = compose(message({ title, lines, commands, links }), "k1", {
          ...dress(limit),
          measure: inBytes,
        });
        expect(inBytes(text)).toBeLessThanOrEqual(limit);
        expect(text.endsWith("ref k1")).toBe(true);
      },
    ),
  );
});
