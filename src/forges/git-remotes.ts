import { gitRemote } from "../core/git-remote.ts";

/**
 * The repository that the remotes of a working copy name (`git remote -v`): of the remote at the forge's own host, or else
 * of `origin`, whose host may be another name of the same server, or else of the only one.
 */
export function repoOfRemotes(listing: string, forge: string): string | undefined {
  const remotes = listing.split("\n").flatMap((line) => {
    const [, name = "", url = ""] = /^(\S+)\t(\S+) \(fetch\)/.exec(line) ?? [];
    const found = gitRemote(url);
    return found === undefined ? [] : [{ name, ...found }];
  });
  const host = URL.canParse(forge) ? new URL(forge).hostname : "";
  const at = remotes.filter((remote) => remote.host === host);
  const isOrigin = ({ name }: { name: string }) => name === "origin";
  const only = remotes.length === 1 ? remotes[0] : undefined;
  return (at.find(isOrigin) ?? at[0] ?? remotes.find(isOrigin) ?? only)?.repo;
}
