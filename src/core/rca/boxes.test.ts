import { expect, it } from "vitest";
import { boxesIn, withTicks } from "./boxes.ts";

const BODY = `## Root Cause Analysis Required
### 1. What happened?
- [ ] Error logs
  * [X] nested
\`\`\`\`text
- [x] not a box
\`\`\`
- [x] neither
## Timeline
\`\`\`\`
~~~
- [ ] nor this
~~~
## Timeline ##
+ [x] **T+0**: created
- [] no box
- [ ]no box
- [ ] **T+1h**: answer`;

it("finds the boxes of an issue under their headings, and none in code", () => {
  expect(boxesIn(BODY).map(({ section, heading, text, ticked }) => [section, heading, text, ticked])).toEqual(
    [
      ["Root Cause Analysis Required", "1. What happened?", "Error logs", false],
      ["Root Cause Analysis Required", "1. What happened?", "nested", true],
      ["Timeline", "Timeline", "**T+0**: created", true],
      ["Timeline", "Timeline", "**T+1h**: answer", false],
    ],
  );
});

it("ticks what it is told and nothing else", () => {
  const open = boxesIn(BODY).filter(({ text }) => text.startsWith("**T+1h"));
  expect(withTicks(BODY, open)).toBe(BODY.replace("- [ ] **T+1h**", "- [x] **T+1h**"));
});
