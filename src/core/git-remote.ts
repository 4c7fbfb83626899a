export interface GitRemote {
  readonly host: string;
  /** `org/fleet`: the two last parts, because a forge may lie in a sub-path. */
  readonly repo: string;
}

const HOST = String.raw`(\[[^\]/]+\]|[^@/:[\]]+)`;
const WITH_SCHEME = new RegExp(String.raw`^[a-z][a-z+.-]*:\/\/(?:[^@/]*@)?${HOST}(?::\d+)?\/(.+)$`, "i");
/** As scp writes it: `git@host:org/fleet.git`. */
const LIKE_SCP = new RegExp(String.raw`^(?:[^@/:]+@)?${HOST}:(?!\/\/)(.+)$`);

/** Host and repository of a remote's address. */
export function gitRemote(url: string): GitRemote | undefined {
  const [, host, path] = WITH_SCHEME.exec(url) ?? LIKE_SCP.exec(url) ?? [];
  if (host === undefined || path === undefined) return undefined;
  const [, repo] = /(?:^|\/)([^/]+\/[^/]+?)(?:\.git)?\/*$/.exec(path) ?? [];
  return repo === undefined ? undefined : { host: host.toLowerCase(), repo };
}
