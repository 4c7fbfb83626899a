import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What goes wrong with a request. With `after` the forge does what is asked first, and only its reply is lost. */
export interface Fault {
  readonly on: RegExp;
  readonly how:
    | "reset"
    | "hang"
    | "huge"
    | "html"
    | { readonly status: number; readonly headers?: Record<string, string>; readonly says?: unknown };
  readonly after?: boolean;
  readonly times?: number;
}

export interface FakeIssue {
  readonly id: number;
  readonly number: number;
  readonly html_url: string;
  title: string;
  body: string;
  state: "open" | "closed";
  labels: string[];
  readonly created_at: string;
  readonly pull_request?: object;
  comments: { id: number; body: string; created_at: string; user: { login: string } }[];
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
}

export type Answer = readonly [status: number, value: unknown, headers?: Record<string, string>];

export interface FakeForgeOptions {
  readonly kind: "gitea" | "github" | "gitlab";
  readonly token?: string;
  /** The most that it gives at once, whatever is asked for. */
  readonly page?: number;
  /** A person owns the repository, who has no labels. */
  readonly personal?: boolean;
}

/** What the contract of forges asks for, by the requests of Gitea, GitHub and GitLab. */
const REQUESTS = {
  list: /^GET .*\/issues$/,
  create: /^POST .*\/issues$/,
  edit: /^(PATCH|PUT) .*\/issues\/\d+$/,
  repository: /^GET \/(repos\/org\/|projects\/org%2F)fleet$/,
};

/** A forge on a real socket that checks every request as the real one does, and fails in any way it is told to. */
export class FakeForge {
  readonly kind: FakeForgeOptions["kind"];
  readonly token: string;
  readonly issues: FakeIssue[] = [];
  readonly repoLabels: { id: number; name: string }[] = [];
  readonly orgLabels: { id: number; name: string }[] = [];
  /** `METHOD path` of every request. */
  readonly requests: string[] = [];
  /** What it refused because it was not as the real one wants it. */
  readonly refused: string[] = [];
  mayLabel = true;
  url = "";
  #faults: { fault: Fault; left: number }[] = [];
  #waiting: { on: RegExp; tell: () => void }[] = [];
  protected nextId = 100;
  protected readonly page: number;
  readonly #personal: boolean;

  constructor({
    kind,
    token = "t0p-s3cr3t-of-the-fake-forge",
    page = 50,
    personal = false,
  }: FakeForgeOptions) {
    this.kind = kind;
    this.token = token;
    this.page = page;
    this.#personal = personal;
  }

  /** Listens under a sub-path, as behind a proxy; closed when the test ends. */
  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#serve(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sub/path`;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return this;
  }

  /** From now on requests that match fail. */
  fail(fault: Fault): void {
    this.#faults.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
  }

  failOn({ on, ...fault }: Omit<Fault, "on"> & { readonly on: keyof typeof REQUESTS }): void {
    this.fail({ ...fault, on: REQUESTS[on] });
  }

  asked(what: keyof typeof REQUESTS): number {
    return this.count(REQUESTS[what]);
  }

  heal(): void {
    this.#faults = [];
  }

  /** Resolves when the next matching request has come, and with `after` has been done. */
  came(on: RegExp): Promise<void> {
    return new Promise((tell) => this.#waiting.push({ on, tell }));
  }

  count(on: RegExp): number {
    return this.requests.filter((request) => on.test(request)).length;
  }

  addIssue(more: Partial<FakeIssue> = {}): FakeIssue {
    const number = this.issues.length + 1;
    const issue: FakeIssue = {
      id: this.nextId++,
      number,
      html_url: `${this.url}/org/fleet/issues/${number}`,
      title: "an issue",
      body: "",
      state: "open",
      labels: [],
      created_at: new Date(Date.UTC(2026, 3, 1) + number * 1000).toISOString(),
      comments: [],
      ...more,
    };
    this.issues.push(issue);
    return issue;
  }

  addPullRequest(more: Partial<FakeIssue>): void {
    this.addIssue({ ...more, pull_request: {} });
  }

  /** These forges keep their own records apart from the comments. */
  addRecord(_number: number, _text: string): void {}

  addComment(issue: FakeIssue, body: string, login = "ann"): void {
    issue.comments.push({ id: this.nextId++, body, created_at: "2026-04-04T19:00:00Z", user: { login } });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "", "http://x");
    const line = `${request.method} ${url.pathname.replace(/^\/sub\/path\/api\/v\d/, "")}`;
    this.requests.push(line);
    const known = this.#faults.find(({ fault, left }) => left > 0 && fault.on.test(line));
    if (known !== undefined) known.left -= 1;
    const { fault } = known ?? {};
    const [status, value, headers] =
      fault !== undefined && fault.after !== true
        ? ([200, {}] as Answer)
        : this.answer(request, url, Buffer.concat(chunks).toString("utf8"));
    for (const waiting of this.#waiting.filter(({ on }) => on.test(line))) {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      waiting.tell();
    }
    if (fault !== undefined) return misbehave(fault, response);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  }

  protected version(): string {
    return this.kind === "gitea" ? "/api/v1" : "/api/v3";
  }

  protected isAllowed({ authorization }: IncomingHttpHeaders): boolean {
    return authorization === `${this.kind === "gitea" ? "token" : "Bearer"} ${this.token}`;
  }

  protected answer(request: IncomingMessage, url: URL, text: string): Answer {
    const version = this.version();
    if (!this.isAllowed(request.headers)) return [401, { message: "token is required" }];
    if (!url.pathname.startsWith(`/sub/path${version}/`)) return this.refuse(404, `path ${url.pathname}`);
    let body: unknown = {};
    if (request.method !== "GET") {
      if (!request.headers["content-type"]?.startsWith("application/json"))
        return this.refuse(415, "no JSON");
      try {
        body = JSON.parse(text);
      } catch {
        return this.refuse(422, "not JSON");
      }
    }
    const path = url.pathname.slice(`/sub/path${version}`.length);
    return this.route({
      method: request.method ?? "",
      path,
      query: url.searchParams,
      body: body as Record<string, unknown>,
    });
  }

  protected route(asked: Asked): Answer {
    const { method, path } = asked;
    if (path === "/orgs/org/labels" && method === "GET" && this.kind === "gitea") {
      return this.#personal ? [404, { message: "org does not exist" }] : this.#list(this.orgLabels, asked);
    }
    if (!path.startsWith("/repos/org/fleet")) return [404, { message: "Not Found" }];
    const rest = path.slice("/repos/org/fleet".length);
    const [, number, part] = /^\/issues\/(\d+)(\/comments|\/labels)?$/.exec(rest) ?? [];
    const issue = this.issues.find((each) => String(each.number) === number);
    if (number !== undefined && issue === undefined) return [404, { message: "issue does not exist" }];
    if (rest === "") return [200, { permissions: { push: this.mayLabel, triage: this.mayLabel } }];
    if (rest.startsWith("/labels")) return this.#labels(asked, rest.slice("/labels".length));
    if (rest === "/issues" && method === "GET") return this.#listIssues(asked);
    if (rest === "/issues" && method === "POST") return this.#create(asked);
    if (issue === undefined) return this.refuse(404, `${method} ${path}`);
    if (part === "/labels")
      return method === "POST" ? this.#addLabels(asked, issue) : this.refuse(405, method);
    if (part !== undefined && method === "GET") {
      // Gitea knows no pages of comments.
      return this.kind === "gitea" ? [200, issue.comments] : this.#list(issue.comments, asked);
    }
    if (part !== undefined && method === "POST") return this.#comment(asked, issue);
    if (method === "GET") return [200, this.#show(issue)];
    return method === "PATCH" ? this.#edit(asked, issue) : this.refuse(405, method);
  }

  #labels({ method, body, query, path }: Asked, name: string): Answer {
    if (method === "GET" && name === "") return this.#list(this.repoLabels, { query, body, method, path });
    if (method === "GET") {
      const label = this.repoLabels.find((each) => `/${each.name}` === decodeURIComponent(name));
      return label === undefined ? [404, { message: "Not Found" }] : [200, label];
    }
    const { name: wanted, color } = body;
    const colour = this.kind === "gitea" ? /^#[0-9a-f]{6}$/ : /^[0-9a-f]{6}$/;
    if (typeof wanted !== "string" || typeof color !== "string" || !colour.test(color)) {
      return this.refuse(422, `label ${JSON.stringify(body)}`);
    }
    const taken = this.repoLabels.some((each) => each.name === wanted);
    if (taken && this.kind === "github") return [422, { message: "Validation Failed" }];
    const label = { id: this.nextId++, name: wanted };
    this.repoLabels.push(label);
    return [201, label];
  }

  #create({ body }: Asked): Answer {
    const { title, body: text, labels } = body;
    const unknown = Object.keys(body).filter((key) => !["title", "body", "labels"].includes(key));
    if (unknown.length > 0 || typeof title !== "string" || title === "" || typeof text !== "string") {
      return this.refuse(422, `issue ${JSON.stringify(body)}`);
    }
    const names = this.#named(labels);
    if (!Array.isArray(names)) return names.answer;
    return [201, this.#show(this.addIssue({ title, body: text, labels: this.mayLabel ? names : [] }))];
  }

  #named(labels: unknown): string[] | { answer: Answer } {
    if (!Array.isArray(labels)) return { answer: this.refuse(422, "labels") };
    // As the real one: Gitea's server cannot decode names into numbers.
    const type = this.kind === "gitea" ? "number" : "string";
    if (labels.some((label) => typeof label !== type)) {
      const words =
        "json: cannot unmarshal string into Go struct field CreateIssueOption.labels of type int64";
      return { answer: this.refuse(422, words) };
    }
    if (this.kind === "github") return labels as string[];
    const all = [...this.repoLabels, ...this.orgLabels];
    return all.filter(({ id }) => labels.includes(id)).map(({ name }) => name);
  }

  #addLabels({ body }: Asked, issue: FakeIssue): Answer {
    const names = this.#named(body.labels);
    if (!Array.isArray(names)) return names.answer;
    if (!this.mayLabel) return [403, { message: "forbidden" }];
    issue.labels = [...new Set([...issue.labels, ...names])];
    return [200, issue.labels.map((name) => ({ id: 1, name }))];
  }

  #listIssues(asked: Asked): Answer {
    const { query } = asked;
    const label = query.get("labels") ?? "";
    const state = query.get("state") ?? "open";
    // As the real one: a label that Gitea does not know in the repository does not filter.
    const knows = this.kind === "github" || this.repoLabels.some(({ name }) => name === label);
    const filters = label !== "" && knows;
    const since = Date.parse(query.get("since") ?? "1970-01-01T00:00:00Z");
    if (Number.isNaN(since)) return this.refuse(422, "since");
    const found = this.issues.filter(
      (issue) =>
        (state === "all" || issue.state === state) &&
        (!filters || issue.labels.includes(label)) &&
        Date.parse(issue.created_at) >= since,
    );
    return this.#list(
      found.reverse().map((issue) => this.#show(issue)),
      asked,
    );
  }

  #comment({ body }: Asked, issue: FakeIssue): Answer {
    if (typeof body.body !== "string" || body.body === "") return this.refuse(422, "comment");
    this.addComment(issue, body.body, "rollcall");
    return [201, issue.comments.at(-1)];
  }

  #edit({ body }: Asked, issue: FakeIssue): Answer {
    const { state, body: text, ...rest } = body;
    if (Object.keys(rest).length > 0) return this.refuse(422, `change ${JSON.stringify(body)}`);
    if (state !== undefined && state !== "open" && state !== "closed") return this.refuse(422, "state");
    if (typeof text === "string") issue.body = text;
    if (state !== undefined) issue.state = state;
    return [this.kind === "gitea" ? 201 : 200, this.#show(issue)];
  }

  #list(items: readonly unknown[], { query }: Asked): Answer {
    const asked = Number(query.get(this.kind === "gitea" ? "limit" : "per_page") ?? 30);
    const size = Math.min(asked, this.page);
    const page = Number(query.get("page") ?? 1);
    const shown = items.slice((page - 1) * size, page * size);
    const more = page * size < items.length;
    if (this.kind === "gitea") return [200, shown, { "x-total-count": String(items.length) }];
    return [
      200,
      shown,
      more || page > 1 ? { link: more ? '<http://x>; rel="next"' : '<http://x>; rel="prev"' } : {},
    ];
  }

  #show({ comments, labels, ...issue }: FakeIssue): object {
    return {
      ...issue,
      comments: comments.length,
      labels: labels.map((name) => ({ id: 1, name })),
      user: { login: "x" },
    };
  }

  protected refuse(status: number, what: string): Answer {
    this.refused.push(what);
    return [status, { message: what }];
  }
}

function misbehave({ how }: Fault, response: ServerResponse): void {
  if (how === "hang") return;
  if (how === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  if (how === "html") {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<html>please log in</html>");
    return;
  }
  if (how === "huge") {
    response.on("error", () => {});
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`[${"0,".repeat(5 * 1024 * 1024)}0]`);
    return;
  }
  response.writeHead(how.status, { "content-type": "application/json", ...how.headers });
  response.end(JSON.stringify({ message: how.says ?? `it is ${how.status}` }));
}
