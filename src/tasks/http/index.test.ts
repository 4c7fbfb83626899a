import { describe, expect, it, onTestFinished } from "vitest";
import { madeUpTask, NOON } from "../../core/task/task.fixture.ts";
import type { Task } from "../../core/task/task.ts";
import { taskSourceContract } from "../../ports/task-source.contract.ts";
import { listedTasks } from "../kit/listed.ts";
import { type Answering, serveTasks, written } from "../kit/tasks.fixture.ts";
import { type HttpPlace, httpTasks } from "./index.ts";

const TOKEN = "s3cret-token";

function place(url: string, more: Partial<HttpPlace> = {}): HttpPlace {
  return { url, timeoutMs: 20_000, tokenEnv: undefined, tokenFile: undefined, env: {}, ...more };
}

/** Two tasks a page; how the next one is told differs, and pages have ETags or not. */
function board(tasks: readonly Task[], how: "link" | "body", etags: boolean): Answering {
  return (request, response) => {
    const page = Number(new URL(request.url ?? "", "http://x").searchParams.get("page") ?? "1");
    const shown = tasks.slice(2 * page - 2, 2 * page).map(written);
    const next = 2 * page < tasks.length ? `/tasks?page=${page + 1}` : null;
    const body = how === "link" ? `[${shown}]` : `{"tasks":[${shown}],"next":${JSON.stringify(next)}}`;
    if (how === "link" && next !== null) response.setHeader("link", `<${next}>; rel="next"`);
    const etag = `"${Buffer.from(body).toString("base64url")}"`.slice(0, 4000);
    if (etags) response.setHeader("etag", etag);
    if (etags && request.headers["if-none-match"] === etag) response.writeHead(304).end();
    else response.setHeader("content-type", "application/json").end(body);
  };
}

for (const how of ["link", "body"] as const) {
  for (const etags of [true, false]) {
    taskSourceContract(`a server (next in ${how}, ${etags ? "with" : "without"} ETags)`, async () => {
      const server = await serveTasks(board([], how, etags));
      return {
        open: (me) => listedTasks(httpTasks(place(`${server.origin}/tasks`)), { me, now: () => NOON }),
        put: (tasks) => server.answer(board(tasks, how, etags)),
        ruin: () => server.answer((_, response) => response.writeHead(500).end("[]")),
        cleanUp: () => server.stop(),
      };
    });
  }
}

async function serve(answer: Answering) {
  const server = await serveTasks(answer);
  onTestFinished(() => server.stop());
  return server;
}
const patience = () => new AbortController().signal;
const json = (status: number, body: string, headers = {}): Answering => {
  return (_, response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
};

describe("a server of tasks", () => {
  it("is asked with the token, which the address's own query does not replace", async () => {
    const server = await serve(json(200, "[]"));
    const secret = { tokenEnv: "T", env: { T: TOKEN } };
    expect(await httpTasks(place(`${server.origin}/tasks?board=7`, secret)).list(patience())).toEqual([]);
    expect(server.asked).toMatchObject([
      { url: "/tasks?board=7", headers: { authorization: `Bearer ${TOKEN}`, accept: "application/json" } },
    ]);
  });

  it("is asked without a token if none is set", async () => {
    const server = await serve(json(200, "[]"));
    await httpTasks(place(server.origin)).list(patience());
    expect(server.asked[0]?.headers.authorization).toBeUndefined();
  });

  it("sends only the pages that changed, once it gave ETags", async () => {
    const tasks = ["1", "2", "3", "4"].map((id) => madeUpTask(id));
    const server = await serve(board(tasks, "link", true));
    const list = httpTasks(place(`${server.origin}/tasks`));
    expect(await list.list(patience())).toEqual(tasks);
    const changed = tasks.with(3, madeUpTask("4", { reward: 5n }));
    const statuses: number[] = [];
    server.answer((request, response) => {
      response.on("finish", () => statuses.push(response.statusCode));
      board(changed, "link", true)(request, response);
    });
    expect(await list.list(patience())).toEqual(changed);
    expect(statuses).toEqual([304, 200]);
    expect(await list.list(patience())).toEqual(changed);
    expect(statuses).toEqual([304, 200, 304, 304]);
  });

  it("that moved a task to a later page meanwhile lists it once, as it was read last", async () => {
    const moved = [madeUpTask("1"), madeUpTask("2"), madeUpTask("1", { reward: 7n })];
    const server = await serve(board(moved, "body", false));
    const listed = await httpTasks(place(`${server.origin}/tasks`)).list(patience());
    expect(listed.map(({ id, reward }) => `${id} ${reward}`)).toEqual(["1 7", "2 100"]);
  });

  it("may redirect within itself", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/old") response.writeHead(308, { location: "/new/tasks" }).end();
      else if (request.url === "/new/tasks") response.end('{"tasks": [], "next": "more"}');
      else response.end("[]");
    });
    expect(await httpTasks(place(`${server.origin}/old`)).list(patience())).toEqual([]);
    expect(server.asked.map(({ url }) => url)).toEqual(["/old", "/new/tasks", "/new/more"]);
  });

  const refused = "expected 200 and a list of tasks";
  it.each<[string, Answering, string, string]>([
    ["refuses the token (401)", json(401, "[]"), "refused", "answered 401; expected a token that it accepts"],
    ["refuses the token (403)", json(403, "[]"), "refused", "answered 403; expected a token that it accepts"],
    [
      "has no such list",
      json(404, "[]"),
      "not-found",
      "answered 404; expected a list of tasks at this address",
    ],
    [
      "wants to rest",
      json(429, "[]", { "retry-after": "30" }),
      "limited",
      "answered 429; it wants fewer questions, the next in 30 s",
    ],
    [
      "wants to rest for long",
      json(429, "[]", { "retry-after": "x" }),
      "limited",
      "answered 429; it wants fewer questions",
    ],
    ["fails", json(503, "[]"), "unavailable", `answered 503; ${refused}`],
    ["says nothing", json(204, ""), "unavailable", `answered 204; ${refused}`],
    ["says that nothing changed since never", json(304, ""), "unavailable", `answered 304; ${refused}`],
    ["redirects to nowhere", json(302, ""), "unavailable", `answered 302; ${refused}`],
    [
      "redirects in a circle",
      json(302, "", { location: "/tasks" }),
      "redirected",
      "expected at most 5 redirections, not a circle",
    ],
    [
      "redirects to another",
      json(301, "", { location: "http://evil.example/?x" }),
      "redirected",
      "redirects to http://evil.example; expected an address that stays on its server; if that is right, set url to the new one",
    ],
    [
      "shows a login",
      (_, response) => response.setHeader("content-type", "text/html; charset=utf-8").end("<html>"),
      "bad-json",
      " (text/html): expected JSON, which goes wrong at line 1, column 1",
    ],
    ["answers an empty body", json(200, ""), "bad-json", "expected JSON, not nothing"],
    [
      "has a wrong task",
      json(200, '{"tasks": [{"id": "a"}]}'),
      "bad-task",
      "tasks[0].creator: expected who offers it, in 1 to 128 characters without blanks, not nothing",
    ],
    [
      "goes on in a circle",
      json(200, '{"tasks": [], "next": "/tasks?key=k"}'),
      "bad-paging",
      " (page 2): expected pages that end, not a circle",
    ],
    [
      "goes on elsewhere",
      json(200, '{"tasks": [], "next": "//evil.example/"}'),
      "bad-paging",
      "next: expected an address on the same server",
    ],
    ["goes on for ever", endless(), "bad-paging", " (page 101): expected at most 100 pages"],
    ["sends without end", flood, "too-large", "expected at most 20 MB in all"],
    [
      "hangs up",
      (_, response) => response.destroy(),
      "unavailable",
      "expected a server that answers, it does not (ECONNRESET)",
    ],
    [
      "hangs up within its answer",
      hangUp,
      "unavailable",
      "expected a server that answers, it does not (ECONNRESET)",
    ],
  ])("that %s is a clear error without a secret", async (_, answer, code, problem) => {
    const server = await serve(answer);
    const secret = { tokenEnv: "T", env: { T: TOKEN } };
    const failed: Error = await httpTasks(place(`${server.origin}/tasks?key=k`, secret))
      .list(patience())
      .then(
        () => expect.fail("it listed tasks"),
        (error: Error) => error,
      );
    const separator = problem.startsWith(" ") ? "" : ": ";
    expect(failed).toMatchObject({ code, message: `${server.origin}/tasks${separator}${problem}` });
    expect(JSON.stringify([failed.message, failed.stack, failed.cause])).not.toMatch(/s3cret|key=k/);
  });

  it("may not send more on all pages together than on one", async () => {
    const half = " ".repeat(11 * 1024 * 1024);
    const server = await serve((request, response) => {
      const next = request.url === "/" ? "?page=2" : null;
      response.end(`${half}{"tasks": [], "next": ${JSON.stringify(next)}}`);
    });
    await expect(httpTasks(place(server.origin)).list(patience())).rejects.toMatchObject({
      code: "too-large",
      message: `${server.origin}/ (page 2): expected at most 20 MB in all`,
    });
  });

  it("that refuses us says that a token would be right if there was none", async () => {
    const server = await serve(json(401, ""));
    await expect(httpTasks(place(server.origin)).list(patience())).rejects.toMatchObject({
      message: `${server.origin}/: answered 401; expected a token (tokenEnv or tokenFile)`,
    });
  });

  it("is not asked at all without the token that is set", async () => {
    const server = await serve(json(200, "[]"));
    await expect(httpTasks(place(server.origin, { tokenEnv: "T" })).list(patience())).rejects.toMatchObject({
      code: "no-token",
    });
    expect(server.asked).toEqual([]);
  });

  it("that is not there does not answer", async () => {
    const server = await serveTasks(json(200, "[]"));
    await server.stop();
    await expect(httpTasks(place(server.origin)).list(patience())).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("(ECONNREFUSED)"),
    });
  });

  it.each<[string, Answering]>([
    ["hangs", () => {}],
    ["hangs within its answer", (_, response) => response.write("[")],
  ])("that %s ends by the time limit, or when it is told to", async (_, answer) => {
    const server = await serve(answer);
    await expect(httpTasks(place(server.origin, { timeoutMs: 100 })).list(patience())).rejects.toMatchObject({
      code: "timeout",
      message: `${server.origin}/: expected the whole list within 100 ms`,
    });
    const controller = new AbortController();
    server.answer((request, response) => {
      answer(request, response);
      controller.abort();
    });
    await expect(httpTasks(place(server.origin)).list(controller.signal)).rejects.toMatchObject({
      code: "aborted",
    });
  });

  it("that fails at a later page keeps what was known of all of them", async () => {
    const tasks = ["1", "2", "3"].map((id) => madeUpTask(id));
    const server = await serve(board(tasks, "link", true));
    const list = httpTasks(place(`${server.origin}/tasks`));
    await list.list(patience());
    server.answer((request, response) => {
      if (request.url?.includes("page=2")) response.writeHead(500).end();
      else board(tasks, "link", true)(request, response);
    });
    await expect(list.list(patience())).rejects.toMatchObject({
      message: `${server.origin}/tasks (page 2): answered 500; ${refused}`,
    });
    server.answer(board(tasks, "link", true));
    expect(await list.list(patience())).toEqual(tasks);
    expect(server.asked.at(-1)?.headers["if-none-match"]).toBeTypeOf("string");
  });
});

function endless(): Answering {
  let page = 1;
  return (_, response) => {
    page += 1;
    response.setHeader("link", `</tasks?page=${page}>; rel=next`).end("[]");
  };
}

function flood(...[, response]: Parameters<Answering>): void {
  const chunk = Buffer.alloc(1024 * 1024, " ");
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more);
  more();
}

function hangUp(...[, response]: Parameters<Answering>): void {
  response.write("[", () => response.destroy());
}
