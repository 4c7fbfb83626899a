import type * as z from "zod";
import type { Need } from "../../core/access/token.ts";
import type { Caller } from "../access/authenticator.ts";
import type { ProblemCode } from "../kit/problem.ts";

/** What a request brings to its handler, checked. */
export interface RouteRequest<Query, Body> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  /** The path and query as they were asked, to make the address of the next page from. */
  readonly url: URL;
  /** Whether the sender reached whoever passed it on over TLS. */
  readonly secure: boolean;
}

/**
 * One address of the API. The table of these is what registers the routes, what checks their input and what the
 * OpenAPI document is made of, so that none of the three can say something else.
 */
export interface ApiRoute<Query = unknown, Body = unknown> {
  readonly method: "GET" | "POST" | "DELETE";
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly summary: string;
  readonly need: Need;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** What stands for a body that does not fit. */
  readonly badBody?: ProblemCode;
  readonly answer?: z.ZodType;
  readonly status?: 200 | 201;
  readonly problems?: readonly ProblemCode[];
  /** What the audit log says of a request besides its address. Nothing secret. */
  readonly audited?: (asked: RouteRequest<Query, Body>) => string;
  readonly handle: (asked: RouteRequest<Query, Body>) => Promise<unknown> | unknown;
}

export class AnswerWithHeaders {
  readonly value: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(value: unknown, headers: Readonly<Record<string, string>>) {
    this.value = value;
    this.headers = headers;
  }
}

type Given<Query, Body> = Omit<ApiRoute<Query, Body>, "method" | "path" | "summary" | "need"> &
  Partial<Pick<ApiRoute, "need">>;

const routeOf =
  (method: ApiRoute["method"], need: Need) =>
  <Query, Body>(path: string, summary: string, given: Given<Query, Body>): ApiRoute => {
    const route: ApiRoute<Query, Body> = { need, ...given, method, path: `/api/v1${path}`, summary };
    // Its handler knows the types of its own schemas; the table does not.
    return route as unknown as ApiRoute;
  };

/** Reading needs the scope read, and changing the scope admin, unless the route names another. */
export const get = routeOf("GET", "read");
export const post = routeOf("POST", "admin");
export const remove = routeOf("DELETE", "admin");
