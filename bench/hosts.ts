import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { HostEntry, HostFact } from "../src/core/host/fact.ts";
import { CommandDesk, type Deeds } from "../src/link/command-desk.ts";
import { httpHub } from "../src/link/http-client.ts";
import { HubLink } from "../src/link/link.ts";
import { memoryStore } from "../src/store/memory/memory.ts";
import { systemClock } from "../src/system/clock.ts";
import { uuidv7 } from "../src/system/uuid.ts";
import { VERSION } from "../src/system/version.ts";
import { quantile } from "./load.ts";
import type { Result } from "./main.ts";

const HOSTS = 1000;
const AGENTS = 20;
/** Of each host, so many agents have something new each minute. */
const ACTIVE = 4;
/** How long each part takes; `npm run bench -- hosts` with HOSTS_MINUTES=10 shows what the docs say. */
const MINUTES = Number(process.env.HOSTS_MINUTES ?? 2);
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const script = join(new URL("..", import.meta.url).pathname, "bin/rollcall.js");

/** Many hosts and one hub: what it costs, how quickly it shows a change, and how hosts come back to a hub that was down. */
export async function hosts(): Promise<Result[]> {
  return [...(await onTheWire()), ...(await atTheHub())];
}

/** A real host with idle agents, and every byte that goes between it and its hub. */
async function onTheWire(): Promise<Result[]> {
  const [hubHome, hostHome] = [newHome("hub: { serve: true }\n"), newHome(idleAgents())];
  const hub = await started(hubHome);
  const wire = await counted(hub.url);
  const host = { child: undefined as ChildProcess | undefined };
  try {
    const { code } = await invited(hubHome, "web1", "server");
    await rollcall(hostHome, "join", wire.url, code);
    host.child = (await started(hostHome)).child;
    // What it tells when it joins is told once, and not each day.
    await sleep(90_000);
    const before = wire.count();
    await sleep(MINUTES * 60_000);
    const after = wire.count();
    const days = MINUTES / (24 * 60);
    const perDay = (bytes: number) => bytes / days / 1e6;
    const [all, bodies] = [perDay(after.bytes - before.bytes), perDay(after.bodies - before.bodies)];
    return [
      {
        name: `a host with ${AGENTS} idle agents, both ways, a day: bodies`,
        ours: `${bodies.toFixed(2)} MB`,
        baseline: `over ${MINUTES} min`,
        ratio: null,
        aim: "under 3 MB",
        value: bodies,
      },
      {
        name: "the same with HTTP headers, before TLS",
        ours: `${all.toFixed(2)} MB`,
        baseline: `over ${MINUTES} min`,
        ratio: null,
        aim: "under 6 MB",
        value: all,
      },
    ];
  } finally {
    wire.close();
    for (const child of [hub.child, host.child]) child?.kill("SIGKILL");
    for (const home of [hubHome, hostHome]) removed(home);
  }
}

/** A thousand hosts that speak the real wire, each with agents that live and now and then fail. */
async function atTheHub(): Promise<Result[]> {
  const home = newHome("hub: { serve: true }\nlisten: 127.0.0.1:0\n");
  let hub = await started(home);
  const { port } = new URL(hub.url);
  const fleet: PretendHost[] = [];
  try {
    const { code } = await invited(home, "fleet", "ephemeral");
    for (let at = 0; at < HOSTS; at++) fleet.push(await PretendHost.join(hub.url, code, `h${at}`));
    await until(() => fleet.every(({ isIn }) => isIn));
    const idle = await cpuOver(hub.child, 10);
    const flipped = new Map<string, number>();
    const delays: number[] = [];
    const page = watched(hub.url, home, flipped, delays);
    const lively = setInterval(() => {
      for (const host of fleet) host.live();
    }, 60_000);
    const failing = setInterval(() => {
      const host = fleet[Math.floor(Math.random() * HOSTS)];
      if (host !== undefined) flipped.set(host.flip(), performance.now());
    }, 1000);
    for (const host of fleet) host.live();
    const share = await cpuOver(hub.child, MINUTES * 60);
    page.destroy();
    for (const timer of [lively, failing]) clearInterval(timer);
    const agentHours = (HOSTS * AGENTS * MINUTES) / 60;

    hub.child.kill("SIGKILL");
    for (let minute = 0; minute < MINUTES; minute++) {
      for (const host of fleet) host.live();
      await sleep(60_000);
    }
    for (const host of fleet) host.cameBackAt = undefined;
    hub = await started(home, port);
    const began = performance.now();
    await until(() => fleet.every(({ isIn }) => isIn));
    const took = (performance.now() - began) / 1000;
    const backAt = fleet.map(({ cameBackAt = began }) => (cameBackAt - began) / 1000);
    const most = Math.max(
      ...Array.from(
        { length: Math.ceil(took) },
        (_, at) => backAt.filter((t) => t >= at && t < at + 1).length,
      ),
    );
    const row = (name: string, ours: string, baseline: string, aim: string, value?: number): Result => ({
      ...{ name, ours, baseline, ratio: null, aim },
      ...(value === undefined ? {} : { value }),
    });
    return [
      row(
        `hub, ${HOSTS} hosts of ${AGENTS} agents, share of a core`,
        `${(share * 100).toFixed(1)} %`,
        `${(idle * 100).toFixed(1)} % with marks alone`,
        "at most 10 %",
        share * 100,
      ),
      row(
        "CPU time of the hub for an agent-hour",
        `${((share * MINUTES * 60_000) / agentHours).toFixed(2)} ms`,
        `${MINUTES} min`,
        "about 3 ms",
      ),
      row(
        "a flip on a host until the page's stream has it, p95",
        `${Math.round(quantile(delays, 0.95))} ms`,
        `${delays.length} flips, median ${Math.round(quantile(delays, 0.5))} ms`,
        "under 1 s",
        quantile(delays, 0.95) / 1000,
      ),
      row(
        `after ${MINUTES} min of downtime, until all backlogs are in`,
        `${took.toFixed(1)} s`,
        `at most ${most} hosts came back within one second`,
        "spread over 30 s",
      ),
    ];
  } finally {
    for (const host of fleet) void host.stop();
    hub.child.kill("SIGKILL");
    removed(home);
  }
}

class PretendHost {
  /** When it was first heard again. */
  cameBackAt: number | undefined;
  readonly #store = memoryStore();
  readonly #link: HubLink;
  readonly #name: string;
  readonly #failing = new Set<number>();
  #turn = 0;

  static async join(url: string, code: string, name: string): Promise<PretendHost> {
    const machine = `machine-${name}`;
    const joined = await post(`${url}/hub/v1/join`, { code, name, version: VERSION, machine });
    const host = new PretendHost(url, name, String(joined.token));
    await host.#link.start();
    return host;
  }

  constructor(url: string, name: string, token: string) {
    this.#name = name;
    const client = httpHub({ url }, async () => token);
    this.#link = new HubLink({
      ...{ host: name, version: VERSION, boot: `boot-${name}`, outgoing: this.#store.outgoing },
      ...{ clock: systemClock, log: SILENT, chance: Math.random, newId: uuidv7 },
      client: {
        commands: client.commands,
        send: async (batch) => {
          const reply = await client.send(batch);
          if ("answer" in reply) this.cameBackAt ??= performance.now();
          return reply;
        },
      },
      desk: new CommandDesk({
        ...{ host: name, clock: systemClock, deeds: {} as Deeds, records: [] },
        allow: () => [],
        persist: async () => {},
      }),
      onRenewed: () => {
        const agents = Array.from({ length: AGENTS }, (_, at) => `a${at}`);
        const entries = agents.map((_, at): HostFact => this.#entry("entry", at));
        void this.#commit([{ k: "hello", at: Date.now(), agents }, ...entries]);
      },
    });
  }

  /** The hub has everything. */
  get isIn(): boolean {
    return this.#link.state.hub === "in contact" && this.#waiting === 0;
  }

  #waiting = 0;

  /** A minute of ordinary life. */
  live(): void {
    this.#turn += 1;
    const some = Array.from({ length: ACTIVE }, (_, at) => (this.#turn * ACTIVE + at) % AGENTS);
    void this.#commit(some.map((at) => this.#entry("entry", at)));
  }

  /** One of its agents fails, or is well again. Answers what the hub calls it. */
  flip(): string {
    const at = Math.floor(Math.random() * AGENTS);
    if (!this.#failing.delete(at)) this.#failing.add(at);
    void this.#commit([this.#entry("flip", at)]).then(() => this.#link.nudge());
    return `a${at}@${this.#name}`;
  }

  stop(): Promise<void> {
    return this.#link.stop();
  }

  async #commit(outgoing: readonly HostFact[]): Promise<void> {
    await this.#store.commit({ outgoing });
    this.#waiting = (await this.#store.outgoing.spool()).facts;
    const look = setInterval(async () => {
      this.#waiting = (await this.#store.outgoing.spool()).facts;
      if (this.#waiting === 0) clearInterval(look);
    }, 500);
  }

  #entry(k: "entry" | "flip", at: number): HostFact {
    const failing = this.#failing.has(at);
    const entry: HostEntry = {
      ...{ id: `a${at}`, group: "default", since: Date.now(), cycle: this.#turn, action: "sync inbox" },
      ...(failing
        ? { state: "failing", reason: "says-error", why: "its last beat reports an error" }
        : { state: "alive", reason: "beat", why: "beat 2 s ago; expected every 15 min, 5 min of grace" }),
    };
    return { k, at: Date.now(), entry };
  }
}

/** A page that is open: notes how long each flip took to arrive. */
function watched(url: string, home: string, flipped: Map<string, number>, delays: number[]) {
  const headers = { authorization: `Bearer ${readFileSync(join(home, "token"), "utf8").trim()}` };
  const stream = request(`${url}/api/v1/events`, { headers }, async (response) => {
    for await (const line of createInterface({ input: response })) {
      for (const [id, at] of flipped) {
        if (!line.includes(`"${id}"`)) continue;
        delays.push(performance.now() - at);
        flipped.delete(id);
      }
    }
  });
  stream.on("error", () => {});
  stream.end();
  return stream;
}

function newHome(config: string): string {
  const home = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  writeFileSync(join(home, "rollcall.yaml"), config);
  return home;
}

function removed(home: string): void {
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

function idleAgents(): string {
  const all = Array.from({ length: AGENTS }, (_, at) => `  - { id: idle-${at}, every: 1d }`);
  return `agents:\n${all.join("\n")}\n`;
}

/** Not synchronously: what it asks may go through this process. */
async function rollcall(home: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, ROLLCALL_HOME: home };
  return (await promisify(execFile)(process.execPath, [script, ...args], { env })).stdout;
}

async function invited(home: string, name: string, kind: string): Promise<{ code: string }> {
  const ttl = kind === "ephemeral" ? ["--ttl", "1d"] : [];
  return JSON.parse(await rollcall(home, "hosts", "invite", name, "--kind", kind, ...ttl, "--json")) as {
    code: string;
  };
}

async function started(home: string, port = "0"): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [script, "up", "--home", home, "--listen", `127.0.0.1:${port}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) return { child, url };
  }
  throw new Error("the watcher did not start");
}

/** A way to the hub that counts every byte, and those of bodies by what the headers say. */
async function counted(target: string) {
  let [bytes, bodies] = [0, 0];
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    for (const [, length] of chunk.toString("latin1").matchAll(/^content-length: (\d+)/gim))
      bodies += Number(length);
  };
  const { hostname, port } = new URL(target);
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.on("data", count).on("error", () => far.destroy());
    far.on("data", count).on("error", () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => ({ bytes, bodies }),
    close: () => server.close(),
  };
}

/** The share of one core that a process takes over so many seconds. */
async function cpuOver({ pid }: ChildProcess, seconds: number): Promise<number> {
  const used = () => {
    const fields = (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1] ?? "").split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  };
  const before = used();
  await sleep(seconds * 1000);
  return (used() - before) / seconds;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(50);
}

function post(url: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((done, failed) => {
    const sent = request(
      url,
      { method: "POST", headers: { "content-type": "application/json" } },
      (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += String(chunk);
        });
        response.on("end", () => done(JSON.parse(text) as Record<string, unknown>));
      },
    );
    sent.on("error", failed);
    sent.end(JSON.stringify(body));
  });
}
