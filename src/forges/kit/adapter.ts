import * as z from "zod";
import { parseDuration } from "../../core/duration.ts";
import type { Adapter } from "../../ports/adapter.ts";
import type { Forge } from "../../ports/forge.ts";
import { mapping, text } from "../../ports/setting-forms.ts";
import type { ForgeAccess } from "./connection.ts";

const ADDRESS = "an address such as https://git.example.org, without a user or password in it";
const REPO = "a repository such as org/fleet";
const TIMEOUT = "a duration such as 10s, at most 5m";

/** What distinguishes one kind of forge from another, besides its API. */
interface Site {
  readonly kind: string;
  /** Its address if the config names none. */
  readonly home?: string;
  /** The path of its API. */
  readonly api: string;
  /** Hosts whose API has a host of its own. */
  readonly apiHosts?: Readonly<Record<string, string>>;
  /** Between a repository and a branch, in the address of a file. */
  readonly files: string;
  /** Whether groups may contain groups. */
  readonly nested?: true;
}

type ForgeObject = ReturnType<typeof settingsFor>;
export type ForgeSettings = z.output<ForgeObject>;

/** One kind of forge. */
export interface ForgeAdapter extends Adapter<string, ForgeObject, { readonly token: string }, Forge> {
  /** The root of its API by the address that people know, also in a sub-path; undefined if it is none. */
  apiOf(address: string | undefined): string | undefined;
  /** Where people see the files of the repository on a branch. */
  filesAt(settings: ForgeSettings, branch: string): string;
}

export function forgeAdapter(site: Site, open: (access: ForgeAccess) => Forge): ForgeAdapter {
  const { kind, home = "", api, files } = site;
  return {
    kind,
    settings: settingsFor(site),
    open({ url, repo, timeout }, { token }) {
      const root = apiAt(site, url);
      if (root === undefined) throw new TypeError("the settings of a forge have been checked before");
      return open({ api: root, repo, token, timeout });
    },
    apiOf: (address) => apiAt(site, address),
    filesAt({ url = home, repo }, branch) {
      return `${url.replace(/\/+$/, "").replace(api, "")}/${repo}/${files}/${encodeURI(branch)}`;
    },
  };
}

function apiAt({ home, api, apiHosts = {} }: Site, address: string | undefined): string | undefined {
  const known = address ?? home ?? "";
  if (!/^https?:\/\//.test(known) || !URL.canParse(known)) return undefined;
  const { protocol, host, username, password, pathname, search, hash } = new URL(known);
  if (username !== "" || password !== "" || search !== "" || hash !== "") return undefined;
  const own = apiHosts[host];
  if (own !== undefined) return own;
  const path = pathname.replace(/\/+$/, "");
  return `${protocol}//${host}${path.endsWith(api) ? path : `${path}${api}`}`;
}

/** Where issues are filed. */
function settingsFor(site: Site) {
  return mapping({
    kind: z.literal(site.kind),
    url: z
      .string({ error: ADDRESS })
      .refine((value) => apiAt(site, value) !== undefined, ADDRESS)
      .meta({ description: "its address; github.com or gitlab.com if it is left out for those" })
      .optional(),
    repo: text(REPO)
      .regex(/^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)+$/, REPO)
      .refine((repo) => !repo.split("/").some((part) => /^\.+$/.test(part)), REPO)
      .meta({ description: "the repository whose issues they are" }),
    tokenEnv: text("the name of an environment variable").meta({ description: "holds the token" }).optional(),
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
  }).superRefine(({ url, repo, tokenEnv, tokenFile }, context) => {
    if (site.home === undefined && url === undefined)
      context.addIssue({ code: "custom", path: ["url"], message: ADDRESS });
    if (site.nested === undefined && repo.split("/").length > 2)
      context.addIssue({ code: "custom", path: ["repo"], message: REPO });
    if ((tokenEnv === undefined) === (tokenFile === undefined)) {
      const message = "either tokenEnv or tokenFile, and one of them";
      context.addIssue({ code: "custom", path: ["tokenEnv"], message });
    }
  });
}
