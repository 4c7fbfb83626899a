import type { Instant } from "../../core/duration.ts";
import { tickInMarker } from "../../core/rca/filed-issue.ts";
import { AUTO_GENERATED, hasMarker, type IssueDraft, isMarked } from "../../core/rca/issue.ts";
import { firstInstant } from "../../core/tick/period.ts";
import type { Done, Filed, Forge, ForgeIssue, Trouble } from "../../ports/forge.ts";

/** Which issues to list. */
export interface WantedIssues {
  readonly state: "all" | "open";
  readonly label?: string;
  /** Only those that changed at this time or later. */
  readonly since?: Instant;
}

/** The requests of one kind of forge. What follows from the replies is decided in `forgeBy`, alike for all kinds. */
export interface Dialect extends Pick<Forge, "name" | "read" | "comments" | "comment" | "edit"> {
  /** Why labels would get lost; undefined if the token may set them, or if the forge does not say. */
  whyNoLabels(): Promise<Trouble | undefined>;
  /** Goes through the issues, all pages, until `take` has what it wants. */
  list(
    what: string,
    wanted: WantedIssues,
    take: (issue: ForgeIssue) => boolean,
  ): Promise<Trouble | undefined>;
  /** Creates an issue, and the labels that are missing before it. */
  create(draft: IssueDraft): Promise<Done<{ readonly issue: ForgeIssue }>>;
  /** Adds labels to an issue, and creates those that are missing. */
  addLabels(number: number, names: readonly string[]): Promise<Done>;
}

/** A forge by its dialect. The order of `file` is what keeps a failure from being filed twice. */
export function forgeBy(dialect: Dialect): Forge {
  const { name, read, comments, comment, edit } = dialect;

  async function find(marker: string): Promise<Done<{ issue: ForgeIssue | undefined }>> {
    let found: ForgeIssue | undefined;
    const wanted = { state: "all", label: AUTO_GENERATED } as const;
    const trouble = await dialect.list("look for the issue", wanted, (issue) => {
      if (hasMarker(issue.body, marker)) found = issue;
      return found !== undefined;
    });
    return trouble ?? { outcome: "done", issue: found };
  }

  /** An issue for the same tick that a person or another program filed: the open one, or else the oldest. */
  async function twinOf(draft: IssueDraft): Promise<Done<{ issue: ForgeIssue | undefined }>> {
    const tick = tickInMarker(draft.marker);
    // Two incidents of one day may have one title: only the title of a tick says which failure it is.
    if (tick === undefined) return { outcome: "done", issue: undefined };
    const twins: ForgeIssue[] = [];
    // Nobody files a failure of a month before the month begins.
    const wanted = { state: "all", since: firstInstant(tick.month) } as const;
    const what = `look for an issue with the same title since ${tick.month}`;
    const trouble = await dialect.list(what, wanted, (issue) => {
      if (isTwin(issue, draft)) twins.push(issue);
      return false;
    });
    const rank = ({ state, number }: ForgeIssue) =>
      (state === "open" ? 0 : Number.MAX_SAFE_INTEGER / 2) + number;
    const [issue] = twins.sort((a, b) => rank(a) - rank(b));
    return trouble ?? { outcome: "done", issue };
  }

  /** Makes an issue ours. Each step does nothing the second time, so that a run that was killed can be repeated. */
  async function adopt({ number, url, labels }: ForgeIssue, draft: IssueDraft): Promise<Filed> {
    const missing = draft.labels.filter((label) => !labels.includes(label));
    const labelled = missing.length === 0 ? undefined : await dialect.addLabels(number, missing);
    if (labelled !== undefined && labelled.outcome !== "done") return about(labelled, number);
    // Read last, and changed at once: what people write meanwhile is not overwritten.
    const now = await read(number);
    if (now.outcome !== "done") return about(now, number);
    const { body } = now.issue;
    if (!hasMarker(body, draft.marker)) {
      const marked = await edit(number, { body: `${draft.marker}\n\n${body}` });
      if (marked.outcome !== "done") return about(marked, number);
    }
    return { outcome: "found", number, url };
  }

  return {
    ...{ name, read, comments, comment, edit, find },

    async file(draft) {
      const known = await find(draft.marker);
      if (known.outcome !== "done") return known;
      // Gitea gives issues without the label as long as no issue has it.
      if (known.issue?.labels.includes(AUTO_GENERATED))
        return { outcome: "found", number: known.issue.number, url: known.issue.url };
      const twin = known.issue === undefined ? await twinOf(draft) : known;
      if (twin.outcome !== "done") return twin;
      const unable = await dialect.whyNoLabels();
      if (unable !== undefined) return unable;
      if (twin.issue !== undefined) return adopt(twin.issue, draft);
      const made = await dialect.create(draft);
      if (made.outcome !== "done") return made;
      return { outcome: "created", number: made.issue.number, url: made.issue.url };
    },

    async open(label) {
      const issues: ForgeIssue[] = [];
      const trouble = await dialect.list("list the issues", { state: "open", label }, (issue) => {
        // A forge that does not know the label may give everything.
        const has = issue.labels.some((each) => each.toLowerCase() === label.toLowerCase());
        if (has && issue.state === "open") issues.push(issue);
        return false;
      });
      return trouble ?? { outcome: "done", issues: issues.sort((a, b) => a.number - b.number) };
    },
  };
}

/** An issue that carries the marker of another failure is about that one. */
function isTwin({ title, body }: ForgeIssue, draft: IssueDraft): boolean {
  const same = title.replace(/\s+/g, " ").trim() === draft.title;
  return same && (!isMarked(body) || hasMarker(body, draft.marker));
}

function about(trouble: Trouble, number: number): Trouble {
  return {
    ...trouble,
    problem: `issue #${number} has the same title, but could not be adopted: ${trouble.problem}`,
  };
}

/** The refusal to file with a token whose labels the forge would drop without a word: nobody would find the issue again. */
export const MAY_NOT_LABEL: Trouble = {
  outcome: "refused",
  problem: "could not create the issue: the token may not set labels; give it write access to the repository",
};
