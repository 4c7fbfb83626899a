import { readFileSync } from "node:fs";
import { incarnationOf } from "../agent/incarnation.ts";
import { uuidv7 } from "../agent/uuid.ts";
import { HOUR, iso } from "../core/duration.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import type { Store } from "../ports/store.ts";
import { openSqlite } from "../store/sqlite/index.ts";
import { RollError } from "../watch/draft.ts";
import { Watcher } from "../watch/watcher.ts";
import { serve, type WebServer } from "../web/server.ts";
import { readAgent } from "./agent-input.ts";
import { systemClock } from "./clock.ts";
import { parseListen } from "./config/listen.ts";
import { agentsOf, type Config, defaultRule, loadConfig } from "./config/load.ts";
import { type Home, homeAt, hostName, prepareHome, tokenOf } from "./home.ts";
import { BeatFiles } from "./intake/beat-files.ts";
import { Spool } from "./intake/spool.ts";
import { Touched } from "./intake/touched.ts";
import { fileLog } from "./log.ts";
import { PidFile, type PidRecord } from "./pid-file.ts";
import { VERSION } from "./version.ts";

export interface UpOptions {
  readonly home?: string;
  readonly config?: string;
  readonly listen?: string;
  /** Told of every flip, for the terminal. */
  readonly onFlip?: (flip: Flip) => void;
}

/** A watcher that runs in this process. */
export interface Up {
  readonly url: string;
  readonly home: Home;
  readonly configFile: string | undefined;
  readonly agents: number;
  /** Takes nothing new, finishes what can be finished, saves, and gives everything back. */
  stop(): Promise<void>;
}

/** What has to be given back, last taken first. */
class Held {
  readonly #releases: (() => void | Promise<void>)[] = [];

  add(release: () => void | Promise<void>): void {
    this.#releases.push(release);
  }

  async release(): Promise<void> {
    for (const release of this.#releases.splice(0).reverse()) await release();
  }
}

/** Starts everything in the order in which it depends on each other, or nothing. */
export async function up(options: UpOptions = {}): Promise<Up> {
  const home = homeAt(options.home);
  const config = await loadConfig(home.path, options.config);
  const address = listenAddress(options.listen, config);
  prepareHome(home);
  const held = new Held();
  try {
    return await start(options, home, config, address, held);
  } catch (error) {
    await held.release();
    throw error;
  }
}

function listenAddress(named: string | undefined, config: Config): { host: string; port: number } {
  if (named !== undefined) return parseListen(named, "--listen");
  const env = process.env.ROLLCALL_LISTEN;
  if (env !== undefined && env !== "") return parseListen(env, "ROLLCALL_LISTEN");
  return parseListen(config.listen, config.file ?? "the default");
}

async function start(
  options: UpOptions,
  home: Home,
  config: Config,
  address: { host: string; port: number },
  held: Held,
): Promise<Up> {
  const pidFile = new PidFile(home.pidFile);
  const record = ownRecord();
  pidFile.write(record);
  held.add(() => pidFile.remove(record));
  const { log, close } = fileLog(home.log);
  held.add(close);

  const store = await openSqlite(home.database);
  held.add(() => store.close());
  const now = systemClock.wall;
  const watcher = await Watcher.load({
    store,
    clock: systemClock,
    log,
    bootId: record.incarnation.bootId,
    autoRegister: config.autoRegister,
    defaultRule: defaultRule(config),
    agents: agentsOf(config, now()),
  });
  held.add(() => watcher.stop());

  const beatFiles = new BeatFiles(home.beats, log);
  held.add(() => beatFiles.stop());
  watcher.onCommitted((changes) => {
    beatFiles.note(changes.beats ?? []);
    for (const flip of changes.flips ?? []) {
      log.info({ agent: flip.agent, from: flip.from, to: flip.to, at: iso(flip.at), why: flip.why }, "flip");
      options.onFlip?.(flip);
    }
  });

  const accept = watcher.accept.bind(watcher);
  const isFinal = (error: unknown) => error instanceof RollError;
  const spool = new Spool({ folder: home.spool, accept, isFinal, now, newId: uuidv7, log });
  const touched = new Touched({ folder: home.beats, accept, now, log });
  // What waited for us comes first: an agent that beat while we were down is not overdue.
  await spool.start();
  held.add(() => spool.stop());
  await touched.start();
  held.add(() => touched.stop());
  watcher.watch();
  held.add(prunes(store, config));

  const web: WebServer = await serve({
    ...address,
    watcher,
    store,
    accept,
    now,
    newId: uuidv7,
    token: tokenOf(home),
    readAgent: (value) => readAgent(value, config, now()),
    info: () => ({
      running: true,
      pid: process.pid,
      host: hostName(),
      version: VERSION,
      startedAt: record.startedAt,
      url: web.url,
      home: home.path,
      configFile: config.file ?? null,
      blindSince: watcher.blindSince === undefined ? null : iso(watcher.blindSince),
      badSpoolFiles: spool.bad(),
    }),
  });
  held.add(() => web.stop());
  pidFile.write({ ...record, url: web.url });
  log.info({ url: web.url, version: VERSION, pid: process.pid }, "watching");
  return {
    url: web.url,
    home,
    configFile: config.file,
    agents: [...watcher.places()].length,
    stop: () => held.release(),
  };
}

function ownRecord(): PidRecord {
  const incarnation = incarnationOf(process.pid) ?? { pid: process.pid, startTime: "", bootId: bootId() };
  return { incarnation, startedAt: iso(Date.now()), version: VERSION };
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/** Forgets what is older than the config says, now and every hour. */
function prunes(store: Store, { retention }: Config): () => void {
  const prune = () => {
    const at = Date.now();
    // A store that cannot prune cannot commit either, and the watcher says that.
    store.prune({ beats: at - retention.beats, flips: at - retention.flips }).catch(() => {});
  };
  prune();
  const timer = setInterval(prune, HOUR);
  return () => clearInterval(timer);
}
