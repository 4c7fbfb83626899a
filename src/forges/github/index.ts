import type { components } from "@octokit/openapi-types";
import type { Forge } from "../../ports/forge.ts";
import { forgeAdapter } from "../kit/adapter.ts";
import { Connection, type ForgeAccess } from "../kit/connection.ts";
import { forgeBy } from "../kit/filing.ts";
import { labelNames } from "../kit/issue-requests.ts";
import { readComment, readIssue } from "../kit/read-issue.ts";
import { reposApi } from "../kit/repos-api.ts";

type Schemas = components["schemas"];

const LABEL = { color: "b60205", taken: 422 };

const API = "https://api.github.com";

export const githubForge = forgeAdapter(
  {
    kind: "github",
    home: "https://github.com",
    api: "/api/v3",
    apiHosts: { "github.com": API, "www.github.com": API, "api.github.com": API },
    files: "blob",
  },
  github,
);

/** GitHub, and GitHub Enterprise. Labels go by their names. */
export function github(access: ForgeAccess): Forge {
  const connection = new Connection(access, {
    authorization: `Bearer ${access.token}`,
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
  });
  const root = `/repos/${access.repo}`;
  return forgeBy(
    reposApi({
      name: `github ${access.repo} at ${access.api}`,
      connection,
      root,
      pageSize: "per_page",
      labels: (names) => labelNames(connection, `${root}/labels`, names, LABEL),
      issue: (value) => {
        const issue = value as Partial<Schemas["issue"]> | null;
        return issue?.pull_request ? undefined : readIssue(issue);
      },
      comment: (value) => readComment(value as Partial<Schemas["issue-comment"]> | null),
    }),
  );
}
