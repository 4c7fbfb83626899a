import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Scope } from "../src/core/access/token.ts";
import type { Agent } from "../src/core/agent.ts";
import { isAgentId } from "../src/core/agent.ts";
import { MINUTE } from "../src/core/duration.ts";
import type { NewcomerLimits } from "../src/core/newcomer-limits.ts";
import type { Clock } from "../src/ports/clock.ts";
import type { Store } from "../src/ports/store.ts";
import { makeToken, tokenRecord } from "../src/service/access/token-store.ts";
import { openService } from "../src/service/daemon.ts";
import type { Operations } from "../src/service/operations.ts";
import type { ScheduledActions } from "../src/service/parts.ts";
import { memoryStore } from "../src/store/memory/memory.ts";
import { uuidv7 } from "../src/system/uuid.ts";
import { Watcher } from "../src/watch/watcher.ts";
import type { WebLimits } from "../src/web/door.ts";
import type { TakeHook } from "../src/web/hooks.ts";
import { Metrics } from "../src/web/metrics/metrics.ts";
import { serve, type WebServer } from "../src/web/server.ts";

/** A daemon without scheduled actions. */
const NO_ACTIONS = {
  list: () => [],
  upcoming: () => [],
  run: () => Promise.reject(new Error("there is no action")),
  enable: async () => {},
};

/** The token in the made-up home. */
export const HOME_TOKEN = "home-token-of-this-test";
const RULE = { every: 15 * MINUTE, grace: 5 * MINUTE };
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

/** A clock that can be moved on; its timers are real. */
export function movableClock(): Clock & { move(ms: number): void } {
  let moved = 0;
  return {
    wall: () => Date.now() + moved,
    monotonic: () => performance.now() + moved,
    uptime: () => performance.now() + moved,
    after: (ms, call) => {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
    soon: (call) => void setImmediate(call),
    move: (ms) => {
      moved += ms;
    },
  };
}

export interface MadeUpWeb {
  readonly url: string;
  readonly watcher: Watcher;
  readonly store: Store;
  readonly clock: ReturnType<typeof movableClock>;
  /** The operations that the server answers with. */
  readonly operations: Operations;
  /** A folder that stands for the built dashboard. */
  readonly pages: string;
  readonly prepare: WebServer["prepare"];
  stop(): Promise<void>;
}

export interface MadeUpOptions {
  readonly host?: string;
  readonly names?: readonly string[];
  readonly store?: Store;
  readonly limits?: WebLimits;
  readonly newcomers?: NewcomerLimits;
  readonly access?: { readonly unprovenBeats: boolean };
  readonly socket?: string;
  readonly patience?: number;
  readonly actions?: ScheduledActions;
  readonly takeHook?: TakeHook;
}

/** A real server on a real socket, over a watcher with a store in memory. */
export async function madeUpWeb(options: MadeUpOptions = {}): Promise<MadeUpWeb> {
  const store = options.store ?? memoryStore();
  const clock = movableClock();
  const watcher = await Watcher.load(
    { store, clock, log: SILENT, bootId: "boot" },
    {
      autoRegister: true,
      defaultRule: RULE,
      agents: [],
      ...(options.newcomers === undefined ? {} : { newcomers: options.newcomers }),
    },
  );
  const folder = mkdtempSync(join(tmpdir(), "rollcall-pages-"));
  const pages = join(folder, "ui");
  mkdirSync(pages);
  const parts = {
    watcher,
    store,
    now: clock.wall,
    newId: uuidv7,
    readAgent: (value: unknown) => readAgent(value, clock.wall()),
    info: () => ({
      running: true as const,
      pid: process.pid,
      host: "studio",
      version: "0.0.0",
      startedAt: new Date(0).toISOString(),
      url: server.url,
      hub: false,
      reportsTo: null,
      home: "/home",
      configFile: null,
      configLoadedAt: new Date(0).toISOString(),
      lastCrash: null,
      blindSince: null,
      storeEvents: [],
      badSpoolFiles: 0,
      refusedBeat: null,
      failingChannels: [],
      hooks: [],
    }),
  };
  const service = await openService({
    ...parts,
    token: HOME_TOKEN,
    pingSecret: "ping secret",
    peek: async (id, how) => (id === "seen" ? `${how} of ${id}` : undefined),
    actions: options.actions ?? NO_ACTIONS,
    handles: async (id) =>
      id === "seen"
        ? {
            ...{ steps: ["restart"], restartEnds: true, attach: "tmux attach -t seen" },
            ...{ byHost: false, question: true },
          }
        : { steps: [], restartEnds: false, attach: null, byHost: false, question: false },
    nextStep: () => undefined,
    takeStep: async () => ({ outcome: "dropped", why: "there is no ladder" }),
    question: async () => ({ why: "it does not wait for an answer" }),
    answer: async () => ({ outcome: "dropped", why: "it does not wait for an answer" }),
  });
  const server: WebServer = await serve({
    ...parts,
    ...service,
    host: options.host ?? "127.0.0.1",
    port: 0,
    names: options.names ?? [],
    accept: (beats) => watcher.accept(beats),
    metrics: new Metrics(),
    log: SILENT,
    pages,
    settings: async () => [{ path: "listen", value: "127.0.0.1:7766", from: "default" }],
    channels: () => [{ name: "ops", kind: "command" }],
    ticks: async () => ({ months: [], agents: [] }),
    reload: async () => ({ refused: "there is no config" }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.patience === undefined ? {} : { patience: options.patience }),
    ...(options.access === undefined ? {} : { access: options.access }),
    ...(options.socket === undefined ? {} : { socket: options.socket }),
    ...(options.takeHook === undefined ? {} : { takeHook: options.takeHook }),
  });
  watcher.watch();
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= server.stop().then(() => watcher.stop());
    return stopped;
  };
  onTestFinished(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const { operations } = service;
  return { url: server.url, watcher, store, clock, operations, pages, prepare: server.prepare, stop };
}

function readAgent(value: unknown, now: number): { agent: Agent } | { problem: string } {
  const { id, group } = value as { id: string; group?: string };
  if (!isAgentId(id)) return { problem: "id: expected an agent id" };
  const origin = "added" as const;
  return { agent: { id, rule: RULE, origin, addedAt: now, ...(group === undefined ? {} : { group }) } };
}

/** A store in which a token was made beforehand, and its secret. */
export async function withToken(
  scope: Scope,
  more: { agent?: string; host?: string; pingKey?: boolean } = {},
  store: Store = memoryStore(),
): Promise<{ store: Store; secret: string; id: string }> {
  const { token, secret } = makeToken({ scope, ...more }, Date.now());
  await store.commit({ records: [tokenRecord(token)] });
  return { store, secret, id: token.id };
}

export interface Said {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into what it expects.
  readonly json: any;
}

/** One request, with any header that a test wants to forge. Reading sends the home's token unless told otherwise. */
export function ask(
  url: string,
  options: {
    method?: string;
    headers?: Record<string, string>;
    body?: unknown;
    /** Null is none. */
    token?: string | null;
    path?: string;
  } = {},
): Promise<Said> {
  const { method = "GET", headers = {}, body } = options;
  const reads = method === "GET" && /^\/(api\/|metrics)/.test(new URL(url).pathname);
  const { token = reads && headers.cookie === undefined ? HOME_TOKEN : null } = options;
  const text =
    body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return new Promise((done, failed) => {
    const { hostname, port, pathname, search } = new URL(url);
    const sent = request(
      {
        hostname: hostname.replace(/^\[|\]$/g, ""),
        port,
        path: options.path ?? `${pathname}${search}`,
        method,
        headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", failed);
        response.on("end", () => {
          const said = Buffer.concat(chunks).toString("utf8");
          const type = response.headers["content-type"] ?? "";
          const json: unknown = /json/.test(type) && said.startsWith("{") ? JSON.parse(said) : undefined;
          done({ status: response.statusCode ?? 0, headers: response.headers, body: said, json });
        });
      },
    );
    sent.on("error", failed);
    sent.end(text);
  });
}
