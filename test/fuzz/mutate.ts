import { Chance } from "../../sim/chance.ts";
import type { Target } from "./target.ts";

/** No input is longer, unless a parser says so: a longer one would only be slower. */
const LONGEST = 64 * 1024;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Input number `at` of a seed. It depends on nothing else, so that a number is enough to see it again. */
export function inputOf(
  { examples, words, longest = LONGEST }: Target,
  seed: number,
  at: number,
): Uint8Array {
  const chance = new Chance(seed * 1_000_003 + at);
  let input = bytesOf(chance.hit(0.3) ? restructured(chance, examples) : chance.one(examples));
  for (let left = chance.between(0, 8); left > 0; left--)
    input = chance.one(CHANGES)(input, chance, examples, words);
  return input.subarray(0, longest);
}

type Change = (
  input: Uint8Array,
  chance: Chance,
  examples: readonly string[],
  words: readonly string[],
) => Uint8Array;

const CHANGES: readonly Change[] = [
  // A bit, a byte.
  (input, chance) => changed(input, chance, (byte) => byte ^ (1 << chance.between(0, 7))),
  (input, chance) => changed(input, chance, () => chance.one(ODD_BYTES)),
  // A piece is gone, comes twice, or comes very often.
  (input, chance) => {
    const [from, to] = piece(input, chance);
    return joined(input.subarray(0, from), input.subarray(to));
  },
  (input, chance) => {
    const [from, to] = piece(input, chance);
    return joined(input.subarray(0, to), input.subarray(from));
  },
  (input, chance) => {
    const [from, to] = piece(input, chance, 16);
    const times = chance.one([3, 20, 300, 5000]);
    const many = Array.from({ length: times }, () => input.subarray(from, to));
    return joined(input.subarray(0, to), ...many, input.subarray(to)).subarray(0, LONGEST);
  },
  // A word of the parser's own, or an odd value, somewhere.
  (input, chance, _, words) => inserted(input, chance, bytesOf(chance.one(words))),
  (input, chance, _, words) => inserted(input, chance, bytesOf(chance.one(words))),
  (input, chance) => inserted(input, chance, bytesOf(chance.one(ODD_TEXTS))),
  // The beginning of one and the end of another; or it is cut short.
  (input, chance, examples) => {
    const other = bytesOf(chance.one(examples));
    const [from] = piece(input, chance);
    const [to] = piece(other, chance);
    return joined(input.subarray(0, from), other.subarray(to));
  },
  (input, chance) => input.subarray(0, chance.between(0, input.length)),
];

const ODD_BYTES = [
  0, 7, 9, 10, 13, 27, 34, 39, 58, 59, 91, 92, 93, 123, 125, 127, 0x80, 0x90, 0x9b, 0xc0, 0xff,
];

const ODD_TEXTS = [
  ...["0", "-1", "1e400", "9007199254740993", "2147483647", "-2147483648", "0x10", "NaN", "1e-400"],
  ...[
    "null",
    "true",
    "[]",
    "{}",
    '""',
    "__proto__",
    "constructor",
    "\u0000",
    "\ufeff",
    "\u202e",
    "\ud83d\ude00",
  ],
  ...[
    "../../etc/passwd",
    "/dev/zero",
    "%00",
    "%ff",
    "\\u0000",
    "\\ud800",
    "\r\n",
    "\u2028",
    "$HOME",
    "$(id)",
  ],
];

function piece({ length }: Uint8Array, chance: Chance, longest = length): [number, number] {
  const from = chance.between(0, Math.max(0, length - 1));
  return [from, Math.min(length, from + chance.between(1, Math.max(1, longest)))];
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

function changed(input: Uint8Array, chance: Chance, change: (byte: number) => number): Uint8Array {
  if (input.length === 0) return input;
  const copy = Uint8Array.from(input);
  const at = chance.between(0, copy.length - 1);
  copy[at] = change(copy[at] ?? 0);
  return copy;
}

function inserted(input: Uint8Array, chance: Chance, word: Uint8Array): Uint8Array {
  const at = chance.between(0, input.length);
  const to = chance.hit(0.5) ? at : Math.min(input.length, at + word.length);
  return joined(input.subarray(0, at), word, input.subarray(to));
}

/** An example that is JSON, with one of its values replaced by an odd one. Others stay as they are. */
function restructured(chance: Chance, examples: readonly string[]): string {
  const text = chance.one(examples);
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(replaced(value, chance));
  } catch {
    return text;
  }
}

function replaced(value: unknown, chance: Chance): unknown {
  if (typeof value !== "object" || value === null || chance.hit(0.2)) return oddValue(chance);
  const keys = Object.keys(value);
  if (keys.length === 0) return oddValue(chance);
  const key = chance.one(keys);
  const inner: unknown = Reflect.get(value, key);
  if (Array.isArray(value)) return value.with(Number(key), replaced(inner, chance));
  return { ...value, [chance.hit(0.1) ? `${key}s` : key]: replaced(inner, chance) };
}

function oddValue(chance: Chance): unknown {
  return chance.one<() => unknown>([
    () => null,
    () => chance.hit(0.5),
    () => chance.one([0, -1, 0.5, 1e21, Number.MAX_SAFE_INTEGER + 1, -1e308]),
    () => "x".repeat(chance.one([0, 1, 127, 128, 1001, 10_001])),
    () =>
      chance.one([
        "\ud800",
        "\u0000",
        "2026-13-45T99:00:00Z",
        "9999-12-31T23:59:59Z",
        "-000001-01-01T00:00:00Z",
      ]),
    () => nested(chance.one([2, 100, 3000])),
    () =>
      JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as unknown,
    () => [],
    () => ({}),
  ])();
}

function nested(depth: number): unknown {
  let value: unknown = "deep";
  for (let left = depth; left > 0; left--) value = [value];
  return value;
}
