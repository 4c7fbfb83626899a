/**
 * The repository that the remotes of a working copy name (`git remote -v`): of the remote at the forge's own host, or else
 * of `origin`, whose host may be another name of the same server, or else of the only one.
 */
export function repoOfRemotes(listing: string, forge: string): string | undefined {
  const remotes = listing.split("\n").flatMap((line) => {
    const [, name = "", url = ""] = /^(\S+)\t(\S+) \(fetch\)/.exec(line) ?? [];
    const found = repoOf(url);
    return found === undefined ? [] : [{ name, ...found }];
  });
  const host = URL.canParse(forge) ? new URL(forge).hostname : "";
  const at = remotes.filter((remote) => remote.host === host);
  const isOrigin = ({ name }: { name: string }) => name === "origin";
  const only = remotes.length === 1 ? remotes[0] : undefined;
  return (at.find(isOrigin) ?? at[0] ?? remotes.find(isOrigin) ?? only)?.repo;
}

/** Host and repository of a remote's address: with a scheme, or as scp writes it (`git@host:org/fleet.git`). */
function repoOf(url: string): { readonly host: string; readonly repo: string } | undefined {
  const [, scpHost, scpPath] = /^(?:[^@/:]+@)?(\[[^\]/]+\]|[^@/:[\]]+):(?!\/\/)(.+)$/.exec(url) ?? [];
  const { hostname, pathname } =
    scpHost !== undefined && scpPath !== undefined
      ? { hostname: scpHost, pathname: scpPath }
      : URL.canParse(url)
        ? new URL(url)
        : { hostname: "", pathname: "" };
  if (hostname === "") return undefined;
  // The two last parts: a forge may lie in a sub-path.
  const [, repo] = /(?:^|\/)([^/]+\/[^/]+?)(?:\.git)?\/*$/.exec(pathname) ?? [];
  return repo === undefined ? undefined : { host: hostname.toLowerCase(), repo };
}
