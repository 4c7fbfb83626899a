import { type Instant, iso } from "../duration.ts";
import { cleaned, codeSpan, fenced, prose, shortened } from "./harmless.ts";
import { DEFAULT_TEMPLATE, fillIn } from "./template.ts";

/** One thing that is known: what it is, and what it is like. Both may come from an agent. */
export interface Fact {
  readonly label: string;
  readonly value: string;
  /** Where to read more; only addresses of the web become links. */
  readonly url?: string;
}

export interface EvidenceText {
  readonly title: string;
  readonly text: string;
}

/** What a root-cause issue is about: a failed tick, or any incident. */
export interface RcaSubject {
  readonly agent: string;
  /** What people call it; its id where it has no other name. */
  readonly name?: string;
  /** MISSING_TICK, CRITICAL_STATUS, OFFLINE, INVALID_TICK, CRASH, STALL, … */
  readonly type: string;
  readonly title: string;
  /** What makes it the same issue for everybody: `agent:month:type` for ticks, the id of an incident. */
  readonly key: string;
  readonly detectedAt: Instant;
  readonly expected: string;
  readonly actual: readonly Fact[];
  readonly evidence: readonly EvidenceText[];
  readonly resources: readonly Fact[];
}

/** An issue that is to be filed. */
export interface IssueDraft {
  readonly marker: string;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
}

/** By this label issues of ours are found again. */
export const AUTO_GENERATED = "auto-generated";
const RCA_LABELS = ["agent-health", "rca-required", AUTO_GENERATED] as const;

// Together these stay below the 65,536 characters that GitHub takes, with a template of up to 12,000.
const LONGEST_TEXT = 5000;
const MOST_TEXTS = 5;
const LONGEST_VALUE = 300;
const LONGEST_LABEL = 60;
const MOST_FACTS = 20;
const LONGEST_TITLE = 250;

/** The hidden line by which an issue is found again. */
export function markerOf(key: string): string {
  // Whatever else stands in a key, it ends neither the comment nor the line.
  return `<!-- rollcall:${key.replace(/[^\w@:.-]/g, "_")} -->`;
}

/** Whether a text carries the marker, in a line of its own: a quotation within a line is none. */
export function hasMarker(body: string, marker: string): boolean {
  return body.split("\n").some((line) => line.trim() === marker);
}

/** Whether a text carries any marker of ours in a line of its own. */
export function isMarked(body: string): boolean {
  return body.split("\n").some((line) => /^<!-- rollcall:[\w@:.-]+ -->$/.test(line.trim()));
}

/** The issue for a subject. The template has been checked (`templateProblem`); secrets are taken out of everything. */
export function draftOf(
  subject: RcaSubject,
  { template = DEFAULT_TEMPLATE, secrets = [] }: { template?: string; secrets?: readonly string[] } = {},
): IssueDraft {
  const clean = (text: string, longest = LONGEST_VALUE): string => shortened(cleaned(text, secrets), longest);
  const fact = ({ label, value, url }: Fact): string => {
    const said = `- **${prose(clean(label, LONGEST_LABEL))}**: ${codeSpan(clean(value))}`;
    const link = cleaned(url ?? "", secrets);
    return /^https?:\/\/[^\s<>()[\]"'`\\]+$/.test(link) ? `${said} ([open](<${link}>))` : said;
  };
  const facts = (all: readonly Fact[]): string =>
    all.slice(0, MOST_FACTS).map(fact).join("\n") || "- (nothing known)";
  const marker = markerOf(subject.key);
  const filled = fillIn(template, {
    agent: prose(clean(subject.agent)),
    name: prose(clean(subject.name ?? subject.agent)),
    failure: prose(clean(subject.type)),
    detected: iso(subject.detectedAt),
    expected: prose(clean(subject.expected)),
    actual: facts(subject.actual),
    evidence: subject.evidence
      .slice(0, MOST_TEXTS)
      .map(({ title, text }) =>
        folded(prose(clean(title, LONGEST_LABEL)), clean(text.trimEnd(), LONGEST_TEXT)),
      )
      .join("\n\n"),
    resources: facts(subject.resources),
  });
  const title = clean(subject.title, LONGEST_TITLE).replace(/\s+/g, " ").trim();
  return { marker, title, body: `${marker}\n\n${filled}`, labels: RCA_LABELS };
}

/** Folded away until somebody wants to see it. The empty lines make the block markdown again. */
function folded(title: string, text: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${fenced(text)}\n\n</details>`;
}
