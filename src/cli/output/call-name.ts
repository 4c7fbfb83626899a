import { existsSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** How this very program is called from where the person is. */
export function callName(): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  if (folders.some((folder) => existsSync(join(folder, "rollcall")))) return "rollcall";
  const program = fileURLToPath(new URL("../bin/rollcall.js", import.meta.url));
  return `node ${relative(process.cwd(), program)}`;
}
