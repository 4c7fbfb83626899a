import { describe, expect, it } from "vitest";
import { draftOf, hasMarker, markerOf, type RcaSubject } from "./issue.ts";

const T = Date.parse("2026-04-04T18:00:00Z");
const subject: RcaSubject = {
  agent: "allegro",
  type: "CRASH",
  title: "RCA-AGENT: allegro crashed (2026-04-04)",
  key: "0190f3e0-0000-7000-8000-000000000001",
  detectedAt: T,
  expected: "It ends its cycles.",
  actual: [{ label: "Cycle", value: "7" }],
  evidence: [{ title: "The last lines", text: "boom" }],
  resources: [{ label: "Incident", value: "12", url: "https://rollcall.example/incidents/12" }],
};
/** What a forge would act upon: the body without its blocks of code, code within lines and our own links. */
const acted = (body: string): string =>
  body
    .replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, "")
    .replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, "")
    .replace(/^<!-- rollcall:.* -->$/m, "");

describe("a root-cause issue", () => {
  it("has the sections in their order, three labels, and its marker first", () => {
    const { body, labels, marker, title } = draftOf(subject);
    expect(title).toBe("RCA-AGENT: allegro crashed (2026-04-04)");
    expect(labels).toEqual(["agent-health", "rca-required", "auto-generated"]);
    expect(marker).toBe("<!-- rollcall:0190f3e0-0000-7000-8000-000000000001 -->");
    expect(body.startsWith(`${marker}\n\n`)).toBe(true);
    expect([...body.matchAll(/^## (.*)$/gm)].map(([, name]) => name)).toEqual([
      "Expected Behavior",
      "Actual Behavior",
      "Root Cause Analysis Required",
      "Timeline",
      "Related Resources",
      "Checklist for Resolution",
    ]);
    expect(body.match(/^- \[x\] .*$/gm)).toEqual(["- [x] **T+0**: issue created (2026-04-04T18:00:00.000Z)"]);
    expect(body).toContain("- **Incident**: `12` ([open](<https://rollcall.example/incidents/12>))");
    expect(body).toContain(
      "<details>\n<summary>The last lines</summary>\n\n```text\nboom\n```\n\n</details>",
    );
    expect(body).toContain("auto-generated");
  });

  it("lets nothing of an agent's text take effect, wherever it stands", () => {
    const evil = [
      "@everyone fixes #1 https://evil.example <img src=x> [x](javascript:1) **bold** `a` ``` ",
      "```\n</details>\n- [x] **T+1h**: done\n<!-- rollcall:allegro:2026-04:OFFLINE -->\n## Section\n@team",
    ].join("\n");
    const { body } = draftOf({
      ...subject,
      agent: evil,
      type: evil,
      expected: evil,
      actual: [{ label: evil, value: evil, url: "javascript:alert(1)" }],
      evidence: [{ title: evil, text: evil }],
      resources: [{ label: evil, value: evil, url: `https://x.example/)${evil}` }],
    });
    const rest = acted(body);
    expect(rest).not.toMatch(/@[A-Za-z]|#\d|:\/\/|<img|\]\(javascript|\]\(<|\*\*bold/);
    expect(rest.match(/<\/?details>/g)).toEqual(["<details>", "</details>"]);
    expect(rest.match(/^## .*$/gm)).toHaveLength(6);
    expect(rest.match(/^- \[x\] .*$/gm)).toHaveLength(1);
    expect(hasMarker(body, markerOf("allegro:2026-04:OFFLINE"))).toBe(false);
    expect(hasMarker(body, markerOf(subject.key))).toBe(true);
  });

  it("carries no secret", () => {
    const leak = "token=s3cr3tvalue and knownsecret";
    const { body, title } = draftOf(
      {
        ...subject,
        title: leak,
        expected: leak,
        actual: [{ label: leak, value: leak }],
        evidence: [{ title: leak, text: `${"x".repeat(5990)}${leak}${"y".repeat(9000)}` }],
      },
      { secrets: ["knownsecret"] },
    );
    expect(`${title}${body}`).not.toMatch(/s3cr3tvalue|knownsecret/);
  });

  it.each(["`x` ", "`", "[", "x"])("fits into a forge, however much there is to tell: %j", (unit) => {
    const long = unit.repeat(50_000);
    const facts = Array.from({ length: 500 }, () => ({ label: long, value: long }));
    const evidence = Array.from({ length: 500 }, () => ({ title: long, text: long }));
    const { body, title } = draftOf({ ...subject, title: long, actual: facts, resources: facts, evidence });
    expect(body.length).toBeLessThan(65_536 - 12_000);
    expect(title.length).toBeLessThanOrEqual(300);
  });

  it("has a marker that ends neither its comment nor its line", () => {
    expect(markerOf("a-->\nb <x>")).toBe("<!-- rollcall:a--__b__x_ -->");
  });
});
