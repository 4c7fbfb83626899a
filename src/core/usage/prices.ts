import type { Tokens } from "./usage.ts";

/** US dollars for a million tokens of input and of output. */
interface Price {
  readonly input: number;
  readonly output: number;
}

/**
 * The list prices of well-known models, as they were published in early 2026; the first that fits counts. What a user really pays
 * depends on their contract: a client that tells the cost itself is believed before this.
 */
const PRICES: readonly (readonly [RegExp, Price])[] = [
  [/3-opus|opus-4(?:-[01](?:\b|-)|-20|$|@)/, { input: 15, output: 75 }],
  [/opus/, { input: 5, output: 25 }],
  [/sonnet/, { input: 3, output: 15 }],
  [/haiku-4/, { input: 1, output: 5 }],
  [/3-haiku/, { input: 0.25, output: 1.25 }],
  [/haiku/, { input: 0.8, output: 4 }],
  [/gpt-5[\w.-]*-nano/, { input: 0.05, output: 0.4 }],
  [/gpt-5[\w.-]*-mini/, { input: 0.25, output: 2 }],
  [/gpt-5\.2[\w.-]*-pro/, { input: 21, output: 168 }],
  [/gpt-5\.[2-9]/, { input: 1.75, output: 14 }],
  [/gpt-5/, { input: 1.25, output: 10 }],
  [/flash-lite/, { input: 0.1, output: 0.4 }],
  [/gemini-3[\w.]*-?flash/, { input: 0.5, output: 3 }],
  [/gemini-3/, { input: 2, output: 12 }],
  [/gemini-[\w.]*-?flash/, { input: 0.3, output: 2.5 }],
  [/gemini/, { input: 1.25, output: 10 }],
];

/** Input that the service had kept costs a tenth, and input that it is asked to keep a quarter more. */
const [READ, WRITE] = [0.1, 1.25];
const MILLION = 1_000_000;

/** What tokens cost by the list, in US dollars; undefined for a model that is not on it. */
export function listPrice(model: string, tokens: Tokens): number | undefined {
  const price = PRICES.find(([name]) => name.test(model))?.[1];
  if (price === undefined) return undefined;
  const input = tokens.input + READ * tokens.cacheRead + WRITE * tokens.cacheWrite;
  return (input * price.input + tokens.output * price.output) / MILLION;
}
