import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { configSchema } from "../src/config/schema.ts";
import { PROBLEMS } from "../src/web/kit/problem.ts";
import { configReference, staleExamples } from "./config-reference.ts";
import { root } from "./product.ts";

describe("the docs say what the code does", () => {
  it("docs/api.md lists every problem code with its status", () => {
    const listed = [
      ...readFileSync(`${root}docs/api.md`, "utf8").matchAll(/^\| `([a-z-]+)` \| (\d{3}) \|$/gm),
    ];
    const inCode = Object.entries(PROBLEMS).map(([code, [status]]) => `${code} ${status}`);
    expect(listed.map(([, code, status]) => `${code} ${status}`).sort()).toEqual(inCode.sort());
  });

  it("docs/config.md is what npm run docs:config writes, with a description and an example of each key", () => {
    const page = readFileSync(`${root}docs/config.md`, "utf8");
    expect(page).toBe(configReference());
    expect(page.split("\n").filter((line) => line.includes("| ? |"))).toEqual([]);
    expect(staleExamples()).toEqual([]);
  });

  it("docs/incidents.md shows good configs, every setting of the policy, and its defaults", () => {
    const page = readFileSync(`${root}docs/incidents.md`, "utf8");
    const examples = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text]) =>
      configSchema.parse(parse(text ?? "")),
    );
    expect(examples).toHaveLength(4);
    const [example] = examples;
    const { policy } = configSchema.parse({});
    const { hold, group, timeout, remind } = policy;
    expect(example?.policy).toMatchObject({ hold, group, timeout, remind });
    const known = Object.keys(configSchema.shape.policy.unwrap().shape);
    expect(Object.keys(example?.policy ?? {}).sort()).toEqual(known.sort());
  });
});
