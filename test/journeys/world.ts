import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFolder } from "../remove-folder.ts";

export interface Told {
  readonly channel: string;
  readonly subject: string;
  readonly occasion: string;
  readonly state: string;
  readonly title: string;
}

interface Envelope {
  readonly key: string;
  readonly message: Said & { readonly data?: Said["data"] & { readonly messages?: readonly Said[] } };
}

interface Said {
  readonly title: string;
  readonly data?: { readonly subject?: string; readonly occasion?: string; readonly state?: string };
}

export interface OnRoll {
  readonly id: string;
  readonly state: string;
  readonly reason: string;
  readonly why: string;
  readonly origin: string;
  readonly lastBeatAt: string | null;
}

export interface Flip {
  readonly from: string;
  readonly to: string;
  readonly at: string;
  readonly why: string;
}

/** How long a line of a journey may take: it is there for what hangs. */
const LIMIT = 120_000;

const open = new Set<World>();

/** The real world of one journey: a folder, a tmux server, webhooks, and the built product in `product`. */
export class World {
  readonly folder = mkdtempSync(join(tmpdir(), "rollcall-journey-"));
  readonly told: Told[] = [];
  /** The channel and the key of each request. */
  readonly requests: string[] = [];
  readonly #product: string;
  readonly #journeys: string;
  readonly #sink: Server;
  /** Ends the lines that run now. */
  #interrupt: () => void = () => {};

  private constructor(product: string, journeys: string, sink: Server) {
    this.#product = product;
    this.#journeys = journeys;
    this.#sink = sink;
  }

  static async open(product: string, journeys: string): Promise<World> {
    const sink = createServer();
    await new Promise<void>((done) => sink.listen(0, "127.0.0.1", done));
    const world = new World(product, journeys, sink);
    sink.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        world.#hear(request.url ?? "", Buffer.concat(chunks).toString());
        response.end("ok");
      });
    });
    open.add(world);
    const prepared = await world.run(["prepare"]);
    if (prepared.status !== 0) throw new Error(prepared.output);
    return world;
  }

  #hear(path: string, body: string): void {
    const { key, message } = JSON.parse(body) as Envelope;
    this.requests.push(`${path.slice(1)} ${key}`);
    for (const { title, data } of message.data?.messages ?? [message]) {
      const { subject = "", occasion = "", state = "" } = data ?? {};
      this.told.push({ channel: path.slice(1), subject, occasion, state, title });
    }
  }

  /** What comes first in a shell that runs these lines. */
  get preamble(): string {
    const { port } = this.#sink.address() as AddressInfo;
    return `PRODUCT=${this.#product} JOURNEYS=${this.#journeys} W=${this.folder} SINK=http://127.0.0.1:${port}`;
  }

  run(lines: readonly string[], { careful = true } = {}): Promise<{ status: number | null; output: string }> {
    const script = [
      `${this.preamble}; . ${this.#journeys}/prelude.sh`,
      careful ? "set -e" : "",
      ...lines,
    ].join("\n");
    return new Promise((done) => {
      const child = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "pipe"], detached: true });
      const kill = () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL");
      this.#interrupt = kill;
      let output = "";
      const hear = (chunk: unknown) => {
        output += String(chunk);
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      const timer = setTimeout(() => {
        output += `\njourney: not done after ${LIMIT / 1000} s`;
        kill();
      }, LIMIT);
      child.once("exit", (status) => {
        clearTimeout(timer);
        if (this.#interrupt === kill) this.#interrupt = () => {};
        const end = () => {
          clearTimeout(late);
          done({ status, output });
        };
        // What goes on in the background may keep the pipes open; otherwise everything is read.
        const late = setTimeout(end, 500);
        child.once("close", end);
      });
    });
  }

  /** The roll as the watcher tells it, or undefined while none answers. */
  async roll(): Promise<readonly OnRoll[] | undefined> {
    const answer = await this.#ask("/api/v1/agents");
    return (answer as { agents: readonly OnRoll[] } | undefined)?.agents;
  }

  /** Newest first. */
  async flips(id: string): Promise<readonly Flip[]> {
    const answer = await this.#ask(`/api/v1/agents/${id}/flips?limit=200`);
    return (answer as { flips: readonly Flip[] } | undefined)?.flips ?? [];
  }

  async #ask(path: string): Promise<unknown> {
    try {
      const record = readFileSync(join(this.folder, "home", "rollcall.pid"), "utf8");
      const url = /"url":"([^"]*)"/.exec(record)?.[1];
      const answer = await fetch(`${url}${path}`, { headers: this.#credentials() });
      return answer.ok ? await answer.json() : undefined;
    } catch {
      return undefined;
    }
  }

  #credentials(): Record<string, string> {
    try {
      return { authorization: `Bearer ${readFileSync(join(this.folder, "home", "token"), "utf8").trim()}` };
    } catch {
      return {};
    }
  }

  /** What the product says of itself when something is not true. */
  async diagnosis(): Promise<string> {
    const { output } = await this.run(
      ['rollcall status; rollcall daemon status; tail -n 15 "$ROLLCALL_HOME"/logs/*'],
      { careful: false },
    );
    return output;
  }

  /** Ends everything that any journey has started here. */
  static async closeAll(): Promise<void> {
    await Promise.all([...open].map((world) => world.close()));
  }

  /** Ends everything that the journey started, and takes its folder away. */
  async close(): Promise<void> {
    open.delete(this);
    this.#interrupt();
    await this.run([CLEAN_UP], { careful: false });
    this.#sink.closeAllConnections();
    await new Promise((done) => this.#sink.close(done));
    await removeFolder(this.folder);
  }
}

/** Only what this journey started: by its PID files, and by its own tmux server. */
export const CLEAN_UP = `P="$(watcher)"; [ -z "$P" ] || kill -9 "$P"
for F in "$W"/*.pid "$W"/*.run; do [ ! -f "$F" ] || kill -9 "$(cat "$F")"; done
tmux kill-server; rm -rf "$W"`;
