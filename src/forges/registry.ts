import type { Forge } from "../ports/forge.ts";
import { gitea } from "./gitea/index.ts";
import { github } from "./github/index.ts";
import { gitlab } from "./gitlab/index.ts";
import type { Access } from "./kit/connection.ts";
import { apiOf, type ForgeKind, type ForgeSettings } from "./settings.ts";

const FORGES: Readonly<Record<ForgeKind, (access: Access) => Forge>> = {
  gitea: (access) => gitea(access),
  forgejo: (access) => gitea(access, "forgejo"),
  github,
  gitlab,
};

/** Opens the forge of some settings. Nothing is asked until something is wanted of it. */
export function openForge({ kind, url, repo, timeout }: ForgeSettings, token: string): Forge {
  const api = apiOf(kind, url);
  if (api === undefined) throw new TypeError("the settings of a forge have been checked before");
  return FORGES[kind]({ api, repo, token, timeout });
}
