import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { InstallError } from "../../home/install-error.ts";
import { runNow } from "../../system/exec.ts";
import { locked } from "../../system/lock.ts";

interface EditOptions {
  /** The program that reads and writes the crontab of the user. */
  readonly crontab: string;
  /** A folder of ours for the lock, so that two changes at once are both made. */
  readonly folder: string;
  /** Gives the new text. Each character stands for one byte. */
  readonly edit: (crontab: string) => string;
}

/** Reads the crontab, changes it, writes it and reads it back. Says whether there was anything to change. */
export function editCrontab({ crontab, folder, edit }: EditOptions): boolean {
  const first = readCrontab(crontab);
  if (edit(first) === first) return false;
  return locked(join(folder, "crontab.lock"), () => {
    const before = readCrontab(crontab);
    const after = edit(before);
    if (after === before) return false;
    write(crontab, after);
    if (readCrontab(crontab) === after) return true;
    const saved = join(folder, "crontab.before");
    writeFileSync(saved, before, { encoding: "latin1", mode: 0o600 });
    throw new InstallError(
      "crontab-failed",
      `the crontab is not as Rollcall wrote it; look at it with crontab -l (the one before: ${saved})`,
    );
  });
}

/**
 * The crontab of the user, one character a byte, because lines of others need not be UTF-8. Status 1 means both that
 * there is none and that it cannot be read; only the first one may be taken for an empty one.
 */
export function readCrontab(program: string): string {
  const { status, stdout, stderr } = runNow(program, ["-l"], { env: { ...process.env, LC_ALL: "C" } });
  if (status === 0) return stdout.toString("latin1");
  if (status === undefined) {
    throw new InstallError("no-cron", `cannot run ${program} (${stderr}); install cron first`);
  }
  if (status === 1 && /\bno crontab for\b|can't open .*: No such file/i.test(stderr)) return "";
  throw new InstallError(
    "crontab-failed",
    `${program} -l failed, so Rollcall wrote nothing: ${stderr || `status ${status}`}`,
  );
}

function write(program: string, text: string): void {
  const input = Buffer.from(text, "latin1");
  const { status, stderr } = runNow(program, ["-"], { env: { ...process.env, LC_ALL: "C" }, input });
  if (status === 0) return;
  throw new InstallError("crontab-failed", `${program} - failed: ${stderr || `status ${status}`}`);
}

/** Whose lines stand in a block: those of the daemon, of one agent, or of the monthly ticks. */
export type BlockName = "daemon" | `agent ${string}` | "ticks";

const BEGIN = /^# >>> rollcall (.+?) >>>\s*$/;
const END = /^# <<< rollcall <<<\s*$/;
/** A line of the user's own that a block stands in for. It comes back when the block goes. */
const BEFORE = "# before: ";

/** A stretch of a crontab: a block of ours, or lines of others. */
interface Stretch {
  readonly block: string | undefined;
  readonly text: string;
}

/** The comment that keeps a line of the user's own inside the block that replaces it. */
export function keptLine(line: string): string {
  return `${BEFORE}${line}`;
}

/**
 * The crontab with the block in it: in its place if it is there, at the end otherwise. Everything else stays byte for
 * byte, except that a last line without a newline gets one. Lines that the old block keeps stay in the new one.
 */
export function withBlock(crontab: string, name: BlockName, lines: readonly string[]): string {
  const stretches = stretchesOf(crontab);
  const kept = stretches.filter(({ block }) => block === name).flatMap(({ text }) => keptIn(text));
  const inside = [...lines, ...kept.map((line) => keptLine(line))];
  const block = `# >>> rollcall ${name} >>>\n${inside.map((line) => `${line}\n`).join("")}# <<< rollcall <<<\n`;
  const first = stretches.find((stretch) => stretch.block === name);
  if (first === undefined) return `${crontab}${crontab === "" || crontab.endsWith("\n") ? "" : "\n"}${block}`;
  const stay = stretches.filter((stretch) => stretch === first || stretch.block !== name);
  return textOf(stay.map((stretch) => (stretch === first ? { block: name, text: block } : stretch)));
}

/** The crontab without the block, and with the lines that it keeps; everything else stays byte for byte. */
export function withoutBlock(crontab: string, name: string): string {
  return textOf(
    stretchesOf(crontab).map((stretch) =>
      stretch.block === name
        ? {
            block: undefined,
            text: keptIn(stretch.text)
              .map((line) => `${line}\n`)
              .join(""),
          }
        : stretch,
    ),
  );
}

/** The names of the blocks that keep lines of the user's own. */
export function blocksWithKeptLines(crontab: string): string[] {
  return stretchesOf(crontab).flatMap(({ block, text }) =>
    block === undefined || keptIn(text).length === 0 ? [] : [block],
  );
}

function keptIn(block: string): string[] {
  return block
    .split("\n")
    .filter((line) => line.startsWith(BEFORE))
    .map((line) => line.slice(BEFORE.length));
}

/** The blocks of ours, in their order. */
export function blocksIn(crontab: string): string[] {
  return stretchesOf(crontab).flatMap(({ block }) => (block === undefined ? [] : [block]));
}

function textOf(stretches: readonly Stretch[]): string {
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
