import { iso } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import type { Forge, ForgeComment, ForgeIssue, Trouble } from "../../ports/forge.ts";
import { forgeAdapter } from "../kit/adapter.ts";
import { Connection, type ForgeAccess, PAGE } from "../kit/connection.ts";
import { forgeBy, MAY_NOT_LABEL } from "../kit/filing.ts";
import { allComments, labelNames, oneIssue, sendComment } from "../kit/issue-requests.ts";
import { readComment, readIssue } from "../kit/read-issue.ts";

/** What GitLab calls otherwise in an issue than others do: `iid` counts within the project. */
type GitLabIssue = { readonly [Name in "iid" | "web_url" | "description"]?: unknown } | null | undefined;
/** A note is a comment, or with `system` GitLab's own record of a change. */
type GitLabNote =
  | { readonly author?: { readonly username?: unknown } | null; readonly system?: unknown }
  | null
  | undefined;

interface GitLabProject {
  readonly permissions?: Partial<
    Record<"project_access" | "group_access", { readonly access_level?: number } | null>
  >;
}

const LABEL = { color: "#b60205", taken: 409 };
/** The lowest role that may set labels: the planner. */
const PLANNER = 15;

export const gitlabForge = forgeAdapter(
  { kind: "gitlab", home: "https://gitlab.com", api: "/api/v4", files: "-/blob", nested: true },
  gitlab,
);

/** GitLab, by version 4 of its REST API. */
export function gitlab(access: ForgeAccess): Forge {
  const connection = new Connection(access, { "private-token": access.token });
  const root = `/projects/${encodeURIComponent(access.repo)}`;
  const at = (number: number) => `${root}/issues/${number}`;
  const labels = (names: readonly string[]) => labelNames(connection, `${root}/labels`, names, LABEL);
  return forgeBy({
    name: `gitlab ${access.repo} at ${access.api}`,

    whyNoLabels: () => whyNoLabels(connection, root),

    list: (what, { state, label, since }, take) => {
      const wanted = { state: state === "open" ? "opened" : "all", per_page: String(PAGE) };
      const query = given({
        ...wanted,
        labels: label,
        updated_after: since === undefined ? undefined : iso(since),
      });
      return connection.issues(what, `${root}/issues?${new URLSearchParams(query)}`, issueOf, take);
    },

    async create({ title, body, labels: names }) {
      const named = await labels(names);
      if ("outcome" in named) return named;
      const request = { title, description: body, labels: named.labels.join(",") };
      return oneIssue(connection, "create the issue", ["POST", `${root}/issues`, request], issueOf);
    },

    async addLabels(number, names) {
      const named = await labels(names);
      if ("outcome" in named) return named;
      const request = { add_labels: named.labels.join(",") };
      return oneIssue(connection, "label the issue", ["PUT", at(number), request], issueOf);
    },

    read: (number) => oneIssue(connection, "read the issue", ["GET", at(number)], issueOf),

    comments: (number) =>
      allComments(connection, `${at(number)}/notes?sort=asc&order_by=created_at&per_page=${PAGE}`, commentOf),

    comment: (number, body) => sendComment(connection, `${at(number)}/notes`, body),

    async edit(number, { body, state }) {
      const event = state && { state_event: state === "closed" ? "close" : "reopen" };
      const request = { description: body, ...event };
      const done = await oneIssue(connection, "change the issue", ["PUT", at(number), request], issueOf);
      return done.outcome === "done" ? { outcome: "done" } : done;
    },
  });
}

function issueOf(value: unknown): ForgeIssue | undefined {
  const issue = value as GitLabIssue;
  return readIssue({ ...issue, number: issue?.iid, html_url: issue?.web_url, body: issue?.description });
}

/** GitLab's own record of what was changed is no comment: it must not pass for an answer of the owner. */
function commentOf(value: unknown): ForgeComment | undefined {
  const note = value as GitLabNote;
  if (note?.system === true) return undefined;
  return readComment({ ...note, user: { login: note?.author?.username } });
}

/** A project says only what was granted to the token's owner directly; without a word of it the request itself decides. */
async function whyNoLabels(connection: Connection, root: string): Promise<Trouble | undefined> {
  const answer = await connection.ask("read the repository", "GET", root, { allow: [403, 404] });
  if ("trouble" in answer) return answer.trouble;
  const { permissions } = (answer.reply.value ?? {}) as GitLabProject;
  const levels = [permissions?.project_access, permissions?.group_access].flatMap(
    (granted) => granted?.access_level ?? [],
  );
  return levels.length === 0 || Math.max(...levels) >= PLANNER ? undefined : MAY_NOT_LABEL;
}
