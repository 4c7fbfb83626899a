import type { Millis } from "../../core/duration.ts";
import type { Task } from "../../core/task/task.ts";
import { TaskSourceError } from "../../ports/task-source.ts";
import type { TaskAdapter } from "../kit/adapter.ts";
import type { TaskList } from "../kit/listed.ts";
import { decodeText, MOST_BYTES, readDocument } from "../kit/read-tasks.ts";
import { ask } from "./ask.ts";
import { nextPage } from "./next-page.ts";
import { httpSettings } from "./settings.ts";
import { readToken, type TokenPlace } from "./token.ts";

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
  const name = publicName(place.url);
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
      // A timer of our own: one inside of AbortSignal.any may be collected as garbage before it fires.
      const { signal, done } = within(place.timeoutMs, abort);
      try {
        return await listPages(signal);
      } catch (error) {
        if (abort.aborted) throw new TaskSourceError("aborted", `${name}: asking was stopped`);
        if (signal.aborted) {
          throw new TaskSourceError(
            "timeout",
            `${name}: expected the whole list within ${place.timeoutMs} ms`,
          );
        }
        throw error;
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

/** A signal that ends with another, or when the time is over. */
function within(limit: Millis, abort: AbortSignal): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const end = () => controller.abort();
  const timer = setTimeout(end, limit);
  abort.addEventListener("abort", end);
  if (abort.aborted) end();
  const done = () => {
    clearTimeout(timer);
    abort.removeEventListener("abort", end);
  };
  return { signal: controller.signal, done };
}

/** The address without what may be a secret in it. */
function publicName(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
