import { describe, expect, it } from "vitest";
import { DEFAULT_TEMPLATE, fillIn, PLACEHOLDERS, templateProblem } from "./template.ts";

const values = Object.fromEntries(PLACEHOLDERS.map((name) => [name, `<${name}>`])) as Parameters<
  typeof fillIn
>[1];

describe("a template", () => {
  it("of our own is right, and asks for everything", () => {
    expect(templateProblem(DEFAULT_TEMPLATE)).toBeUndefined();
    for (const name of PLACEHOLDERS) expect(fillIn(DEFAULT_TEMPLATE, values)).toContain(`<${name}>`);
  });

  it("is filled in once: a value is never a placeholder, and a dollar sign is a dollar sign", () => {
    const filled = fillIn("{{agent}} {{ failure }}", { ...values, agent: "{{failure}}", failure: "$& $1" });
    expect(filled).toBe("{{failure}} $& $1");
  });

  it.each([
    ["a\n{{agnet}}", "line 2: there is no placeholder {{agnet}}; did you mean {{agent}}?"],
    ["{{}}", "line 1: there is no placeholder {{}}; expected one of {{agent}}, {{name}}, {{failure}}"],
    ["{{constructor}}", "line 1: there is no placeholder {{constructor}}; expected one of"],
  ])("is refused with a placeholder that there is not: %j", (template, problem) => {
    expect(templateProblem(template)).toContain(problem);
  });

  it("may do without placeholders, and single braces are text", () => {
    expect(templateProblem("see {x} and { {agent} }")).toBeUndefined();
  });
});
