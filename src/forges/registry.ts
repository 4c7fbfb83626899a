import type { Forge } from "../ports/forge.ts";
import { forgejoForge, giteaForge } from "./gitea/index.ts";
import { githubForge } from "./github/index.ts";
import { gitlabForge } from "./gitlab/index.ts";
import type { ForgeAdapter, ForgeSettings } from "./kit/adapter.ts";

export type { ForgeSettings } from "./kit/adapter.ts";

/** Every kind of forge. */
export const FORGES: readonly [ForgeAdapter, ...ForgeAdapter[]] = [
  giteaForge,
  forgejoForge,
  githubForge,
  gitlabForge,
];

/** Opens the forge of some settings. Nothing is asked until something is wanted of it. */
export function openForge(settings: ForgeSettings, token: string): Forge {
  return forgeOf(settings.kind).open(settings, { token });
}

/** The adapter of a kind that has been checked before. */
export function forgeOf(kind: string): ForgeAdapter {
  const found = FORGES.find((forge) => forge.kind === kind);
  if (found === undefined) throw new TypeError("the settings of a forge have been checked before");
  return found;
}
