import { AUTO_GENERATED, hasMarker, type IssueDraft } from "../core/rca/issue.ts";
import type { Done, Filed, Forge, ForgeComment, ForgeIssue, Trouble } from "../ports/forge.ts";
import { type Connection, PAGE } from "./connection.ts";

/** Where the two kinds of forge differ: in how labels are named in a request, and in how a reply is read. */
export interface Dialect {
  readonly name: string;
  readonly connection: Connection;
  /** `/repos/org/fleet` */
  readonly root: string;
  /** How the size of a page is called. */
  readonly pageSize: "limit" | "per_page";
  /** Labels as the call that creates takes them; those that are missing are made. */
  labels(names: readonly string[]): Promise<{ readonly labels: readonly (string | number)[] } | Trouble>;
  issue(value: unknown): ForgeIssue | undefined;
  comment(value: unknown): ForgeComment | undefined;
}

/** A forge by its dialect. The order of `file` is what keeps a failure from being filed twice. */
export function forgeBy(dialect: Dialect): Forge {
  const { connection, root, pageSize } = dialect;

  async function list(
    what: string,
    query: string,
    take: (issue: ForgeIssue) => boolean,
  ): Promise<Trouble | undefined> {
    const path = `${root}/issues?${query}&${pageSize}=${PAGE}`;
    return connection.pages(what, path, (items) =>
      items.some((item) => {
        const issue = dialect.issue(item);
        return issue !== undefined && take(issue);
      }),
    );
  }

  async function one(
    what: string,
    method: "GET" | "POST" | "PATCH",
    path: string,
    body?: unknown,
  ): Promise<Done<{ issue: ForgeIssue }>> {
    const answer = await connection.ask(what, method, path, body === undefined ? {} : { body });
    if ("trouble" in answer) return answer.trouble;
    const issue = dialect.issue(answer.reply.value);
    if (issue !== undefined) return { outcome: "done", issue };
    return { outcome: "retry", problem: `could not ${what}: the reply is not an issue` };
  }

  const forge: Forge = {
    name: dialect.name,

    async file(draft: IssueDraft): Promise<Filed> {
      const known = await forge.find(draft.marker);
      if (known.outcome !== "done") return known;
      if (known.issue !== undefined)
        return { outcome: "found", number: known.issue.number, url: known.issue.url };
      const unable = await whyNoLabels(connection, root);
      if (unable !== undefined) return unable;
      const labelled = await dialect.labels(draft.labels);
      if ("outcome" in labelled) return labelled;
      const { title, body } = draft;
      const made = await one("create the issue", "POST", `${root}/issues`, {
        title,
        body,
        labels: labelled.labels,
      });
      if (made.outcome !== "done") return made;
      return { outcome: "created", number: made.issue.number, url: made.issue.url };
    },

    async find(marker) {
      let found: ForgeIssue | undefined;
      const trouble = await list("look for the issue", `state=all&labels=${AUTO_GENERATED}`, (issue) => {
        if (hasMarker(issue.body, marker)) found = issue;
        return found !== undefined;
      });
      return trouble ?? { outcome: "done", issue: found };
    },

    read: (number) => one("read the issue", "GET", `${root}/issues/${number}`),

    async comments(number) {
      const comments: ForgeComment[] = [];
      const seen = new Set<number>();
      const path = `${root}/issues/${number}/comments?${pageSize}=${PAGE}`;
      const trouble = await connection.pages("read the comments", path, (items) => {
        const fresh = items.filter((item) => isNew(item, seen));
        comments.push(...fresh.flatMap((item) => dialect.comment(item) ?? []));
        // A forge that knows no pages of comments gives all of them again.
        return fresh.length === 0;
      });
      return trouble ?? { outcome: "done", comments };
    },

    async comment(number, body) {
      const path = `${root}/issues/${number}/comments`;
      const answer = await connection.ask("comment on the issue", "POST", path, { body: { body } });
      return "trouble" in answer ? answer.trouble : { outcome: "done" };
    },

    async edit(number, change) {
      const done = await one("change the issue", "PATCH", `${root}/issues/${number}`, change);
      return done.outcome === "done" ? { outcome: "done" } : done;
    },

    async open(label) {
      const issues: ForgeIssue[] = [];
      const trouble = await list(
        "list the issues",
        `state=open&labels=${encodeURIComponent(label)}`,
        (issue) => {
          // A forge that does not know the label may give everything.
          const has = issue.labels.some((each) => each.toLowerCase() === label.toLowerCase());
          if (has && issue.state === "open") issues.push(issue);
          return false;
        },
      );
      return trouble ?? { outcome: "done", issues: issues.sort((a, b) => a.number - b.number) };
    },
  };
  return forge;
}

/**
 * Both forges drop labels without a word if the token may not set them, and then nobody would find the issue again. A
 * token that may not even read the repository tells nothing.
 */
async function whyNoLabels(connection: Connection, root: string): Promise<Trouble | undefined> {
  const answer = await connection.ask("read the repository", "GET", root, { allow: [403, 404] });
  if ("trouble" in answer) return answer.trouble;
  const { permissions } = (answer.reply.value ?? {}) as {
    permissions?: { push?: boolean; triage?: boolean };
  };
  if (permissions?.push !== false || permissions.triage === true) return undefined;
  return {
    outcome: "refused",
    problem:
      "could not create the issue: the token may not set labels; give it write access to the repository",
  };
}

function isNew(item: unknown, seen: Set<number>): boolean {
  const id = (item as { id?: unknown } | null)?.id;
  if (typeof id !== "number" || seen.has(id)) return false;
  seen.add(id);
  return true;
}
