import * as z from "zod";
import { settingsOf, wordsOf } from "../ports/adapter.ts";
import { FORGES } from "./registry.ts";

/** How the config's word for a forge is refused. */
export const KINDS = `one of ${wordsOf(
  FORGES.map(({ kind }) => kind),
  "and",
)}`;

/** Where issues are filed. */
export const forgeSettings = z.discriminatedUnion("kind", settingsOf(FORGES), { error: KINDS });

/** The settings that the environment gives to whoever has no config: a Gitea. */
export function forgeFromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  /** The repository if the environment names none. */
  repoAt: (address: string) => string | undefined = () => undefined,
): unknown {
  const address = env.GITEA_URL || env.CLAW_CODE_GITEA_URL;
  if (!address && !env.GITEA_REPO) return undefined;
  const repo = env.GITEA_REPO || (address ? repoAt(address) : undefined);
  return { kind: "gitea", url: address, repo, tokenEnv: "GITEA_TOKEN" };
}
