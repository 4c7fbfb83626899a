import type { Done, ForgeComment, ForgeIssue, Trouble } from "../../ports/forge.ts";
import type { Connection } from "./connection.ts";

/** Asks for one issue, and reads the reply. */
export async function oneIssue(
  connection: Connection,
  what: string,
  [method, path, body]: readonly ["GET" | "POST" | "PATCH" | "PUT", string, unknown?],
  toIssue: (value: unknown) => ForgeIssue | undefined,
): Promise<Done<{ readonly issue: ForgeIssue }>> {
  const answer = await connection.ask(what, method, path, body === undefined ? {} : { body });
  if ("trouble" in answer) return answer.trouble;
  const issue = toIssue(answer.reply.value);
  if (issue !== undefined) return { outcome: "done", issue };
  return { outcome: "retry", problem: `could not ${what}: the reply is not an issue` };
}

/** Reads all comments. */
export async function allComments(
  connection: Connection,
  path: string,
  toComment: (value: unknown) => ForgeComment | undefined,
): Promise<Done<{ readonly comments: readonly ForgeComment[] }>> {
  const comments: ForgeComment[] = [];
  const seen = new Set<number>();
  const trouble = await connection.pages("read the comments", path, (items) => {
    const fresh = items.filter((item) => isNew(item, seen));
    comments.push(...fresh.flatMap((item) => toComment(item) ?? []));
    // A forge that knows no pages of comments gives all of them again.
    return items.length > 0 && fresh.length === 0;
  });
  return trouble ?? { outcome: "done", comments };
}

export async function sendComment(connection: Connection, path: string, body: string): Promise<Done> {
  const answer = await connection.ask("comment on the issue", "POST", path, { body: { body } });
  return "trouble" in answer ? answer.trouble : { outcome: "done" };
}

function isNew(item: unknown, seen: Set<number>): boolean {
  const id = (item as { id?: unknown } | null)?.id;
  if (typeof id !== "number" || seen.has(id)) return false;
  seen.add(id);
  return true;
}

/** Makes the labels that are missing, at a forge that knows labels by their names. */
export async function labelNames(
  connection: Connection,
  path: string,
  names: readonly string[],
  { color, taken }: { readonly color: string; readonly taken: number },
): Promise<{ readonly labels: readonly string[] } | Trouble> {
  for (const name of names) {
    const what = `look for the label ${name}`;
    const known = await connection.ask(what, "GET", `${path}/${encodeURIComponent(name)}`, { allow: [404] });
    if ("trouble" in known) return known.trouble;
    if (known.reply.status !== 404) continue;
    // The status `taken` says that somebody else has just made it.
    const request = { body: { name, color }, allow: [taken] };
    const made = await connection.ask(`create the label ${name}`, "POST", path, request);
    if ("trouble" in made) return made.trouble;
  }
  return { labels: names };
}
