import type { Instant } from "../core/duration.ts";
import { AUTO_GENERATED, hasMarker, type IssueDraft } from "../core/rca/issue.ts";
import type { Done, Forge, ForgeIssue, Trouble } from "../ports/forge.ts";

/** Which issues to list. */
export interface Wanted {
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
  list(what: string, wanted: Wanted, take: (issue: ForgeIssue) => boolean): Promise<Trouble | undefined>;
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

  return {
    ...{ name, read, comments, comment, edit, find },

    async file(draft) {
      const known = await find(draft.marker);
      if (known.outcome !== "done") return known;
      if (known.issue !== undefined)
        return { outcome: "found", number: known.issue.number, url: known.issue.url };
      const unable = await dialect.whyNoLabels();
      if (unable !== undefined) return unable;
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

/** The refusal to file with a token whose labels the forge would drop without a word: nobody would find the issue again. */
export const MAY_NOT_LABEL: Trouble = {
  outcome: "refused",
  problem: "could not create the issue: the token may not set labels; give it write access to the repository",
};
