import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expandTilde } from "../agent/home.ts";
import { readAgent } from "../config/agent-input.ts";
import { ConfigError } from "../config/config-error.ts";
import type { DeclaredAgent } from "../config/declared-agent.ts";
import { joinSessions } from "../config/join-sessions.ts";
import { type Address, listenAddress, parseListen } from "../config/listen.ts";
import { type Config, loadConfig } from "../config/load.ts";
import type { Allowed } from "../config/named-paths.ts";
import { inForce, needingRestart } from "../config/restart-only.ts";
import { missingSecrets } from "../config/secrets.ts";
import { settingsOf } from "../config/settings.ts";
import { refuseTakingAway, TakesAwayError } from "../config/taken-away.ts";
import { iso, type Millis, SECOND } from "../core/duration.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import { Actions } from "../features/actions/actions.ts";
import { viewAction } from "../features/actions/view.ts";
import { Heartbeat } from "../features/own-beat/own-beat.ts";
import { policyOf } from "../features/policy.ts";
import { IncidentResponse } from "../features/telling/incident-response.ts";
import { tickGrid } from "../features/ticks/grid.ts";
import { placesBeside } from "../features/ticks/scheduled.ts";
import { Crashes, crashNow } from "../home/crashes.ts";
import { DaemonError } from "../home/daemon-error.ts";
import {
  checkHome,
  closeHome,
  type Home,
  homeAt,
  hostName,
  pingSecretOf,
  prepareHome,
  putBackSecrets,
  tokenOf,
} from "../home/home.ts";
import { BeatFiles } from "../home/intake/beat-files.ts";
import { Spool } from "../home/intake/spool.ts";
import { Touched } from "../home/intake/touched.ts";
import { fileLog } from "../home/log.ts";
import { AlreadyRunningError, LockedPidFile, type PidRecord } from "../home/pid-file.ts";
import { Writer } from "../home/store.ts";
import { StoreEvents } from "../home/store-events.ts";
import type { Log } from "../ports/log.ts";
import { type Store, StoreError } from "../ports/store.ts";
import { openService } from "../service/daemon.ts";
import { systemClock } from "../system/clock.ts";
import { makeFolder } from "../system/files.ts";
import { incarnationOf } from "../system/proc.ts";
import { uuidv7 } from "../system/uuid.ts";
import { VERSION } from "../system/version.ts";
import type { WatcherInfo } from "../views/show.ts";
import { showFailing } from "../views/show.ts";
import { RollError } from "../watch/intent.ts";
import { Watcher } from "../watch/watcher.ts";
import { Metrics } from "../web/metrics/metrics.ts";
import { serve, type WebServer } from "../web/server.ts";
import { Closers } from "./closers.ts";
import { Notifier } from "./notify.ts";
import { lookingAt } from "./observe.ts";
import { isFull, openStanding, tellNotStarted } from "./open-store.ts";
import { prunes } from "./pruning.ts";
import { recoverersOf } from "./recoverers.ts";

export interface UpOptions {
  readonly home?: string;
  readonly config?: string;
  readonly listen?: string;
  /** Another PID file for others, instead of `daemon.pidFile` in the config. */
  readonly pidFile?: string;
  /** End instead of watching on with a new database when the present one is damaged or its disk is full. */
  readonly strict?: boolean | undefined;
  /** Ends the wait for room on a full disk. */
  readonly abort?: AbortSignal;
  /** Told of every flip, for the terminal. */
  readonly onFlip?: (flip: Flip) => void;
  /** Told of every step of starting, so that a test can end the process at each. */
  readonly onStep?: (step: string) => void;
}

/** A watcher that runs in this process. */
export interface Up {
  readonly url: string;
  /** Makes an address that signs one browser in, once, within a minute. */
  readonly signInUrl: () => string;
  readonly home: Home;
  readonly configFile: string | undefined;
  readonly agents: number;
  readonly log: Log;
  readonly crashes: Crashes;
  readonly incarnation: PidRecord["incarnation"];
  /**
   * Reads the config again and puts it in force; throws, and keeps the old one, if it is bad. Nobody can be asked here, so
   * a config that takes most agents away is refused, and people are told. Answers with a sentence for each key that is
   * not in force before a restart.
   */
  reload(): Promise<readonly string[]>;
  /** Takes nothing new, finishes what can be finished, saves, and gives everything back. */
  stop(): Promise<void>;
}

/** How often a start that found the disk full looks again. */
const FULL_AGAIN: Millis = 5 * SECOND;

/** In the product the dashboard lies beside our bundle; from source it is where the build puts it. */
const PAGES = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../dist/ui" : "./ui", import.meta.url),
);

/** Starts everything in the order in which it depends on each other, or nothing. */
export async function up(options: UpOptions = {}): Promise<Up> {
  const home = homeAt(options.home);
  // First of all: what stands in the home, its config too, is only as good as those who can write it.
  checkHome(home);
  const config = await loadConfig(home.path, options.config);
  const address = listenAddress(options.listen, config);
  for (let told = false; ; told = true) {
    const held = new Closers();
    try {
      prepareHome(home);
      return await start(options, home, config, address, held);
    } catch (error) {
      await held.release();
      const waits = isFull(error) && options.strict !== true;
      if (!told && (waits || error instanceof StoreError)) await tellNotStarted(config, error, waits);
      if (!waits) throw error;
      await sleep(FULL_AGAIN, undefined, { signal: options.abort });
    }
  }
}

async function start(
  options: UpOptions,
  home: Home,
  first: Config,
  address: Address,
  held: Closers,
): Promise<Up> {
  const step = options.onStep ?? (() => {});
  let config = first;
  let loadedAt = Date.now();
  let needsRestart: readonly string[] = [];
  step("begin");
  // Taken before anything else and given back after everything else: from here on commands wait for us.
  const writer = await Writer.takeForLife(home);
  held.add(() => writer.release());
  step("lock");
  const pidFile = new LockedPidFile(home.pidFile);
  const record = ownRecord(options, config);
  const before = pidFile.write(record);
  held.add(() => pidFile.remove(record));
  step("pid-file");
  const { log, close } = fileLog(home.log);
  held.add(close);
  const mode = closeHome(home);
  if (mode !== undefined)
    log.warn({ home: home.path, mode }, "the home was open to other users; its mode is 0700 now");
  held.add(writeSecondPidFile(options, config, record, log));
  const notifier = new Notifier({ log });

  const metrics = new Metrics();
  let onLost: (problem: Error) => void = () => {};
  const secrets = { token: tokenOf(home), pingSecret: pingSecretOf(home) };
  let published = record;
  const standing = await openStanding(config, {
    ...{ home, writer, log, strict: options.strict === true },
    onLost: (problem) => onLost(problem),
    restoreFiles: () => {
      putBackSecrets(home, secrets.token, secrets.pingSecret);
      pidFile.write(published);
    },
    // Two watchers must not go on beside each other: this ends us as any other error that nobody can mend.
    onTaken: (error) =>
      setImmediate(() => {
        throw error;
      }),
  });
  const store = metrics.measured(standing.store);
  held.add(() => store.close());
  step("store");
  const crashes = new Crashes(home.path);
  await noteCrash(before, crashes, store, log);
  const now = systemClock.wall;
  const { incarnation } = record;
  const response = new IncidentResponse(config, log);
  const watcher = await Watcher.load(
    { store, clock: systemClock, log, bootId: incarnation.bootId, host: hostName() },
    response.routed(policyOf(config, now())),
  );
  held.add(() => watcher.stop());
  onLost = (problem) => watcher.cannotStore(problem);
  standing.start();
  held.add(() => standing.stop());
  step("watcher");

  const beatFiles = new BeatFiles(home.beats, log);
  held.add(() => beatFiles.stop());
  watcher.onCommitted((changes) => {
    beatFiles.note(changes.beats ?? []);
    for (const id of changes.removed ?? []) beatFiles.forget(id);
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
  step("intake");
  const looking = lookingAt(watcher, home, config);
  const { rounds, peek } = looking;
  held.add(() => rounds.stop());
  await response.begin({ watcher, store, home: home.path, peek });
  held.add(() => response.stop());
  const trouble = () =>
    crashes.isLooping(Date.now())
      ? `${crashes.recent(Date.now())} crashes within 10 minutes`
      : response.problem;
  const broken = () => response.broken(watcher);
  const heartbeat = new Heartbeat({
    config,
    incarnation,
    accept,
    trouble,
    broken,
    log,
  });
  await heartbeat.start();
  held.add(() => heartbeat.stop());
  const snapshot = await store.load();
  const { recoverers, takeStep } = recoverersOf({
    home,
    config: () => config,
    watcher,
    rounds,
    log,
    snapshot,
  });
  watcher.onCommitted((changes) => recoverers.note(changes));
  held.add(() => recoverers.stop());
  const actions = await Actions.start(config, { watcher, store, log, home: home.path });
  held.add(() => actions.stop());
  const pruning = prunes({ store, clock: systemClock, watcher, retention: () => config.retention });
  held.add(pruning.stop);
  step("watching");

  // A reload that is asked for while we start has its turn when we have started.
  let isReady = () => {};
  let reloading: Promise<unknown> = new Promise<void>((done) => {
    isReady = done;
  });
  const turnOf = (yes: boolean): Promise<readonly string[]> => {
    const turn = reloading.then(() => reload(yes));
    reloading = turn.catch(() => {});
    return turn;
  };
  const info = (): WatcherInfo => ({
    running: true,
    pid: process.pid,
    host: hostName(),
    version: VERSION,
    startedAt: record.startedAt,
    url: web.url,
    home: home.path,
    configFile: config.file ?? null,
    configLoadedAt: iso(loadedAt),
    needsRestart,
    lastCrash: crashes.last() ?? null,
    blindSince: watcher.blindSince === undefined ? null : iso(watcher.blindSince),
    storeEvents: new StoreEvents(home.path).open(),
    badSpoolFiles: spool.bad(),
    failingChannels: response.failing().map(showFailing),
  });
  const parts = {
    watcher,
    store,
    now,
    newId: uuidv7,
    info,
    readAgent: (value: unknown, owner: boolean) =>
      readAgent(value, config, now(), owner ? undefined : allowedIn(config, home)),
  };
  const service = await openService({
    ...parts,
    ...secrets,
    takeStep,
    nextStep: (id) => recoverers.nextStep(id),
    actions: {
      list: () => actions.list().map(viewAction),
      upcoming: (name, count) => actions.upcoming(name, count),
      run: (name) => actions.run(name),
      enable: (name, enabled) => actions.enable(name, enabled),
    },
    peek,
  });
  const web: WebServer = await serve({
    ...address,
    ...parts,
    ...service,
    accept,
    socket: home.socket,
    ticks: () => tickGrid(placesBeside(config, home.path), store, now()),
    names: config.names,
    access: config.access,
    metrics,
    log,
    pages: PAGES,
    settings: () => settingsOf(config),
    reload: (yes) =>
      turnOf(yes).then(
        (later) => ({ needsRestart: later }),
        (error: unknown) => ({ refused: error instanceof Error ? error.message : String(error) }),
      ),
  });
  held.add(async () => {
    // Whoever waits for the end of a run by HTTP is answered when the actions stop.
    const answered = web.stop();
    await actions.stop();
    await answered;
  });
  step("listening");
  held.add(notifier.watchdog(() => watcher.progress));
  // Nothing that an agent wrote is read before we answer and give signs of life. Commands wait for the PID file's address.
  // What can be looked at is looked at before anybody is judged.
  await rounds.start();
  watcher.watch();
  await recoverers.start();
  published = { ...record, url: web.url };
  pidFile.write(published);
  log.info({ url: web.url, version: VERSION, pid: process.pid }, "watching");
  const warn = async () => {
    for (const problem of await missingSecrets(config, home)) log.warn({ problem }, "a secret is missing");
  };
  void warn();
  const status = () => `watching ${config.agents.length} declared agents at ${web.url}`;
  await notifier.ready(status());
  held.add(() => notifier.stopping("saving"));
  response.send();

  let toldOfRefusal = false;

  /** First what may fail, and then, in one go, what may not: a config that is refused changes nothing. */
  const reload = async (yes: boolean): Promise<readonly string[]> => {
    await notifier.reloading();
    try {
      const read = await loadConfig(home.path, options.config);
      if (read.file === undefined && config.file !== undefined) {
        const right = "put it back; or, to go on with the defaults, stop the watcher and start it";
        throw new ConfigError(config.file, [`it was in force, and it is gone; ${right}`]);
      }
      if (!yes) refuseTakingAway(config, read);
      parseListen(read.listen, read.file ?? "the default");
      const next = inForce(first, read);
      const applyActions = await actions.prepare(next);
      await watcher.configure(response.routed(policyOf(next, now())));
      config = next;
      response.configure(config);
      looking.configure(config);
      heartbeat.configure(config);
      web.configure(config);
      pruning.prune();
      await applyActions();
      recoverers.reconsider();
      needsRestart = needingRestart(first, read);
      loadedAt = now();
      toldOfRefusal = false;
      if (config.file !== undefined) {
        published = { ...published, configFile: resolve(config.file) };
        pidFile.write(published);
      }
      log.info({ file: config.file ?? null, agents: config.agents.length }, "config read again");
      for (const problem of needsRestart) log.warn({ problem }, "config: a key needs a restart");
      void warn();
      return needsRestart;
    } finally {
      await notifier.ready(status());
    }
  };
  /** In the line of reloads, because both change the config in force. */
  const join = (found: readonly DeclaredAgent[]): Promise<void> => {
    const turn = reloading.then(async () => {
      const known = new Set(config.agents.map(({ id }) => id));
      const agents = found.filter(({ id }) => !known.has(id));
      if (agents.length === 0) return;
      const next = { ...config, agents: [...config.agents, ...agents] };
      const applyActions = await actions.prepare(next);
      await watcher.configure(response.routed(policyOf(next, now())));
      config = next;
      response.configure(config);
      await applyActions();
      log.info({ agents: agents.map(({ id }) => id) }, "agents of new session logs joined");
    });
    reloading = turn.catch(() => {});
    return turn;
  };
  held.add(
    joinSessions({
      clock: systemClock,
      config: () => config,
      join,
      onProblem: (error) => log.warn({ problem: String(error) }, "could not look for session logs"),
    }),
  );
  isReady();
  step("ready");
  return {
    url: web.url,
    signInUrl: () => web.signInUrl(),
    home,
    configFile: config.file,
    agents: [...watcher.reader.places()].length - 1,
    log,
    crashes,
    incarnation,
    stop: () => held.release(),
    async reload() {
      try {
        return await turnOf(false);
      } catch (error) {
        // Once for all signals that find the same: somebody who sends them by a timer is told as well.
        if (error instanceof TakesAwayError && !toldOfRefusal) {
          toldOfRefusal = true;
          response.tellRefusal(error.message);
        }
        throw error;
      }
    },
  };
}

/** The folders in which an agent that somebody else than the owner adds may have its files. */
function allowedIn({ access }: Config, { path: home }: Home): Allowed {
  return { folders: [join(home, "logs"), ...access.folders], home };
}

function ownRecord(
  { config, listen = process.env.ROLLCALL_LISTEN, pidFile }: UpOptions,
  { file }: Config,
): PidRecord {
  const incarnation = incarnationOf(process.pid) ?? { pid: process.pid, startTime: "", bootId: "" };
  const startedWith = {
    ...(config === undefined ? {} : { config: resolve(config) }),
    ...(listen === undefined || listen === "" ? {} : { listen }),
    ...(pidFile === undefined ? {} : { pidFile: resolve(expandTilde(pidFile)) }),
  };
  const started = { incarnation, startedAt: iso(Date.now()), version: VERSION, startedWith };
  return { ...started, ...(file === undefined ? {} : { configFile: resolve(file) }) };
}

/** Writes the PID file for others. One of the config that cannot be written is no reason not to watch. */
function writeSecondPidFile(
  { pidFile: named }: UpOptions,
  { daemon }: Config,
  record: PidRecord,
  log: Log,
): () => void {
  const pidFile = named ?? daemon.pidFile;
  if (pidFile === undefined) return () => {};
  const file = new LockedPidFile(resolve(expandTilde(pidFile)));
  const attempt = (act: () => void) => {
    try {
      act();
    } catch (error) {
      if (error instanceof AlreadyRunningError) throw error;
      log.warn({ file: file.path, problem: String(error) }, "daemon.pidFile: cannot be written");
    }
  };
  if (named === undefined) attempt(() => file.write(record));
  else writeNamed(file, record);
  return () => attempt(() => file.remove(record));
}

function writeNamed(file: LockedPidFile, record: PidRecord): void {
  try {
    makeFolder(dirname(file.path));
    file.write(record);
  } catch (error) {
    if (error instanceof AlreadyRunningError) throw error;
    throw new DaemonError(
      "not-started",
      `--pid-file ${file.path}: cannot be written: ${(error as Error).message}`,
    );
  }
}

/** A PID file that its owner left behind tells that it did not end cleanly. */
async function noteCrash(
  before: PidRecord | undefined,
  crashes: Crashes,
  store: Store,
  log: Log,
): Promise<void> {
  if (before === undefined) return;
  const { mark } = await store.load();
  const crash = crashNow(before.incarnation, mark?.at ?? Date.parse(before.startedAt));
  crashes.record(crash);
  log.warn({ pid: before.incarnation.pid, at: crash.at }, "the daemon before this one did not end cleanly");
}
