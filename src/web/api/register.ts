import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type * as z from "zod";
import { StoreError } from "../../ports/store.ts";
import { OperationError } from "../../service/operation-error.ts";
import { RollError } from "../../watch/intent.ts";
import type { Authenticator, Caller } from "../access/authenticator.ts";
import { type Body, jsonOf, readBody } from "../kit/body.ts";
import {
  isProblem,
  type ProblemCode,
  problem,
  problemBody,
  problemHeaders,
  problemStatus,
} from "../kit/problem.ts";
import { answerJson } from "./answer.ts";
import { AnswerWithHeaders, type ApiRoute } from "./route.ts";

export interface Registry {
  readonly routes: readonly ApiRoute[];
  readonly gate: Authenticator;
  readonly callerOf: (request: IncomingMessage) => Caller;
  readonly audit: (caller: Caller, what: string) => Promise<void>;
  readonly log: (error: unknown) => void;
}

type Env = { Bindings: HttpBindings };

/** The routes of the table, each behind its check of who may, with its input checked and its answer made. */
export function register({ routes, gate, callerOf, audit, log }: Registry): Hono<Env> {
  const app = new Hono<Env>();
  for (const route of routes) {
    app.on(route.method, route.path.replace(/\{(\w+)\}/g, ":$1"), async (c) => {
      const caller = callerOf(c.env.incoming);
      const refusal = gate.refusal(caller, route.need);
      if (refusal !== undefined) throw problem(refusal.code, refusal.detail);
      const url = new URL(c.req.url);
      const asked = {
        params: c.req.param() as Record<string, string>,
        query: route.query === undefined ? {} : checked(route.query, c.req.query(), "bad-request"),
        body:
          route.body === undefined
            ? {}
            : checked(route.body, await bodyOf(c.env.incoming), route.badBody ?? "bad-request"),
        caller,
        url,
        secure: c.req.header("x-forwarded-proto") === "https",
      };
      const found = await route.handle(asked);
      if (route.method !== "GET") {
        const more = route.audited === undefined ? "" : ` ${short(route.audited(asked))}`;
        await audit(caller, `${route.method} ${url.pathname}${more}`);
      }
      const [value, headers] =
        found instanceof AnswerWithHeaders ? [found.value, found.headers] : [found, {}];
      return answerJson(c, route.answer === undefined ? 204 : (route.status ?? 200), value, headers);
    });
  }
  app.notFound((c) => refuse(c, notHere(routes, c)));
  app.onError((error, c) => {
    if ((error instanceof OperationError || error instanceof RollError) && isProblem(error.code))
      return refuse(c, error);
    if (error instanceof StoreError) return refuse(c, problem("cannot-store", error.message));
    log(error);
    return refuse(c, problem("internal", "the request was not at fault"));
  });
  return app;
}

/** An entry of the audit log is for reading, and is kept for long. */
const AUDITED = 10_000;

function short(text: string): string {
  return text.length > AUDITED ? `${text.slice(0, AUDITED - 1).toWellFormed()}…` : text;
}

/** An address that exists under other methods names them. */
function notHere(routes: readonly ApiRoute[], c: Context): OperationError {
  const isHere = ({ path }: ApiRoute) =>
    new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`).test(c.req.path);
  const methods = routes.filter(isHere).map(({ method }) => method);
  if (methods.length === 0) return problem("not-found", `${c.req.method} ${c.req.path}`);
  return problem("wrong-method", `this address takes ${[...new Set(methods)].join(", ")}`);
}

function refuse(c: Context, { code, message, retryAfter }: OperationError | RollError): Response {
  const known = isProblem(code) ? code : "internal";
  return c.body(problemBody(known, message), problemStatus(known) as 400, problemHeaders(known, retryAfter));
}

/** Read off the socket itself, so that the limits of beats hold here too. No body is an empty object. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const body = await new Promise<Body>((done) => readBody(request, done));
  const read = "text" in body && body.text === "" ? { value: {} } : jsonOf(body);
  if ("refused" in read) throw problem(read.refused, read.why);
  return read.value;
}

function checked(schema: z.ZodType, value: unknown, code: ProblemCode): unknown {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const said = read.error.issues.map(({ path, message }) => {
    const where = path.join(".");
    return where === "" ? message : `${where}: expected ${message}`;
  });
  throw problem(code, said.join("; "));
}
