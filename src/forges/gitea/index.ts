import type { Comment, CreateLabelOption, Issue, Label } from "gitea-js";
import type { Forge, Trouble } from "../../ports/forge.ts";
import { forgeAdapter } from "../kit/adapter.ts";
import { Connection, type ForgeAccess, PAGE } from "../kit/connection.ts";
import { forgeBy } from "../kit/filing.ts";
import { readComment, readIssue } from "../kit/read-issue.ts";
import { reposApi } from "../kit/repos-api.ts";

const COLOUR = "#b60205";
const SITE = { api: "/api/v1", files: "src/branch" };

export const giteaForge = forgeAdapter({ kind: "gitea", ...SITE }, (access) => gitea(access));
export const forgejoForge = forgeAdapter({ kind: "forgejo", ...SITE }, (access) => gitea(access, "forgejo"));

/** Gitea, and Forgejo, which has the same API. Calls take the ids of labels: names are refused. */
export function gitea(access: ForgeAccess, called: "gitea" | "forgejo" = "gitea"): Forge {
  const connection = new Connection(access, { authorization: `token ${access.token}` });
  const root = `/repos/${access.repo}`;
  return forgeBy(
    reposApi({
      name: `${called} ${access.repo} at ${access.api}`,
      connection,
      root,
      pageSize: "limit",
      labels: (names) => labelIds(connection, access.repo, names),
      issue: (value) => {
        const issue = value as Issue | null;
        return issue?.pull_request ? undefined : readIssue(issue);
      },
      comment: (value) => readComment(value as Comment | null),
    }),
  );
}

async function labelIds(
  connection: Connection,
  repo: string,
  names: readonly string[],
): Promise<{ readonly labels: readonly number[] } | Trouble> {
  const ids = new Map<string, number>();
  const take = (items: readonly unknown[]): boolean => {
    for (const { name, id } of items as readonly Label[]) {
      if (name !== undefined && id !== undefined && names.includes(name) && !ids.has(name)) ids.set(name, id);
    }
    return ids.size === names.length;
  };
  const ours = await connection.pages("list the labels", `/repos/${repo}/labels?limit=${PAGE}`, take);
  if (ours !== undefined) return ours;
  // Labels of the organisation serve as well. An owner that is a person has none, and a token need not see them.
  if (ids.size < names.length) {
    await connection.pages("list the labels", `/orgs/${repo.split("/")[0]}/labels?limit=${PAGE}`, take);
  }
  for (const name of names.filter((each) => !ids.has(each))) {
    const body: CreateLabelOption = { name, color: COLOUR };
    const path = `/repos/${repo}/labels`;
    const answer = await connection.ask(`create the label ${name}`, "POST", path, { body });
    if ("trouble" in answer) return answer.trouble;
    const { id } = answer.reply.value as Label;
    if (id === undefined)
      return { outcome: "retry", problem: `could not create the label ${name}: the reply has no id` };
    ids.set(name, id);
  }
  return { labels: names.flatMap((name) => ids.get(name) ?? []) };
}
