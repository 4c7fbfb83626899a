import { gitRemote } from "../../core/git-remote.ts";

interface Forge {
  readonly kind: "gitea" | "github" | "gitlab";
  readonly url?: string;
  readonly repo: string;
  readonly tokenEnv: string;
}

interface Sources {
  readonly gitConfig: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The forge of a checkout: by its remote, and by the variables of the old script where they are set. */
export function forgeOf({ gitConfig = "", env }: Sources): { settings?: Forge; problem?: string } {
  const remote = /\[remote "origin"\][^[]*?^\s*url\s*=\s*(\S+)/m.exec(gitConfig)?.[1] ?? "";
  const { host = "", repo } = gitRemote(remote) ?? {};
  if (repo === undefined)
    return { problem: "the forge: .git/config names no remote; add forge: {kind, url, repo, tokenEnv}" };
  if (host === "github.com") return { settings: { kind: "github", repo, tokenEnv: "GITHUB_TOKEN" } };
  if (host.includes("gitlab")) {
    const url = addressOf(remote, host);
    return { settings: { kind: "gitlab", url, repo, tokenEnv: "GITLAB_TOKEN" } };
  }
  if (host.includes("bitbucket")) return { problem: `the forge at ${host}: Rollcall does not support it` };
  const url = env.GITEA_URL || env.CLAW_CODE_GITEA_URL || addressOf(remote, host);
  return { settings: { kind: "gitea", url, repo: env.GITEA_REPO || repo, tokenEnv: "GITEA_TOKEN" } };
}

/** The page of the forge: the address of the remote without user and path, or https where git goes by ssh. */
function addressOf(remote: string, host: string): string {
  if (!/^https?:/.test(remote) || !URL.canParse(remote)) return `https://${host}`;
  const { protocol, host: withPort } = new URL(remote);
  return `${protocol}//${withPort}`;
}
