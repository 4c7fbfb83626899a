import type { Value } from "../kit/protocol.ts";

const NEEDS_ESCAPE = /["\\]/g;
const CONTROL = /[\0-\x1f]/;

/** PostgreSQL's text for an array. `pg` makes the same, more slowly. */
export function arrayOf(values: readonly Value[]): string {
  let list = "";
  for (const value of values) {
    if (list !== "") list += ",";
    if (value === null) list += "NULL";
    else if (typeof value === "number") list += value;
    // JSON escapes these two as arrays do, and faster; but it writes control characters in its own way.
    else if (CONTROL.test(value)) list += `"${value.replace(NEEDS_ESCAPE, "\\$&")}"`;
    else list += JSON.stringify(value);
  }
  return `{${list}}`;
}
