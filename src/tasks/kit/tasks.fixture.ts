import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Task } from "../../core/task/task.ts";

/** For the tests of task sources: tasks as they are written, folders, and a server on a real socket. */
export function written({ workers, ...task }: Task): string {
  const json = { ...task, currentWorkers: workers };
  return JSON.stringify(json, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}

export function temporaryFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-tasks-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** A server whose answers can be changed; it remembers what it was asked. */
export async function serveTasks(first: Answering) {
  const asked: { url: string; headers: IncomingMessage["headers"] }[] = [];
  let answer = first;
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? "", headers: request.headers });
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer(next: Answering) {
      answer = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
