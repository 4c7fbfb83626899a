import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { configSchema } from "./schema.ts";
import { written } from "./written.ts";

const docs = new URL("../../docs/", import.meta.url);

/** Every example of a config in the docs that is right by itself. */
const examples = readdirSync(docs)
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) =>
    [...readFileSync(new URL(name, docs), "utf8").matchAll(/^```yaml\n(.*?)^```$/gms)].map(
      ([, text], index) => [`${name} ${index + 1}`, text ?? ""] as const,
    ),
  )
  .filter(([, text]) => configSchema.safeParse(parse(text) ?? {}).success);

describe("a config that is shown", () => {
  it("has examples to be tried with", () => expect(examples.length).toBeGreaterThan(10));

  it.each<readonly [string, string]>([["the defaults", ""], ...examples])(
    "reads as it was written: %s",
    (_, text) => {
      const config = configSchema.parse(parse(text) ?? {});
      const shown = stringify(written(configSchema, config));
      expect(configSchema.parse(parse(shown))).toEqual(config);
    },
  );
});
