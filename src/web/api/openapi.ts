import * as z from "zod";
import { PROBLEM_TYPE, PROBLEMS, type ProblemCode } from "../kit/problem.ts";
import type { ApiRoute } from "./route.ts";
import { problem } from "./schemas.ts";

/** What takes a way of its own past the table: an operation of the document, written by hand. */
export interface Plain {
  readonly methods: readonly string[];
  readonly path: string;
  readonly summary: string;
  readonly need: ApiRoute["need"] | "secret address";
  readonly answers: readonly [status: number, type?: string];
  readonly problems?: readonly ProblemCode[];
}

type Json = Record<string, unknown>;

/** The OpenAPI document of the table, made of the same schemas that check what comes in. */
export function openApi(routes: readonly ApiRoute[], plain: readonly Plain[], version: string): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  const put = (path: string, method: string, operation: Json) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  for (const route of routes) put(route.path, route.method, operationOf(route, schemas));
  for (const each of plain) {
    for (const method of each.methods) put(each.path, method, plainOperation(each));
  }
  const problemSchema = schemaOf(problem, "output", schemas);
  return {
    openapi: "3.1.0",
    info: {
      title: "Rollcall",
      version,
      description: "Which agents are alive, which are not, and why. On loopback, beats need no token.",
    },
    paths,
    components: {
      schemas: { ...schemas, Problem: problemSchema },
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "cookie", name: "rollcall" },
      },
    },
  };
}

function operationOf(route: ApiRoute, schemas: Json): Json {
  const { answer, status = 200 } = route;
  const good =
    answer === undefined
      ? { 204: { description: "done" } }
      : {
          [status]: {
            description: route.summary,
            content: { "application/json": { schema: schemaOf(answer, "output", schemas) } },
          },
        };
  return {
    summary: route.summary,
    ...securityOf(route.need),
    parameters: [...pathParameters(route.path), ...queryParameters(route, schemas)],
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            content: { "application/json": { schema: schemaOf(route.body, "input", schemas) } },
          },
        }),
    responses: { ...good, ...problemsOf(problemsIn(route)) },
  };
}

/** What any route of its kind may answer with, and what it names itself. */
function problemsIn({ need, query, body, problems = [] }: ApiRoute): readonly ProblemCode[] {
  return [
    ...(need === "nothing" ? [] : (["needs-token", "wrong-scope"] as const)),
    ...(query === undefined ? [] : (["bad-request"] as const)),
    ...(body === undefined ? [] : (["bad-json", "too-large"] as const)),
    ...problems,
    "not-allowed",
    "too-many-requests",
    "cannot-store",
  ];
}

function plainOperation({ path, summary, need, answers: [status, type], problems = [] }: Plain): Json {
  const content = type === undefined ? {} : { content: { [type]: { schema: { type: "string" } } } };
  return {
    summary,
    ...(need === "secret address" ? {} : securityOf(need)),
    parameters: pathParameters(path),
    responses: { [status]: { description: summary, ...content }, ...problemsOf(problems) },
  };
}

function securityOf(need: ApiRoute["need"]): Json {
  if (need === "nothing") return {};
  // Without any is enough on loopback, for beats.
  const local = need === "beat" ? [{}] : [];
  return { description: `scope ${need}`, security: [{ token: [] }, { session: [] }, ...local] };
}

function problemsOf(codes: readonly ProblemCode[]): Json {
  const byStatus = new Map<number, Set<string>>();
  for (const code of codes) {
    const [status] = PROBLEMS[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const content = { [PROBLEM_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } } };
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => [status, { description: [...found].join(", "), content }]),
  );
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters({ query }: ApiRoute, schemas: Json): Json[] {
  if (query === undefined) return [];
  const { properties = {} } = schemaOf(query, "input", schemas) as { properties?: Record<string, Json> };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: false,
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

/** A schema as JSON Schema; those with a name of their own go to the components and are referred to. */
function schemaOf(schema: z.ZodType, io: "input" | "output", schemas: Json): Json {
  const made = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json;
  const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $defs = {}, $schema: _, id: __, ...rest } = JSON.parse(text) as Json & { $defs?: Json };
  for (const [name, definition] of Object.entries($defs)) {
    const { id: ___, ...shape } = definition as Json;
    schemas[name] = shape;
  }
  return rest;
}
