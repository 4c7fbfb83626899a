import { redact } from "../redact.ts";

/** Invisible, and enough to keep a forge from seeing a mention, a reference or an address. */
const JOINER = "\u200d";
const ESCAPES = /\x1b\[[0-9;:<=>?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]/g;
/** Control and invisible characters, except newline and tab. They could split a secret, or turn the text around. */
const UNSEEN = /[\p{Cf}\u2028\u2029]|(?![\n\t])\p{Cc}/gu;

/** A text without terminal escapes and invisible characters. Both could split a secret, so that nothing finds it. */
export function visible(text: string): string {
  return text.replace(ESCAPES, "").replace(/\r\n?/g, "\n").replace(UNSEEN, "").toWellFormed();
}

/** An agent's text without terminal escapes, invisible characters and secrets. It cannot pass for our marker. */
export function cleaned(text: string, secrets: readonly string[] = []): string {
  return redact(visible(text), secrets).replaceAll("<!--", `<${JOINER}!--`);
}

/** A text as a block of code, whose fence is longer than any that stands in it. */
export function fenced(text: string): string {
  const broken = brokenUp(text);
  const fence = "`".repeat(Math.max(3, longestRun(broken) + 1));
  return `${fence}text\n${broken}\n${fence}`;
}

/** A text as code within a line. */
export function codeSpan(text: string): string {
  const line = brokenUp(text.replace(/\s+/g, " ").trim());
  if (line === "") return "(nothing)";
  const ticks = "`".repeat(longestRun(line) + 1);
  return /^`|`$/.test(line) ? `${ticks} ${line} ${ticks}` : `${ticks}${line}${ticks}`;
}

/** A run of thousands of backticks would need fences as long. */
function brokenUp(text: string): string {
  return text.replace(/`{40}(?=`)/g, (run) => `${run}${JOINER}`);
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

const ENTITIES: Readonly<Record<string, string>> = { "<": "&lt;", "&": "&amp;" };

/** A text within a line of prose, of which no markup, mention, reference or address takes effect. */
export function prose(text: string): string {
  return (
    text
      .replace(/\s+/g, " ")
      .trim()
      // Within a word an underscore is no markup, and names such as MISSING_TICK stay as they are.
      .replace(
        /[\\`*[\]()<>#|~&$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g,
        (sign) => ENTITIES[sign] ?? `\\${sign}`,
      )
      .replace(/^(\d*)([-+=.!])/, "$1\\$2")
      .replace(/@/g, `@${JOINER}`)
      .replace(/#/g, `#${JOINER}`)
      .replace(/:\/\//g, `:${JOINER}//`)
      .replace(/www\./gi, (www) => `${www.slice(0, 3)}${JOINER}.`)
  );
}

/** The beginning and the end of a text that is too long, the end being what tells most. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = Math.floor(longest / 4);
  const left = text.length - longest;
  const joined = `${text.slice(0, head)}\n[… ${left} characters left out …]\n${text.slice(text.length - (longest - head))}`;
  return joined.toWellFormed();
}
