/** A box that people tick in an issue: the line that it stands in, the headings above it, and what it says. */
export interface Box {
  readonly line: number;
  /** The headings that it stands under, outermost first: `["Root Cause Analysis Required", "1. What happened?"]`. */
  readonly headings: readonly string[];
  readonly text: string;
  readonly ticked: boolean;
}

const BOX = /^\s*[-*+] \[([ xX])\] (.*)$/;
const HEADING = /^(#{1,6}) +(.*?)\s*#*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The boxes of an issue. What stands in blocks of code is an agent's text, and no box of ours. */
export function boxesIn(body: string): Box[] {
  const boxes: Box[] = [];
  let headings: { readonly level: number; readonly title: string }[] = [];
  let fence = "";
  for (const [line, text] of body.split("\n").entries()) {
    const marks = FENCE.exec(text)?.[1] ?? "";
    if (fence !== "") {
      if (marks.startsWith(fence) && text.trim() === marks) fence = "";
      continue;
    }
    if (marks !== "") {
      fence = marks;
      continue;
    }
    const [, { length: level } = "", title = ""] = HEADING.exec(text) ?? [];
    if (level > 0) headings = [...headings.filter((each) => each.level < level), { level, title }];
    const [, mark, said = ""] = BOX.exec(text) ?? [];
    if (mark === undefined) continue;
    boxes.push({ line, headings: headings.map((each) => each.title), text: said, ticked: mark !== " " });
  }
  return boxes;
}

/** The issue with some of its boxes ticked; the rest stays as people left it. */
export function withTicks(body: string, boxes: readonly Box[]): string {
  const lines = body.split("\n");
  for (const { line } of boxes) lines[line] = (lines[line] ?? "").replace("[ ]", "[x]");
  return lines.join("\n");
}
