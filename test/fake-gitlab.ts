import type { IncomingHttpHeaders } from "node:http";
import { type Answer, type Asked, FakeForge, type FakeForgeOptions, type FakeIssue } from "./fake-forge.ts";

const ROOT = "/projects/org%2Ffleet";

/** GitLab on a real socket, with the paths, names, states and refusals of version 4 of its REST API. */
export class FakeGitLab extends FakeForge {
  /** Keeps merge requests apart from issues, as GitLab does. */
  readonly mergeRequests: object[] = [];
  readonly #records = new Map<number, { id: number; body: string; created_at: string }[]>();

  constructor(more: Partial<FakeForgeOptions> = {}) {
    super({ ...more, kind: "gitlab" });
  }

  override addPullRequest(more: Partial<FakeIssue>): void {
    this.mergeRequests.push(more);
  }

  override addRecord(number: number, body: string): void {
    const records = this.#records.get(number) ?? [];
    this.#records.set(number, [...records, { id: this.nextId++, body, created_at: "2026-04-04T18:30:00Z" }]);
  }

  protected override version(): string {
    return "/api/v4";
  }

  protected override isAllowed(headers: IncomingHttpHeaders): boolean {
    return headers["private-token"] === this.token;
  }

  protected override route(asked: Asked): Answer {
    const { method, path } = asked;
    if (path !== ROOT && !path.startsWith(`${ROOT}/`)) return [404, { message: "404 Project Not Found" }];
    const rest = path.slice(ROOT.length);
    if (rest === "") return [200, { permissions: this.#permissions() }];
    if (rest.startsWith("/labels")) return this.#labels(asked, rest.slice("/labels".length));
    if (rest === "/issues" && method === "GET") return this.#issues(asked);
    if (rest === "/issues" && method === "POST") return this.#create(asked);
    const [, number, part] = /^\/issues\/(\d+)(\/notes)?$/.exec(rest) ?? [];
    const issue = this.issues.find((each) => String(each.number) === number);
    if (number !== undefined && issue === undefined) return [404, { message: "404 Not found" }];
    if (issue === undefined) return this.refuse(404, `${method} ${path}`);
    if (part !== undefined) return this.#notes(asked, issue);
    if (method === "GET") return [200, shown(issue)];
    return method === "PUT" ? this.#edit(asked, issue) : this.refuse(405, `${method} ${path}`);
  }

  #permissions(): object {
    return {
      project_access: { access_level: this.mayLabel ? 20 : 10, notification_level: 3 },
      group_access: null,
    };
  }

  #labels({ method, body }: Asked, name: string): Answer {
    if (method === "GET" && name !== "") {
      const label = this.repoLabels.find((each) => `/${each.name}` === decodeURIComponent(name));
      return label === undefined ? [404, { message: "404 Label Not Found" }] : [200, label];
    }
    const { name: wanted, color } = body;
    if (method !== "POST" || typeof wanted !== "string") return this.refuse(400, "label");
    if (typeof color !== "string" || !/^#[0-9a-f]{6}$/.test(color)) return this.refuse(400, "color");
    if (this.repoLabels.some((each) => each.name === wanted))
      return [409, { message: "Label already exists" }];
    const label = { id: this.nextId++, name: wanted };
    this.repoLabels.push(label);
    return [201, label];
  }

  #issues(asked: Asked): Answer {
    const { query } = asked;
    const state = query.get("state") ?? "all";
    if (!["opened", "closed", "all"].includes(state)) return this.refuse(400, `state ${state}`);
    const labels = query.get("labels")?.split(",") ?? [];
    const after = Date.parse(query.get("updated_after") ?? "1970-01-01T00:00:00Z");
    const found = this.issues.filter(
      (issue) =>
        (state === "all" || stateOf(issue) === state) &&
        labels.every((label) => issue.labels.includes(label)) &&
        Date.parse(issue.created_at) >= after,
    );
    return this.#list(found.reverse().map(shown), asked);
  }

  #create({ body }: Asked): Answer {
    const { title, description, labels, ...rest } = body;
    const texts = [title, description, labels];
    if (Object.keys(rest).length > 0 || texts.some((text) => typeof text !== "string") || title === "")
      return this.refuse(400, `issue ${JSON.stringify(body)}`);
    const names = this.mayLabel ? String(labels).split(",") : [];
    return [201, shown(this.addIssue({ title: String(title), body: String(description), labels: names }))];
  }

  #edit({ body }: Asked, issue: FakeIssue): Answer {
    const { description, state_event: event, add_labels: labels, ...rest } = body;
    if (Object.keys(rest).length > 0 || Object.keys(body).length === 0)
      return this.refuse(400, `change ${JSON.stringify(body)}`);
    if (event !== undefined && event !== "close" && event !== "reopen")
      return this.refuse(400, "state_event");
    if (typeof description === "string") {
      issue.body = description;
      this.addRecord(issue.number, "changed the description");
    }
    if (event !== undefined) issue.state = event === "close" ? "closed" : "open";
    if (typeof labels === "string" && this.mayLabel)
      issue.labels = [...new Set([...issue.labels, ...labels.split(",")])];
    return [200, shown(issue)];
  }

  #notes(asked: Asked, issue: FakeIssue): Answer {
    const { method, body, query } = asked;
    if (method === "POST") {
      if (typeof body.body !== "string" || body.body === "") return this.refuse(400, "note");
      this.addComment(issue, body.body, "rollcall");
      return [201, noteOf(issue.comments.at(-1))];
    }
    const records = this.#records.get(issue.number) ?? [];
    const notes = [
      ...records.map((record) => ({ ...record, system: true, author: { username: "rollcall" } })),
      ...issue.comments.map(noteOf),
    ];
    // The newest is first unless asked otherwise.
    return this.#list(query.get("sort") === "asc" ? notes : notes.reverse(), asked);
  }

  #list(items: readonly unknown[], { query }: Asked): Answer {
    const size = Math.min(Number(query.get("per_page") ?? 20), 100, this.page);
    const page = Number(query.get("page") ?? 1);
    const more = page * size < items.length;
    const links = ['<http://x>; rel="first"', ...(more ? ['<http://x>; rel="next"'] : [])];
    const headers = { link: links.join(", "), "x-next-page": more ? String(page + 1) : "" };
    return [200, items.slice((page - 1) * size, page * size), headers];
  }
}

function stateOf({ state }: FakeIssue): string {
  return state === "open" ? "opened" : "closed";
}

function noteOf(comment: FakeIssue["comments"][number] | undefined): object {
  const { user, ...note } = comment ?? {};
  return { ...note, system: false, author: { username: user?.login } };
}

function shown(issue: FakeIssue): object {
  const { id, number: iid, html_url: web_url, title, body: description, labels, created_at } = issue;
  return { id, iid, web_url, title, description, state: stateOf(issue), labels, created_at, author: {} };
}
