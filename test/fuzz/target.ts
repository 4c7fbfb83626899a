/** A parser of the product, as the fuzzer feeds it. */
export interface Target {
  readonly name: string;
  /** Inputs that the product takes; what is made up is made from them. */
  readonly examples: readonly string[];
  /** Words and values that mean something to this parser. */
  readonly words: readonly string[];
  /** The longest input that is made up, in bytes. */
  readonly longest?: number;
  readonly open: () => Promise<Parser>;
}

export interface Parser {
  /** Reads an input as the product does. It throws only where the product has a fault. */
  read(input: Uint8Array): Promise<void> | void;
  close(): Promise<void> | void;
}

/** A parser that keeps nothing between two inputs. */
export function stateless(read: Parser["read"]): Target["open"] {
  return async () => ({ read, close: () => {} });
}

/** Throws where a rule is broken. */
export function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`broken: ${rule}`);
}
