import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readAgent } from "../config/agent-input.ts";
import type { Address } from "../config/listen.ts";
import { settingsOf } from "../config/settings.ts";
import { iso, SECOND } from "../core/duration.ts";
import { viewAction } from "../features/actions/view.ts";
import type { ChatDeeds } from "../features/telling/chat-desk.ts";
import { placesOf } from "../features/telling/routing.ts";
import { tickGrid } from "../features/ticks/grid.ts";
import { placesBeside } from "../features/ticks/scheduled.ts";
import { hostName } from "../home/home.ts";
import type { Spool } from "../home/intake/spool.ts";
import { StoreEvents } from "../home/store-events.ts";
import type { InboxReader } from "../hub/inbox-reader.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { Log } from "../ports/log.ts";
import { auditRecord } from "../service/access/token-store.ts";
import { openService } from "../service/daemon.ts";
import type { Operations } from "../service/operations.ts";
import { systemClock } from "../system/clock.ts";
import { uuidv7 } from "../system/uuid.ts";
import { VERSION } from "../system/version.ts";
import { showFailing, showRefused, type WatcherInfo } from "../views/show.ts";
import type { HubService } from "../web/hub/wire.ts";
import { serve, type WebServer } from "../web/server.ts";
import { hubUrl, tlsOf } from "./hub-address.ts";
import { openHub } from "./open-hub.ts";
import { isHub, type Linked } from "./open-link.ts";
import type { Parts } from "./open-parts.ts";
import type { Watching } from "./open-watcher.ts";
import type { Reloader } from "./reload.ts";
import type { Starting } from "./take-home.ts";

/** In the product the dashboard lies beside our bundle; from source it is where the build puts it. */
const PAGES = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../dist/ui" : "./ui", import.meta.url),
);

interface Served extends Watching, Parts {
  readonly address: Address;
  readonly spool: Spool;
  readonly reloader: Reloader;
  readonly link: Linked;
}

/** How often a hub looks for ephemeral hosts that are gone. */
const SWEEP = 10 * SECOND;

/** Lets them go, one look after the other: thousands take longer than the pause. What fails is tried again at the next look. */
function sweeping({ enrolment }: HubService, log: Log): () => void {
  let isUnderWay = false;
  const sweep = async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    await enrolment
      .sweep()
      .catch((problem: unknown) =>
        log.warn({ problem: String(problem) }, "hosts that are gone stay for now"),
      );
    isUnderWay = false;
  };
  const timer = setInterval(() => void sweep(), SWEEP);
  return () => clearInterval(timer);
}

function reportsTo(link: Linked): WatcherInfo["reportsTo"] {
  const linked = link.state();
  if (linked === undefined) return null;
  const { url, host, hub: state, since, problem = null } = linked;
  return { url, host, state, since: iso(since), problem };
}

/** What buttons in chats do: the same as an operator, audited under the name of the person. */
function pressed(operations: Operations, watcher: Watching["watcher"]): ChatDeeds {
  return {
    incidents: () => watcher.desk.incidents,
    acknowledge: (incident, by) => operations.acknowledge(incident, by),
    async silence(agent, by) {
      const why = `by ${by}, from a chat`;
      // A button that is pressed twice silences once.
      const known = (await operations.silences()).filter((each) => each.agents === agent && each.why === why);
      if (known.length === 0) await operations.addSilence({ agents: agent, for: "1h", why, by });
    },
    takeStep: (agent, step) => operations.takeStep(agent, step),
    answer: (agent, choice, fingerprint) => operations.answer(agent, { choice, fingerprint }, false),
    audit: (who, what) =>
      watcher.persist({
        records: [auditRecord({ at: systemClock.wall(), who, what, from: "chat" }, uuidv7())],
      }),
  };
}

/** Listens. From here on whoever asks is answered. */
export async function openWeb(
  starting: Starting,
  { watcher, store, metrics, response, observing, hooks, recovering, actions, ...served }: Served,
): Promise<WebServer> {
  const { home, first, closers, step, pidFile, log, crashes, secrets, term } = starting;
  const { address, spool, reloader } = served;
  const now = systemClock.wall;
  /** The folders in which an agent that somebody else than the owner adds may have its files. */
  const allowed = () => ({
    folders: [join(home.path, "logs"), ...reloader.inForce.config.access.folders],
    home: home.path,
  });
  const info = (): WatcherInfo => ({
    running: true,
    pid: process.pid,
    host: hostName(),
    version: VERSION,
    startedAt: pidFile.record.startedAt,
    url: web.url,
    hub: isHub(starting),
    reportsTo: reportsTo(served.link),
    home: home.path,
    configFile: reloader.inForce.config.file === undefined ? null : resolve(reloader.inForce.config.file),
    configLoadedAt: iso(reloader.inForce.loadedAt),
    needsRestart: reloader.inForce.needsRestart,
    lastCrash: crashes.last() ?? null,
    blindSince: watcher.blindSince === undefined ? null : iso(watcher.blindSince),
    storeEvents: new StoreEvents(home.path).open(),
    badSpoolFiles: spool.bad(),
    refusedBeat: showRefused(spool.refused()),
    failingChannels: response.failing().map(showFailing),
    hooks: hooks.heard().map(({ client, events, lastAt }) => ({
      ...{ client, events },
      lastEventAt: lastAt === undefined ? null : iso(lastAt),
    })),
  });
  const parts = {
    ...{ watcher, store, now, newId: uuidv7, info },
    readAgent: (value: unknown, owner: boolean) =>
      readAgent(value, reloader.inForce.config, now(), owner ? undefined : allowed()),
  };
  let hub: HubService | undefined;
  const tls = tlsOf(first);
  const service = await openService({
    ...parts,
    reportsTo: () => served.link.state(),
    hub: () => hub && { ...hub, url: () => hubUrl(reloader.inForce.config.hub.url, web.url, tls?.cert) },
    ...secrets,
    handles: recovering.handles,
    takeStep: recovering.takeStep,
    question: recovering.question,
    answer: recovering.answer,
    nextStep: (id) => recovering.recoverers.nextStep(id),
    actions: {
      list: () => actions.list().map(viewAction),
      upcoming: (name, count) => actions.upcoming(name, count),
      run: (name) => actions.run(name),
      enable: (name, enabled) => actions.enable(name, enabled),
    },
    resume: observing.resume,
    peek: observing.peek,
  });
  if (term !== undefined) service.keys.hubs = term.hubKeys;
  const inbox = term?.inbox;
  const opened = isHub(starting)
    ? await openHub(watcher, store, service.keys, systemClock, inbox && { inbox, log })
    : undefined;
  hub = opened && { ...opened, ownUrl: term?.ownUrl };
  if (inbox !== undefined) await hearOthers(inbox, opened?.reader);
  if (hub !== undefined) closers.add(sweeping(hub, log));
  const web: WebServer = await serve({
    ...(hub === undefined ? {} : { hub }),
    ...{ tls, door: term?.door },
    ...address,
    ...parts,
    ...service,
    ...{ metrics, log, pages: PAGES, socket: home.socket },
    accept: (beats) => watcher.accept(beats),
    takeHook: (post) => hooks.take(post),
    channels: () => {
      const { config } = reloader.inForce;
      return placesOf(config).map((name) => ({ name, kind: config.channels[name]?.kind ?? name }));
    },
    ticks: () => tickGrid(placesBeside(reloader.inForce.config, home.path), store, now()),
    names: first.names,
    access: first.access,
    settings: () => settingsOf(reloader.inForce.config),
    reload: (yes) =>
      reloader.reload(yes).then(
        (needsRestart) => ({ needsRestart }),
        (error: unknown) => ({ refused: error instanceof Error ? error.message : String(error) }),
      ),
  });
  closers.add(async () => {
    // Whoever waits for the end of a run by HTTP is answered when the actions stop.
    const answered = web.stop();
    await actions.stop();
    await answered;
  });
  response.hearPresses(pressed(service.operations, watcher));
  step("listening");
  return {
    ...web,
    prepare(settings) {
      const apply = web.prepare(settings);
      return async () => {
        apply();
        await inbox
          ?.changeAccess()
          .catch((error: unknown) =>
            log.warn({ problem: String(error) }, "the other hubs do not know it yet"),
          );
      };
    },
  };

  /** Nobody is judged before we have heard what the other hubs took. They learn from us who may send. */
  async function hearOthers(from: Inbox, reader: InboxReader | undefined): Promise<void> {
    await from.changeAccess();
    service.keys.onRevoked = () => from.changeAccess();
    if (reader === undefined) return;
    await reader.begin();
    closers.add(() => reader.stop());
    watcher.isBehind = () => reader.isBehind;
  }
}
