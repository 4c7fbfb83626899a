import type { ForgeComment, ForgeIssue } from "../../ports/forge.ts";

/** Fields under the names of Gitea and GitHub. All of them may lack, or be something else: replies are not ours. */
type Fields<Names extends string> = { readonly [Name in Names]?: unknown } | null | undefined;
type IssueFields = Fields<"number" | "html_url" | "title" | "body" | "state" | "created_at" | "labels">;

export function readIssue(fields: IssueFields): ForgeIssue | undefined {
  if (typeof fields !== "object" || fields === null || !Number.isSafeInteger(fields.number)) return undefined;
  const labels: readonly (string | { name?: string } | null)[] = Array.isArray(fields.labels)
    ? fields.labels
    : [];
  return {
    number: Number(fields.number),
    url: text(fields.html_url),
    title: text(fields.title),
    body: text(fields.body).replaceAll("\r\n", "\n"),
    state: fields.state === "closed" ? "closed" : "open",
    labels: labels.flatMap((label) => (typeof label === "string" ? label : (label?.name ?? []))),
    createdAt: Date.parse(text(fields.created_at)) || 0,
  };
}

export function readComment(fields: Fields<"body" | "created_at" | "user">): ForgeComment | undefined {
  if (typeof fields !== "object" || fields === null) return undefined;
  return {
    author: text((fields.user as { login?: unknown } | null | undefined)?.login),
    body: text(fields.body).replaceAll("\r\n", "\n"),
    at: Date.parse(text(fields.created_at)) || 0,
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
