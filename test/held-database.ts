import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { root } from "./product.ts";

/** Holds the write lock of a database, as a process of its own, until it is let go. */
export async function hold(file: string): Promise<() => Promise<void>> {
  const program = `const { DatabaseSync } = require("@photostructure/sqlite");
    const db = new DatabaseSync(${JSON.stringify(file)}, { timeout: 5000 });
    db.exec("BEGIN EXCLUSIVE");
    console.log("held");
    process.stdin.on("end", () => db.exec("ROLLBACK")).resume();`;
  const child = spawn(process.execPath, ["-e", program], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return async () => {
    child.stdin.end();
    await once(child, "exit");
  };
}
