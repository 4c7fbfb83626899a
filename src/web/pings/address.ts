import type { PingKind } from "../../core/ping/ping.ts";

export interface PingAddress {
  readonly to: { readonly uuid: string } | { readonly key: string; readonly slug: string };
  readonly kind: PingKind;
  readonly exitCode?: number;
  readonly rid?: string;
  readonly create: boolean;
}

/** The answers of the contract, word for word: clients look at them. */
export type PingProblem = "not found" | "invalid url format" | "invalid uuid format";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const KINDS: Readonly<Record<string, PingKind>> = { start: "start", fail: "fail", log: "log" };

/** Reads `/ping/<uuid>[/<what>]` and `/ping/<key>/<slug>[/<what>]`, where what is a word or an exit code. */
export function readAddress(url: string): PingAddress | { readonly problem: PingProblem } {
  const [path = "", query = ""] = url.split("?", 2);
  const parts = path.slice("/ping/".length).split("/");
  // A slash at the end is fine after a bare UUID only.
  if (parts.length === 2 && parts[1] === "" && UUID.test(parts[0] ?? "")) parts.pop();
  const [first = "", second, third] = parts;
  if (UUID.test(first) && parts.length <= 2) return withWhat({ uuid: first }, second, query);
  if (second === undefined || second === "" || parts.length > 3) return { problem: "not found" };
  if (!/^[A-Za-z0-9_-]+$/.test(second)) return { problem: "not found" };
  if (second !== second.toLowerCase()) return { problem: "invalid url format" };
  return withWhat({ key: first, slug: second }, third, query);
}

function withWhat(
  to: PingAddress["to"],
  what: string | undefined,
  query: string,
): PingAddress | { readonly problem: PingProblem } {
  const asked = new URLSearchParams(query);
  const rid = asked.get("rid");
  const more = {
    to,
    create: asked.get("create") === "1",
    ...(rid === null ? {} : { rid: rid.toLowerCase() }),
  };
  if (what === undefined) return { ...more, kind: "success" };
  const kind = KINDS[what];
  if (kind !== undefined) return { ...more, kind };
  if (!/^\d+$/.test(what)) return { problem: "not found" };
  const exitCode = Number(what);
  if (exitCode > 255) return { problem: "invalid url format" };
  return { ...more, kind: exitCode === 0 ? "success" : "fail", exitCode };
}

export function isRunId(text: string): boolean {
  return UUID.test(text);
}
