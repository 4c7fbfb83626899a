import * as z from "zod";
import { parseDuration } from "../core/duration.ts";

const text = (what: string) => z.string({ error: what }).min(1, what);
const ADDRESS = "an address such as https://git.example.org, without a user or password in it";
const REPO = "a repository such as org/fleet";
const TIMEOUT = "a duration such as 10s, at most 5m";

const FORGE_KINDS = ["gitea", "forgejo", "github", "gitlab"] as const;
export type ForgeKind = (typeof FORGE_KINDS)[number];

const url = z.string({ error: ADDRESS }).refine((value) => apiOf("gitea", value) !== undefined, ADDRESS);

/** Where issues are filed. */
export const forgeSettings = z
  .strictObject(
    {
      kind: z.enum(FORGE_KINDS, { error: "one of gitea, forgejo, github and gitlab" }),
      url: url
        .meta({ description: "its address; github.com or gitlab.com if it is left out for those" })
        .optional(),
      repo: text(REPO)
        .regex(/^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)+$/, REPO)
        .refine((repo) => !repo.split("/").some((part) => /^\.+$/.test(part)), REPO)
        .meta({ description: "the repository whose issues they are" }),
      tokenEnv: text("the name of an environment variable")
        .meta({ description: "holds the token" })
        .optional(),
      tokenFile: text("the path of a file").meta({ description: "holds the token" }).optional(),
      timeout: z
        .string({ error: TIMEOUT })
        .meta({ description: "how long one answer may take" })
        .transform((value, context) => {
          const length = parseDuration(value);
          if (length !== undefined && length <= 300_000) return length;
          context.addIssue({ code: "custom", message: TIMEOUT });
          return z.NEVER;
        })
        .prefault("10s"),
      template: text("the path of a file")
        .meta({ description: "a form for root-cause issues of your own" })
        .optional(),
    },
    { error: "a mapping of keys to values" },
  )
  .superRefine(({ kind, url: address, repo, tokenEnv, tokenFile }, context) => {
    if (HOME_OF[kind] === undefined && address === undefined)
      context.addIssue({ code: "custom", path: ["url"], message: ADDRESS });
    // Only GitLab has groups within groups.
    if (kind !== "gitlab" && repo.split("/").length > 2)
      context.addIssue({ code: "custom", path: ["repo"], message: REPO });
    if ((tokenEnv === undefined) === (tokenFile === undefined)) {
      context.addIssue({
        code: "custom",
        path: ["tokenEnv"],
        message: "either tokenEnv or tokenFile, and one of them",
      });
    }
  });

export type ForgeSettings = z.output<typeof forgeSettings>;

/** Where a kind of forge is if nobody says otherwise. */
const HOME_OF: Readonly<Partial<Record<ForgeKind, string>>> = {
  github: "https://github.com",
  gitlab: "https://gitlab.com",
};
const API_PATH: Readonly<Record<ForgeKind, string>> = {
  gitea: "/api/v1",
  forgejo: "/api/v1",
  github: "/api/v3",
  gitlab: "/api/v4",
};

/** The root of a forge's API by the address that people know, also in a sub-path; undefined if it is none. */
export function apiOf(kind: ForgeKind, address: string | undefined): string | undefined {
  const known = address ?? HOME_OF[kind] ?? "";
  if (!/^https?:\/\//.test(known) || !URL.canParse(known)) return undefined;
  const { protocol, host, username, password, pathname, search, hash } = new URL(known);
  if (username !== "" || password !== "" || search !== "" || hash !== "") return undefined;
  if (kind === "github" && ["github.com", "www.github.com", "api.github.com"].includes(host))
    return "https://api.github.com";
  const path = pathname.replace(/\/+$/, "");
  return `${protocol}//${host}${path.endsWith(API_PATH[kind]) ? path : `${path}${API_PATH[kind]}`}`;
}

const FILE_PATH: Readonly<Record<ForgeKind, string>> = {
  gitea: "src/branch",
  forgejo: "src/branch",
  github: "blob",
  gitlab: "-/blob",
};

/** Where people see the files of the repository on a branch. */
export function filesAt({ kind, url: address, repo }: ForgeSettings, branch: string): string {
  const page = (address ?? HOME_OF[kind] ?? "").replace(/\/+$/, "").replace(API_PATH[kind], "");
  return `${page}/${repo}/${FILE_PATH[kind]}/${encodeURI(branch)}`;
}

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
