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
  /** What it answers with; nothing is 204. */
  readonly answer?: z.ZodType;
  readonly status?: 200 | 201;
  readonly problems?: readonly ProblemCode[];
  /** What the audit log says of a request besides its address. Nothing secret. */
  readonly audited?: (asked: RouteRequest<Query, Body>) => string;
  readonly handle: (asked: RouteRequest<Query, Body>) => Promise<unknown> | unknown;
}

/** An answer that sets headers too. */
export class AnswerWithHeaders {
  readonly value: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(value: unknown, headers: Readonly<Record<string, string>>) {
    this.value = value;
    this.headers = headers;
  }
}

/** Lets the handler know the types of its own schemas. */
export function route<Query, Body>(given: ApiRoute<Query, Body>): ApiRoute {
  return given as unknown as ApiRoute;
}
