import * as z from "zod";
import type { Millis } from "../../core/duration.ts";
import type { Task } from "../../core/task/task.ts";
import { within } from "../../ports/clock.ts";
import { mapping, text } from "../../ports/setting-forms.ts";
import { TaskSourceError } from "../../ports/task-source.ts";
import { systemClock } from "../../system/clock.ts";
import type { TaskAdapter } from "../kit/adapter.ts";
import type { TaskList } from "../kit/listed.ts";
import { decodeText, MOST_BYTES, readDocument } from "../kit/read-tasks.ts";
import { ask, readToken, type TokenPlace } from "./ask.ts";

const ADDRESS = "an address such as https://board.example.org/tasks";
const NO_PASSWORD = "no user and no password in the address, but tokenEnv or tokenFile";
const VARIABLE = "the name of an environment variable such as TASKS_TOKEN";
const TOKEN_FILE = "the path of a file that holds the token";
const TIME_LIMIT = "milliseconds, at most 600000";
const ONE_TOKEN = "either tokenEnv or tokenFile, not both";

/** How the config names a server with tasks. The token itself never stands in the config. */
export const httpSettings = mapping({
  url: z
    .url({ protocol: /^https?$/, error: ADDRESS })
    // A path of its own, so that the sentence does not show the password with the address.
    .refine((url) => !hasUser(url), { path: ["password"], message: NO_PASSWORD })
    .meta({ description: "the list of tasks" }),
  tokenEnv: z
    .string({ error: VARIABLE })
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, VARIABLE)
    .meta({ description: "the environment variable that holds the token" })
    .optional(),
  tokenFile: text(TOKEN_FILE).meta({ description: "the file that holds the token" }).optional(),
  timeoutMs: z
    .int({ error: TIME_LIMIT })
    .positive(TIME_LIMIT)
    .max(600_000, TIME_LIMIT)
    .meta({ description: "how long the whole list may take, all pages together" })
    .default(30_000),
})
  .superRefine(({ tokenEnv, tokenFile }, context) => {
    if (tokenEnv === undefined || tokenFile === undefined) return;
    context.addIssue({ code: "custom", path: ["tokenFile"], message: ONE_TOKEN });
  })
  .meta({ description: "a server that lists tasks" });

function hasUser(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}

export const httpSource: TaskAdapter<"http", typeof httpSettings> = {
  kind: "http",
  settings: httpSettings,
  open: ({ url, timeoutMs, tokenEnv, tokenFile }, { env, absolute }) =>
    httpTasks({ url, timeoutMs, tokenEnv, tokenFile: tokenFile && absolute(tokenFile), env }),
};

export interface HttpPlace extends TokenPlace {
  readonly url: string;
  readonly timeoutMs: Millis;
}

/** A page as it was when the server last sent it whole. */
interface Page {
  readonly etag: string | undefined;
  readonly size: number;
  readonly tasks: readonly Task[];
  readonly next: string | undefined;
}

const MOST_PAGES = 100;

/** The tasks that a server lists, page after page. A page that did not change since the last time is not sent again. */
export function httpTasks(place: HttpPlace): TaskList {
  const { origin, pathname } = new URL(place.url);
  // What else stands in the address may be a secret.
  const name = `${origin}${pathname}`;
  /** The pages of the last list that was read whole. */
  let known: ReadonlyMap<string, Page> = new Map();

  async function listPages(signal: AbortSignal): Promise<readonly Task[]> {
    signal.throwIfAborted();
    const token = await readToken(place, name);
    const pages = new Map<string, Page>();
    const before = known;
    let left = MOST_BYTES;
    for (let url: string | undefined = place.url; url !== undefined; ) {
      const at: string = pages.size === 0 ? name : `${name} (page ${pages.size + 1})`;
      if (pages.has(url))
        throw new TaskSourceError("bad-paging", `${at}: expected pages that end, not a circle`);
      if (pages.size === MOST_PAGES) {
        throw new TaskSourceError("bad-paging", `${at}: expected at most ${MOST_PAGES} pages`);
      }
      const page: Page = await askPage(url, before.get(url), { name: at, token, most: left, signal });
      left -= page.size;
      pages.set(url, page);
      url = page.next;
    }
    known = pages;
    // Between two pages a task may have moved to the later one: what was read last is the newest.
    const tasks = new Map<string, Task>();
    for (const page of pages.values()) for (const task of page.tasks) tasks.set(task.id, task);
    return [...tasks.values()];
  }

  return {
    name,
    async list(abort) {
      const { signal, done } = within(place.timeoutMs, systemClock, abort);
      try {
        return await listPages(signal);
      } catch (error) {
        if (abort.aborted) throw new TaskSourceError("aborted", `${name}: asking was stopped`);
        if (!signal.aborted) throw error;
        const problem = `expected the whole list within ${place.timeoutMs} ms`;
        throw new TaskSourceError("timeout", `${name}: ${problem}`);
      } finally {
        done();
      }
    },
  };
}

async function askPage(
  url: string,
  known: Page | undefined,
  how: { name: string; token: string | undefined; most: number; signal: AbortSignal },
): Promise<Page> {
  const answer = await ask({ url, etag: known?.etag, ...how });
  if (answer === "unchanged") {
    if (known !== undefined) return known;
    throw new TaskSourceError("unavailable", `${how.name}: answered 304 although nothing is known of it`);
  }
  // A page for people, such as a login, is best known by its type.
  const type = answer.type.includes("json") ? "" : ` (${answer.type})`;
  const origin = { name: `${how.name}${type}`, strict: false };
  const { tasks, next } = readDocument(decodeText(answer.bytes, origin), origin);
  const { etag, bytes } = answer;
  return { etag, size: bytes.length, tasks, next: nextPage({ ...answer, next }, how.name) };
}

/**
 * Where the list goes on: the Link header's rel="next", or else `next` in the body; undefined at the end. It must stay on
 * the server that the config names, because the token goes there.
 */
export function nextPage(
  { url, link, next }: { readonly url: string; readonly link: string | undefined; readonly next: unknown },
  name: string,
): string | undefined {
  const said = linked(link) ?? next ?? undefined;
  if (said === undefined || said === "") return undefined;
  const wrong = (what: string) => new TaskSourceError("bad-paging", `${name}: next: expected ${what}`);
  if (typeof said !== "string" || !URL.canParse(said, url)) throw wrong("an address, or null at the end");
  const found = new URL(said, url);
  if (found.origin !== new URL(url).origin) throw wrong("an address on the same server");
  if (found.username !== "" || found.password !== "") throw wrong("an address without a user or a password");
  found.hash = "";
  return found.href;
}

function linked(header: string | undefined): string | undefined {
  for (const [, address, parameters] of header?.matchAll(/<([^>]*)>([^<]*)/g) ?? []) {
    const relations = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters ?? "");
    const names = (relations?.[1] ?? relations?.[2] ?? "").toLowerCase().split(/\s+/);
    if (names.includes("next")) return address;
  }
  return undefined;
}
