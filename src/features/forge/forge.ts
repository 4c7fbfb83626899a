import type { Config } from "../../config/load.ts";
import { besideConfig } from "../../config/secrets.ts";
import { environmentFor } from "../../core/environment.ts";
import { DEFAULT_TEMPLATE, templateProblem } from "../../core/rca/template.ts";
import { TickError } from "../../core/tick/error.ts";
import { repoOfRemotes } from "../../forges/git-remotes.ts";
import { type ForgeSettings, openForge } from "../../forges/registry.ts";
import { forgeFromEnvironment, forgeSettings } from "../../forges/settings.ts";
import type { Forge } from "../../ports/forge.ts";
import { runNow } from "../../system/exec.ts";
import { readNamedFile } from "../../system/files.ts";
import { fitsHeader, readSecret } from "../../system/secret.ts";

/** The forge of this installation, or why there is none. */
export type OurForge =
  | { readonly forge: Forge; readonly settings?: ForgeSettings; readonly secrets: readonly string[] }
  | { readonly problem: string };

const LONGEST_TEMPLATE = 12_000;
const LARGEST_FILE = 64 * 1024;

/**
 * Opens the forge by the config, or without one by the environment and the remotes of the working directory. The token is
 * read now, and never shown.
 */
export function ourForge(
  config: Config,
  env: NodeJS.ProcessEnv = process.env,
  folder: string = process.cwd(),
): OurForge {
  const settings = settingsOf(config, env, folder);
  if ("problem" in settings) return settings;
  const token = tokenOf(settings, config, env);
  if ("problem" in token) return token;
  return { forge: openForge(settings, token.value), settings, secrets: [token.value] };
}

function settingsOf(
  { forge }: Config,
  env: NodeJS.ProcessEnv,
  folder: string,
): ForgeSettings | { problem: string } {
  if (forge !== undefined) return forge;
  const found = forgeFromEnvironment(env, (address) =>
    repoOfRemotes(askGit(folder, "remote", "-v"), address),
  );
  if (found === undefined) {
    return {
      problem: "no forge is configured (forge in the config, or GITEA_URL, GITEA_REPO and GITEA_TOKEN)",
    };
  }
  const checked = forgeSettings.safeParse(found);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const variable = issue?.path[0] === "repo" ? "GITEA_REPO" : "GITEA_URL";
  const other =
    variable === "GITEA_REPO" && !env.GITEA_REPO ? `, because no git remote of ${folder} names one` : "";
  return { problem: `${variable}: expected ${issue?.message ?? "something else"}${other}` };
}

function tokenOf(
  { tokenEnv, tokenFile }: ForgeSettings,
  config: Config,
  env: NodeJS.ProcessEnv,
): { value: string } | { problem: string } {
  const where = tokenFile === undefined ? `the environment variable ${tokenEnv}` : `the file ${tokenFile}`;
  const file = tokenFile === undefined ? undefined : besideConfig(tokenFile, config);
  const token = readSecret({ env: tokenEnv, file }, env);
  if ("problem" in token) return { problem: `there is no token in ${where}` };
  return fitsHeader(token.value) ? token : { problem: `${where} contains something that is no token` };
}

/** The form of root-cause issues: the team's own, or ours. */
export function rcaTemplate(config: Config): string {
  const named = config.forge?.template;
  if (named === undefined) return DEFAULT_TEMPLATE;
  const path = besideConfig(named, config);
  const text = readText(path);
  if (text === undefined) throw new TickError("bad-template", `${path}: the template cannot be read`);
  const problem =
    text.length > LONGEST_TEMPLATE
      ? `expected at most ${LONGEST_TEMPLATE} characters`
      : templateProblem(text);
  if (problem === undefined) return text;
  throw new TickError("bad-template", `${path}: ${problem}`);
}

function readText(path: string): string | undefined {
  try {
    return readNamedFile(path, LARGEST_FILE).toString("utf8");
  } catch {
    return undefined;
  }
}

const TIME = 5000;

/** What git says in a folder; nothing where there is no git, or no working copy. */
export function askGit(folder: string, ...args: readonly string[]): string {
  const env = environmentFor(process.env);
  const { status, stdout } = runNow("git", args, { cwd: folder, timeout: TIME, env });
  return status === 0 ? stdout.toString("utf8") : "";
}
