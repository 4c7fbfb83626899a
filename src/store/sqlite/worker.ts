// The thread that the database runs in, so that a slow disk never holds up the watcher. It answers one request
// after the other, in order; the first answer is for the opening.
import { parentPort, workerData } from "node:worker_threads";
import { type Database, openDatabase } from "./database.ts";
import { problem } from "./problems.ts";
import type { Request, Slice, SqliteThreadDeps, ThreadAnswer } from "./protocol.ts";

const opening = workerData as SqliteThreadDeps;
const port = parentPort;
if (port === null) throw new Error("this file is the entry of a worker thread, not a program");

const answer = (work: () => unknown): boolean => {
  let reply: ThreadAnswer;
  try {
    reply = { ok: true, value: work() };
  } catch (error) {
    const { code, message } = problem(opening.file, error);
    reply = { ok: false, code, message };
  }
  port.postMessage(reply);
  return reply.ok;
};

/** Slices on their way. A few, so that neither side waits for the other all the time. */
const AHEAD = 4;

let sent = 0;
const takeSlice = (slice: Slice): void => {
  port.postMessage({ ok: true, slice } satisfies ThreadAnswer);
  sent++;
  let taken = Atomics.load(opening.taken, 0);
  while (sent - taken > AHEAD) {
    Atomics.wait(opening.taken, 0, taken);
    taken = Atomics.load(opening.taken, 0);
  }
};

let database: Database | undefined;
const opened = answer(() => {
  database = openDatabase({ ...opening, takeSlice });
  return null;
});
if (opened && database !== undefined) serve(database);

function serve(on: Database): void {
  port?.on("message", (request: Request) => {
    answer(() => run(on, request));
    if (request.call === "close") port.close();
  });
}

function run(on: Database, request: Request): unknown {
  switch (request.call) {
    case "commit":
      return on.commit(request.ask);
    case "prune":
      return on.prune(request.ask);
    case "copy":
      return on.copy(request.ask);
    case "list":
      return on.list(request.ask);
    case "changesSince":
      return on.changesSince(request.ask);
    case "loadAgent":
      return on.loadAgent(request.ask);
    case "one":
      return on.one(request.ask);
    case "flipsSince":
      return on.flipsSince(request.ask);
    case "stateTimes":
      return on.stateTimes(request.ask);
    case "beatCounts":
      return on.beatCounts(request.ask);
    case "beats":
    case "flips":
    case "cycles":
      return on[request.call](request.ask);
    case "renewSpool":
      return on.renewSpool(request.ask);
    case "outgoing":
      return on.outgoing(request.ask);
    case "forgetOutgoing":
      return on.forgetOutgoing(request.ask);
    case "load":
    case "lastMark":
    case "spool":
    case "underWay":
    case "close":
      return on[request.call](null);
  }
}
