import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { corpusOf } from "./corpus.ts";
import { inputOf } from "./mutate.ts";
import { TARGETS } from "./targets/index.ts";

const CORPUS = join(import.meta.dirname, "corpus");
/** Inputs for each parser. They are the same at every run; `npm run fuzz` reads on. */
const INPUTS = 250;

describe.each(TARGETS)("the parser of $name", (target) => {
  it("takes what it is made for, what once broke it, and what nobody would write", async () => {
    const parser = await target.open();
    const encoded = target.examples.map((example) => new TextEncoder().encode(example));
    for (const input of [...encoded, ...corpusOf(CORPUS, target.name).map((one) => one.input)])
      await parser.read(input);
    for (let at = 1; at <= INPUTS; at++) {
      try {
        await parser.read(inputOf(target, 1, at));
      } catch (error) {
        expect.fail(
          `input ${at} of seed 1 broke it: ${error instanceof Error ? error.stack : String(error)}`,
        );
      }
    }
    await parser.close();
  });
});
