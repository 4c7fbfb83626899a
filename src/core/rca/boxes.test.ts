import { expect, it } from "vitest";
import { boxesIn, withTicks } from "./boxes.ts";

const BODY = `## Root Cause Analysis Required
### 1. What happened?
- [ ] Error logs
  * [X] nested
#### A detail
- [ ] deeper
### 2. Why did it happen?
- [ ] Code regression
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
  expect(boxesIn(BODY).map(({ headings, text, ticked }) => [headings, text, ticked])).toEqual([
    [["Root Cause Analysis Required", "1. What happened?"], "Error logs", false],
    [["Root Cause Analysis Required", "1. What happened?"], "nested", true],
    [["Root Cause Analysis Required", "1. What happened?", "A detail"], "deeper", false],
    [["Root Cause Analysis Required", "2. Why did it happen?"], "Code regression", false],
    [["Timeline"], "**T+0**: created", true],
    [["Timeline"], "**T+1h**: answer", false],
  ]);
});

it("ticks what it is told and nothing else", () => {
  const open = boxesIn(BODY).filter(({ text }) => text.startsWith("**T+1h"));
  expect(withTicks(BODY, open)).toBe(BODY.replace("- [ ] **T+1h**", "- [x] **T+1h**"));
});
