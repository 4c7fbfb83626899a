import { setImmediate as othersFirst } from "node:timers/promises";
import { jsonOfItem } from "../../service/page.ts";

/** So much is sent at a time, and after so many items others get their turn. */
const PIECE = 64 * 1024;
const ITEMS = 200;

/**
 * An answer with a list that may be long. Its items are JSON already, made while it is sent: however long it is, it neither
 * stands in memory whole nor holds others up. An empty item is left out: it took time and has nothing to show.
 */
export class Listed {
  readonly #open: string;
  readonly #items: Iterable<string> | AsyncIterable<string>;
  readonly #close: () => string;

  /** `{...head, name: [items], ...tail}`; what comes after the list may depend on it. */
  constructor(
    name: string,
    items: Iterable<string> | AsyncIterable<string>,
    around: { readonly head?: object; readonly tail?: () => object; readonly brackets?: "[]" | "{}" } = {},
  ) {
    const { head = {}, tail = () => ({}), brackets = "[]" } = around;
    const before = inner(head);
    this.#open = `{${before}${before === "" ? "" : ","}${JSON.stringify(name)}:${brackets[0]}`;
    this.#items = items;
    this.#close = () => {
      const after = inner(tail());
      return `${brackets[1]}${after === "" ? "" : ","}${after}}\n`;
    };
  }

  /** The text, piece by piece; between pieces others get their turn. */
  async *pieces(): AsyncGenerator<string> {
    let piece = this.#open;
    let separator = "";
    let count = 0;
    for await (const item of this.#items) {
      count += 1;
      if (item !== "") {
        piece += `${separator}${item}`;
        separator = ",";
      }
      if (count % ITEMS === 0) await othersFirst();
      if (piece.length < PIECE) continue;
      yield piece;
      piece = "";
      await othersFirst();
    }
    yield piece + this.#close();
  }
}

/** What stands between the braces of an object. */
function inner(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}

/** Each as JSON, when it is its turn. */
export function* asJson(items: Iterable<object>): Generator<string> {
  for (const item of items) yield jsonOfItem(item);
}
