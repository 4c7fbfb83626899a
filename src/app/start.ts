import { resolve } from "node:path";
import { joinSessions } from "../config/join-sessions.ts";
import { type Address, givenListen } from "../config/listen.ts";
import { type Config, loadConfig } from "../config/load.ts";
import { missingSecrets } from "../config/secrets.ts";
import { IncidentResponse } from "../features/telling/incident-response.ts";
import type { Crashes } from "../home/crashes.ts";
import type { Home } from "../home/home.ts";
import type { PidRecord } from "../home/pid-record.ts";
import type { Log } from "../ports/log.ts";
import { systemClock } from "../system/clock.ts";
import { VERSION } from "../system/version.ts";
import { Notifier } from "./notify.ts";
import { asHost, openLink, targetOf } from "./open-link.ts";
import { openParts } from "./open-parts.ts";
import { openIntake, openWatcher } from "./open-watcher.ts";
import { openWeb } from "./open-web.ts";
import { Reloader } from "./reload.ts";
import type { Starting } from "./take-home.ts";

/** A watcher that runs in this process. */
export interface Up {
  readonly url: string;
  /** Makes an address that signs one browser in, once, within a minute. */
  readonly signInUrl: () => string;
  readonly home: Home;
  readonly configFile: string | undefined;
  readonly agents: number;
  /** Of several hubs, the address of the one that owns the store, if that is another one. */
  readonly standsByFor?: string | undefined;
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
  stop(cause?: string): Promise<void>;
}

/** No signal asked for it: the program that the watcher is embedded in did. */
export const STOPPED_BY_PROGRAM = "the program that started it asked for it";

/** Opens everything in the order in which it depends on each other; each part adds what gives it back. */
export async function start(begun: Starting, address: Address): Promise<Up> {
  const linked = targetOf(begun.first, begun) !== undefined;
  const starting = linked ? { ...begun, first: asHost(begun.first) } : begun;
  const { options, home, first, closers, step, pidFile, log, crashes, term } = starting;
  const notifier = term?.notifier ?? new Notifier({ log });
  const own = (config: Config) => (targetOf(config, starting) === undefined ? config : asHost(config));
  const read = async () => own(await loadConfig(home.path, options.config, undefined, true));
  const listen = givenListen(options.listen);
  const reloader = new Reloader(first, { read, notifier, log, now: systemClock.wall, listen });
  const config = () => reloader.inForce.config;
  const response = new IncidentResponse(first, log, term?.othersWatch);

  const watching = await openWatcher(starting, response);
  const { watcher } = watching;
  const spool = await openIntake(starting, watching);
  const parts = await openParts(starting, watching, response, config);
  // What clients say follows the config by itself.
  const { hooks: _, ...reloaded } = parts;
  const link = await openLink(starting, watching, { ...parts, response }, config);
  const web = await openWeb(starting, { ...watching, ...parts, link, address, spool, reloader });

  // Only a watcher that can listen is one: a start that failed before leaves no sign of life.
  await parts.ownBeat.start();
  // From now on messages can say where the page is.
  response.listensAt(web.url);
  parts.fleet.prepare(config())();

  if (term === undefined) closers.add(notifier.watchdog(() => watcher.progress));
  term?.onServing(watcher);
  // Nothing that an agent wrote is read before we answer and give signs of life. Commands wait for the PID file's address.
  // What can be looked at is looked at before anybody is judged.
  await parts.observing.rounds.start();
  watcher.watch();
  await parts.recovering.recoverers.start();
  pidFile.publish({ url: web.url });
  log.info({ url: web.url, version: VERSION, pid: process.pid }, "watching");
  void warnOfSecrets(first, home, log);
  const status = () => `watching ${config().agents.length} declared agents at ${web.url}`;
  await notifier.ready(status());
  if (term === undefined) closers.add(() => notifier.stopping("saving"));
  response.send();
  closers.add(
    joinSessions({
      clock: systemClock,
      config,
      join: (found) => reloader.join(found),
      onProblem: (error) => log.warn({ problem: String(error) }, "could not look for session logs"),
    }),
  );
  reloader.begin({
    parts: { ...reloaded, link, web },
    status,
    reloaded: (next) => {
      if (next.file !== undefined) pidFile.publish({ configFile: resolve(next.file) });
      void warnOfSecrets(next, home, log);
    },
    tellRefusal: (problem) => response.tellRefusal(problem),
  });
  step("ready");
  return {
    url: web.url,
    signInUrl: () => web.signInUrl(),
    home,
    configFile: first.file,
    agents: [...watcher.reader.places()].length - 1,
    log,
    crashes,
    incarnation: pidFile.record.incarnation,
    stop: (cause = STOPPED_BY_PROGRAM) => {
      starting.stopsFor(cause);
      return closers.release();
    },
    reload: () => reloader.reloadBySignal(),
  };
}

async function warnOfSecrets(config: Config, home: Home, log: Log): Promise<void> {
  for (const problem of await missingSecrets(config, home)) log.warn({ problem }, "a secret is missing");
}
