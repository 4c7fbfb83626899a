import type { Config } from "../../config/load.ts";
import { repoOfRemotes } from "../../forges/git-remotes.ts";
import { forgeOf } from "../../forges/registry.ts";
import { askGit, type OurForge } from "../forge/forge.ts";

/** Where people see a tick: as the config says, or in the forge's repository, if the folder of ticks is a part of that. */
export function tickLink({ tick }: Config, ours: OurForge, ticks: string): string | undefined {
  const settings = "settings" in ours ? ours.settings : undefined;
  if (tick.link !== undefined || settings === undefined) return tick.link;
  const [prefix, branch] = askGit(ticks, "rev-parse", "--show-prefix", "--abbrev-ref", "HEAD").split("\n");
  if (prefix === undefined || branch === undefined || branch === "" || branch === "HEAD") return undefined;
  const files = forgeOf(settings.kind).filesAt(settings, branch);
  if (repoOfRemotes(askGit(ticks, "remote", "-v"), files) !== settings.repo) return undefined;
  return `${files}/${encodeURI(prefix)}{month}/{agent}.json`;
}
