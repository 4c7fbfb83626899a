import type { components, operations } from "@octokit/openapi-types";
import type { Forge, Trouble } from "../../ports/forge.ts";
import { type Access, Connection } from "../connection.ts";
import { forgeBy } from "../filing.ts";
import { readComment, readIssue } from "../read-issue.ts";

type Schemas = components["schemas"];
type NewLabel = operations["issues/create-label"]["requestBody"]["content"]["application/json"];

const COLOUR = "b60205";

/** GitHub, and GitHub Enterprise. Labels go by their names. */
export function github(access: Access): Forge {
  const connection = new Connection(access, {
    authorization: `Bearer ${access.token}`,
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
  });
  const root = `/repos/${access.repo}`;
  return forgeBy({
    name: `github ${access.repo} at ${access.api}`,
    connection,
    root,
    pageSize: "per_page",
    labels: (names) => labelNames(connection, root, names),
    issue: (value) => {
      const issue = value as Partial<Schemas["issue"]> | null;
      return issue?.pull_request ? undefined : readIssue(issue);
    },
    comment: (value) => readComment(value as Partial<Schemas["issue-comment"]> | null),
  });
}

async function labelNames(
  connection: Connection,
  root: string,
  names: readonly string[],
): Promise<{ readonly labels: readonly string[] } | Trouble> {
  for (const name of names) {
    const path = `${root}/labels`;
    const what = `look for the label ${name}`;
    const known = await connection.ask(what, "GET", `${path}/${encodeURIComponent(name)}`, { allow: [404] });
    if ("trouble" in known) return known.trouble;
    if (known.reply.status !== 404) continue;
    const body: NewLabel = { name, color: COLOUR };
    // 422 says that somebody else has just made it.
    const made = await connection.ask(`create the label ${name}`, "POST", path, { body, allow: [422] });
    if ("trouble" in made) return made.trouble;
  }
  return { labels: names };
}
