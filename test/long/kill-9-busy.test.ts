import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openSqlite } from "../../src/store/sqlite/index.ts";
import { daemon, temporaryHome, until } from "../product.ts";

const KILLS = 200;
const BEATERS = 16;
/** In every so many lives of the watcher it restarts an agent before it is killed; in others it may be killed over that. */
const RESTARTS_EVERY = 4;
/** How many agents say error in each life of the watcher. Each says it once, and must be told of once. */
const ERRORS = 3;

interface Heard {
  readonly key: string;
  readonly subject: string;
  readonly body: string;
}

/** A webhook that takes its time now and then, so that kills fall between sending and being answered. */
async function sink(): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const { key, message } = JSON.parse(body) as {
        key: string;
        message: { data?: { subject?: string; messages?: { data?: { subject?: string } }[] } };
      };
      for (const { data } of message.data?.messages ?? [message])
        heard.push({ key, subject: data?.subject ?? "", body });
      setTimeout(() => response.end("ok"), (heard.length % 5) * 40);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, heard };
}

/** Beats over one connection until it breaks; every acknowledged id is noted. */
function beat(
  url: string,
  beats: () => Record<string, unknown> | undefined,
  noted: (beat: Record<string, unknown>) => void,
): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((done) => {
    const socket = connect(Number(port), hostname);
    let sent: Record<string, unknown> | undefined;
    const send = () => {
      sent = beats();
      if (sent === undefined) return socket.end();
      const body = JSON.stringify(sent);
      return socket.write(
        `POST /api/v1/beats HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    };
    socket.on("connect", send);
    socket.on("data", (chunk) => {
      if (!chunk.toString("latin1").startsWith("HTTP/1.1 204")) return void socket.destroy();
      if (sent !== undefined) noted(sent);
      send();
    });
    socket.on("error", () => {});
    socket.on("close", () => done());
  });
}

it(`${KILLS} times kill -9 with beats, incidents, webhooks, restarts and reloads going on: nothing is lost, repeats carry their key`, {
  timeout: 1_800_000,
}, async () => {
  const { url: hook, heard } = await sink();
  const home = temporaryHome();
  const scratch = join(home, "scratch");
  mkdirSync(scratch, { mode: 0o700 });
  const pidFile = join(scratch, "worker.pid");
  const starts = join(scratch, "starts");
  const errors = Array.from({ length: KILLS * ERRORS }, (_, i) => `e${i}`);
  const config = (grace: string) =>
    [
      "livenessInterval: 200ms",
      `defaults: { every: 1h, grace: ${grace} }`,
      "policy: { hold: 100ms, group: 100ms }",
      `channels: { hook: { kind: webhook, url: "${hook}", secretFile: ${join(scratch, "secret")} } }`,
      "agents:",
      ...errors.map((id) => `  - { id: ${id}, group: ${id} }`),
      "  - id: worker",
      "    group: worker",
      `    process: { pidFile: ${pidFile} }`,
      `    recover: [{ do: restart, with: { command: 'echo x >> ${starts}; sleep 1000 < /dev/null > /dev/null 2>&1 & echo $! > ${pidFile}' }, backoff: { first: 1s, longest: 1s }, budget: { times: 20, within: 1m } }]`,
      "",
    ].join("\n");
  writeFileSync(join(scratch, "secret"), "secret\n", { mode: 0o600 });
  writeFileSync(join(home, "rollcall.yaml"), config("5m"));
  const worker: ChildProcess = spawn("sleep", ["1000"], { stdio: "ignore" });
  writeFileSync(pidFile, `${worker.pid}\n`);
  const endWorker = () => {
    try {
      process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
    } catch {
      // It is being started.
    }
  };
  onTestFinished(endWorker);

  const restarted = () => (existsSync(starts) ? readFileSync(starts, "utf8").length / "x\n".length : 0);

  const acknowledged = new Map<string, string>();
  const said = new Set<string>();
  for (let round = 0; round < KILLS; round++) {
    const { url, child, end } = await daemon(home);
    const before = acknowledged.size;
    const note = ({ id, agent }: Record<string, unknown>) => void acknowledged.set(String(id), String(agent));
    const beaters = Array.from({ length: BEATERS }, (_, i) =>
      beat(url, () => ({ id: randomUUID(), agent: `b${i}`, action: "work" }), note),
    );
    const wishes = errors.slice(round * ERRORS, (round + 1) * ERRORS);
    const failing = beat(
      url,
      () => {
        const agent = wishes.shift();
        return agent === undefined
          ? undefined
          : { id: randomUUID(), agent, status: "error", message: `round ${round}` };
      },
      (one) => {
        note(one);
        said.add(String(one.agent));
      },
    );
    writeFileSync(join(home, "rollcall.yaml"), config(round % 2 === 0 ? "6m" : "5m"));
    child.kill("SIGHUP");
    const [restarts, isWaitedFor] = [restarted(), round % RESTARTS_EVERY === 0];
    if (round % 2 === 0) endWorker();
    // Another moment of its life each time.
    const enough = 20 + ((round * 37) % 500);
    await until(
      () => acknowledged.size - before > enough && (!isWaitedFor || restarted() > restarts),
      (isReached) => isReached,
    );
    await end("SIGKILL");
    await Promise.all([...beaters, failing]);
  }

  const last = await daemon(home);
  await expect
    .poll(() => [...said].filter((agent) => !heard.some(({ subject }) => subject === agent)), {
      timeout: 120_000,
    })
    .toEqual([]);
  await last.end("SIGTERM");
  const store = await openSqlite(`${home}/rollcall.db`, { readOnly: true });
  const stored = new Set<string>();
  for (const agent of new Set(acknowledged.values()))
    for (const { id } of await store.beats(agent, { limit: 1_000_000 })) stored.add(id);
  await store.close();
  expect([...acknowledged.keys()].filter((id) => !stored.has(id))).toEqual([]);

  // A message that came again says the same, under the same key; no agent is told of under two keys for one error.
  const keys = new Map<string, Set<string>>();
  for (const { key, subject } of heard.filter(({ subject }) => said.has(subject)))
    keys.set(subject, (keys.get(subject) ?? new Set()).add(key));
  expect([...keys].filter(([, list]) => list.size > 1)).toEqual([]);
  expect(said.size).toBeGreaterThan(KILLS);
  expect(restarted()).toBeGreaterThanOrEqual(KILLS / RESTARTS_EVERY);
  const repeats = heard.length - new Set(heard.map(({ key, subject }) => `${key} ${subject}`)).size;
  console.log(
    `${KILLS} kills, ${acknowledged.size} beats, ${said.size} errors, ${heard.length} messages, ${repeats} repeats, ` +
      `${restarted()} restarts`,
  );
});
