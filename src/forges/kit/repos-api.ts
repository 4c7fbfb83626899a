import { iso } from "../../core/duration.ts";
import type { ForgeComment, ForgeIssue, Trouble } from "../../ports/forge.ts";
import { type Connection, PAGE } from "./connection.ts";
import { type Dialect, MAY_NOT_LABEL } from "./filing.ts";
import { allComments, oneIssue, sendComment } from "./issue-requests.ts";

/** Where Gitea and GitHub differ: in how labels are named in a request, and in how a reply is read. */
export interface ReposApi {
  readonly name: string;
  readonly connection: Connection;
  /** `/repos/org/fleet` */
  readonly root: string;
  /** How the size of a page is called. */
  readonly pageSize: "limit" | "per_page";
  /** Labels as requests name them; those that are missing are made. */
  labels(names: readonly string[]): Promise<{ readonly labels: readonly (string | number)[] } | Trouble>;
  issue(value: unknown): ForgeIssue | undefined;
  comment(value: unknown): ForgeComment | undefined;
}

/** The requests that Gitea and GitHub have in common. */
export function reposApi({ name, connection, root, pageSize, ...api }: ReposApi): Dialect {
  const at = (number: number) => `${root}/issues/${number}`;
  return {
    name,

    whyNoLabels: () => whyNoLabels(connection, root),

    list: (what, { state, label, since }, take) => {
      const filters = [
        ...(label === undefined ? [] : [`labels=${encodeURIComponent(label)}`]),
        ...(since === undefined ? [] : [`since=${encodeURIComponent(iso(since))}`]),
      ];
      const path = `${root}/issues?state=${state}&${filters.join("&")}&${pageSize}=${PAGE}`;
      return connection.issues(what, path, api.issue, take);
    },

    async create({ title, body, labels }) {
      const named = await api.labels(labels);
      if ("outcome" in named) return named;
      const request = { title, body, labels: named.labels };
      return oneIssue(connection, "create the issue", ["POST", `${root}/issues`, request], api.issue);
    },

    async addLabels(number, names) {
      const named = await api.labels(names);
      if ("outcome" in named) return named;
      const body = { labels: named.labels };
      const answer = await connection.ask("label the issue", "POST", `${at(number)}/labels`, { body });
      return "trouble" in answer ? answer.trouble : { outcome: "done" };
    },

    read: (number) => oneIssue(connection, "read the issue", ["GET", at(number)], api.issue),

    comments: (number) => allComments(connection, `${at(number)}/comments?${pageSize}=${PAGE}`, api.comment),

    comment: (number, body) => sendComment(connection, `${at(number)}/comments`, body),

    async edit(number, change) {
      const done = await oneIssue(connection, "change the issue", ["PATCH", at(number), change], api.issue);
      return done.outcome === "done" ? { outcome: "done" } : done;
    },
  };
}

/** A token that may not even read the repository tells nothing. */
async function whyNoLabels(connection: Connection, root: string): Promise<Trouble | undefined> {
  const answer = await connection.ask("read the repository", "GET", root, { allow: [403, 404] });
  if ("trouble" in answer) return answer.trouble;
  const { permissions } = (answer.reply.value ?? {}) as {
    permissions?: { push?: boolean; triage?: boolean };
  };
  return permissions?.push !== false || permissions.triage === true ? undefined : MAY_NOT_LABEL;
}
