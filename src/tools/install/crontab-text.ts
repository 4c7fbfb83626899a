import { InstallError } from "../../home/install-error.ts";

/** Whose lines stand in a block: those of the daemon, of one agent, or of the monthly ticks. */
export type BlockName = "daemon" | `agent ${string}` | "ticks";

const BEGIN = /^# >>> rollcall (.+?) >>>\s*$/;
const END = /^# <<< rollcall <<<\s*$/;

/** A stretch of a crontab: a block of ours, or lines of others. */
interface Stretch {
  readonly block: string | undefined;
  readonly text: string;
}

/**
 * The crontab with the block in it: in its place if it is there, at the end otherwise. Everything else stays byte for
 * byte, except that a last line without a newline gets one.
 */
export function withBlock(crontab: string, name: BlockName, lines: readonly string[]): string {
  const block = `# >>> rollcall ${name} >>>\n${lines.map((line) => `${line}\n`).join("")}# <<< rollcall <<<\n`;
  const stretches = stretchesOf(crontab);
  const first = stretches.findIndex((stretch) => stretch.block === name);
  if (first !== -1) {
    return join(
      stretches.filter(({ block: other }, i) => i === first || other !== name).map(replaceAt(first)),
    );
  }
  return `${crontab}${crontab === "" || crontab.endsWith("\n") ? "" : "\n"}${block}`;

  function replaceAt(index: number): (stretch: Stretch, i: number) => Stretch {
    return (stretch, i) => (i === index ? { block: name, text: block } : stretch);
  }
}

/** The crontab without the block; everything else stays byte for byte. */
export function withoutBlock(crontab: string, name: BlockName): string {
  return join(stretchesOf(crontab).filter(({ block }) => block !== name));
}

/** The blocks of ours, in their order. */
export function blocksIn(crontab: string): string[] {
  return stretchesOf(crontab).flatMap(({ block }) => (block === undefined ? [] : [block]));
}

function join(stretches: readonly Stretch[]): string {
  return stretches.map(({ text }) => text).join("");
}

function stretchesOf(crontab: string): Stretch[] {
  const stretches: Stretch[] = [];
  let open: { name: string; text: string; line: number } | undefined;
  for (const [index, line] of (crontab.match(/[^\n]*\n|[^\n]+$/g) ?? []).entries()) {
    const begun = BEGIN.exec(line)?.[1];
    if (open !== undefined && begun !== undefined) break;
    if (open === undefined && begun === undefined) stretches.push({ block: undefined, text: line });
    else if (open === undefined) open = { name: begun ?? "", text: line, line: index + 1 };
    else open.text += line;
    if (open !== undefined && END.test(line)) {
      stretches.push({ block: open.name, text: open.text });
      open = undefined;
    }
  }
  if (open === undefined) return stretches;
  // Which of the following lines are ours cannot be told, and a line of somebody else must not be lost.
  throw new InstallError(
    "broken-block",
    `line ${open.line} of the crontab begins the block "${open.name}", which does not end with "# <<< rollcall <<<"; ` +
      "correct it with crontab -e",
  );
}
