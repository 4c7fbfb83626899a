import type { ForgeComment, ForgeIssue } from "../../ports/forge.ts";

/** The fields of an issue under the names of Gitea and GitHub. All of them may lack: replies are not ours. */
export interface IssueFields {
  readonly number?: number | undefined;
  readonly html_url?: string | undefined;
  readonly title?: string | undefined;
  readonly body?: string | null | undefined;
  readonly state?: string | undefined;
  readonly created_at?: string | undefined;
  readonly labels?: readonly (string | { readonly name?: string | undefined } | null)[] | undefined;
}

export interface CommentFields {
  readonly body?: string | undefined;
  readonly created_at?: string | undefined;
  readonly user?: { readonly login?: string | undefined } | null | undefined;
}

export function readIssue(fields: IssueFields | null | undefined): ForgeIssue | undefined {
  if (typeof fields !== "object" || fields === null || !Number.isSafeInteger(fields.number)) return undefined;
  const labels = Array.isArray(fields.labels) ? fields.labels : [];
  return {
    number: fields.number ?? 0,
    url: text(fields.html_url),
    title: text(fields.title),
    body: text(fields.body).replaceAll("\r\n", "\n"),
    state: fields.state === "closed" ? "closed" : "open",
    labels: labels.flatMap((label) => (typeof label === "string" ? label : (label?.name ?? []))),
    createdAt: Date.parse(text(fields.created_at)) || 0,
  };
}

export function readComment(fields: CommentFields | null | undefined): ForgeComment | undefined {
  if (typeof fields !== "object" || fields === null) return undefined;
  return {
    author: text(fields.user?.login),
    body: text(fields.body).replaceAll("\r\n", "\n"),
    at: Date.parse(text(fields.created_at)) || 0,
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
