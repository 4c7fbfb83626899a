export interface GitRemote {
  readonly host: string;
  /** `org/fleet`: the two last parts, because a forge may lie in a sub-path. */
  readonly repo: string;
}

/** Host and repository of a remote's address: with a scheme, or as scp writes it (`git@host:org/fleet.git`). */
export function gitRemote(url: string): GitRemote | undefined {
  const [, scpHost, scpPath] = /^(?:[^@/:]+@)?(\[[^\]/]+\]|[^@/:[\]]+):(?!\/\/)(.+)$/.exec(url) ?? [];
  const { hostname, pathname } =
    scpHost !== undefined && scpPath !== undefined
      ? { hostname: scpHost, pathname: scpPath }
      : URL.canParse(url)
        ? new URL(url)
        : { hostname: "", pathname: "" };
  if (hostname === "") return undefined;
  const [, repo] = /(?:^|\/)([^/]+\/[^/]+?)(?:\.git)?\/*$/.exec(pathname) ?? [];
  return repo === undefined ? undefined : { host: hostname.toLowerCase(), repo };
}
