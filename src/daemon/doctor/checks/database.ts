import { existsSync } from "node:fs";
import { StoreError } from "../../../ports/store.ts";
import { connectToRead } from "../../../store/sqlite/connection.ts";
import { checkCurrent, checkOwner } from "../../../store/sqlite/migrate.ts";
import { MIGRATIONS } from "../../../store/sqlite/migrations.ts";
import { problem } from "../../../store/sqlite/problems.ts";
import type { Check, Finding } from "../check.ts";
import { quoted } from "../quoted.ts";

/** How many of SQLite's complaints are worth reading. */
const COMPLAINTS = 3;

export const databaseCheck: Check = {
  name: "database",
  looksAt: "the database opens, is whole (`quick_check`), and is not of a newer version",
  worst: "error",
  async run({ home, command }) {
    const file = home.database;
    if (!existsSync(file))
      return [{ level: "ok", says: "no database yet: the watcher makes it at its first start" }];
    try {
      return [lookInto(file)];
    } catch (error) {
      const { code, message } = problem(file, error);
      return [
        { level: code === "busy" ? "warning" : "error", says: message, todo: todoFor(code, file, command) },
      ];
    }
  },
};

/** Only reading, so that a damaged file stays as it is for whoever mends it. */
function lookInto(file: string): Finding {
  const db = connectToRead(file);
  try {
    checkOwner(db, file, MIGRATIONS.length);
    const complaints: unknown[] = db.prepare(`PRAGMA quick_check(${COMPLAINTS})`).all();
    const said = complaints.map(String).join("; ");
    if (said !== "ok") throw new StoreError("corrupt", `the database ${file} is damaged: ${said}`);
    try {
      checkCurrent(db, file, MIGRATIONS.length);
    } catch (error) {
      return { level: "note", says: problem(file, error).message };
    }
    return { level: "ok", says: `${file} is whole` };
  } finally {
    db.close();
  }
}

function todoFor(code: StoreError["code"], file: string, command: (words: string) => string): string {
  if (code === "newer-schema")
    return "Update Rollcall to the version that wrote it: npm install --global rollcall@latest";
  if (code === "busy") return `Look again in a moment: ${command("doctor")}`;
  if (code === "corrupt")
    return `Save what can be read into a new one: sqlite3 ${quoted(file)} .recover | sqlite3 ${quoted(`${file}.recovered`)}`;
  return `See whose it is and what it is: ls -l ${quoted(file)}`;
}
