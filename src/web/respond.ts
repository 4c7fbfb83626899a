import type { Context } from "hono";
import type { Page } from "../ports/store.ts";
import { PROBLEM_TYPE, type ProblemCode, problemBody, problemStatus } from "./problem.ts";

export function problem(c: Context, code: ProblemCode, detail: string): Response {
  return c.body(problemBody(code, detail), problemStatus(code) as 400, { "content-type": PROBLEM_TYPE });
}

const MOST = 10_000;

/** Which page of a list is asked for: `limit`, and `before` an instant. */
export function pageOf(c: Context): Page {
  const asked = Number(c.req.query("limit") ?? 100);
  const before = Date.parse(c.req.query("before") ?? "");
  return {
    limit: Number.isSafeInteger(asked) ? Math.min(Math.max(asked, 1), MOST) : 100,
    ...(Number.isFinite(before) ? { before } : {}),
  };
}
