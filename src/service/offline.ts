import { randomBytes } from "node:crypto";
import { ConfigError } from "../config/config-error.ts";
import { type Config, defaultConfig, loadConfig } from "../config/load.ts";
import { storedHome } from "../config/stored-home.ts";
import { DaemonError } from "../home/daemon-error.ts";
import { type Home, homeAt } from "../home/home.ts";
import { readHubFile } from "../home/hub-file.ts";
import { using, type Writer, withStore } from "../home/store.ts";
import { StoreEvents } from "../home/store-events.ts";
import type { Store } from "../ports/store.ts";
import { sayAddress } from "../store/postgres/address.ts";
import { addressOf, hubInCharge } from "../store/registry.ts";
import { systemClock } from "../system/clock.ts";
import { uuidv7 } from "../system/uuid.ts";
import { auditRecord, TokenStore } from "./access/token-store.ts";
import { localOperations } from "./local.ts";
import { offlineRoll } from "./offline-roll.ts";
import type { Operations } from "./operations.ts";
import type { LocalParts } from "./parts.ts";

type Use<T> = (operations: Operations) => Promise<T>;
interface Where {
  readonly home?: string;
  readonly config?: string;
}

/** A command has nothing else to do while the disk is slow. */
const HERE = { here: true };

export async function readOffline<T>(where: Where, use: Use<T>): Promise<T> {
  const home = await storedHome(homeAt(where.home), where.config);
  return withStore(home, (store) => use(offlineOperations(where, home, store)), HERE);
}

export async function writeOffline<T>(where: Where, writer: Writer, use: Use<T>): Promise<T> {
  const home = await storedHome(homeAt(where.home), where.config);
  return using(await writer.openStore(home, HERE), (store) => use(offlineOperations(where, home, store)));
}

/**
 * The operations while no watcher runs, on a store that is open. Each part is opened when it is needed, so that a broken
 * config is in the way of nothing that does not need it.
 */
function offlineOperations(where: Where, home: Home, store: Store): Operations {
  const now = systemClock.wall;
  const readConfig = (only?: string) => loadConfig(home.path, where.config, only, true);
  const parts: LocalParts = {
    store,
    now,
    newId: () => `s-${randomBytes(4).toString("hex")}`,
    async watcher() {
      const { offlineWatcher } = await import("./offline-watcher.ts");
      return offlineWatcher(store, home, await readConfig());
    },
    async desk() {
      const { IncidentDesk } = await import("../watch/incident-desk.ts");
      const desk = new IncidentDesk(await store.load());
      const silences = [...desk.silences].filter(({ until }) => until > now());
      return {
        incidents: desk.incidents,
        silences: silences.values(),
        held: (delivery, at) => desk.held(delivery, at),
      };
    },
    async roll(only) {
      const { config, ...error } = await configOrError(() => readConfig(only));
      const watcher = {
        running: false,
        home: home.path,
        problem: null,
        storeEvents: new StoreEvents(home.path).open(),
        database: home.store === undefined ? null : sayAddress(addressOf(home.store)),
        hubInCharge: (await hubInCharge(home.store)) ?? null,
      };
      return { watcher, ...(await offlineRoll(home, config, store, only)), ...error };
    },
    // The history of an agent that was removed stays readable.
    mustBeOnRoll: () => {},
    async readAgent(value) {
      const { readAgent } = await import("../config/agent-input.ts");
      const read = readAgent(value, await readConfig(), now());
      if ("problem" in read) throw new ConfigError("agents add", [read.problem]);
      return read;
    },
    tokens: () => TokenStore.load("", store, async (records) => void (await store.commit({ records }))),
    async actions() {
      const { offlineActions } = await import("./offline-actions.ts");
      return { ...(await offlineActions(home, where.config, store)), run: noAction, enable: noAction };
    },
    async peek(agent, how) {
      const { peekOffline } = await import("./offline-peek.ts");
      return peekOffline(home, where.config, agent, how);
    },
    handles: noStep,
    takeStep: noStep,
    question: needsDaemon("questions are read"),
    answer: needsDaemon("answers are typed"),
    nextStep: () => undefined,
    reportsTo: () => readHubFile(home),
  };
  const local = localOperations(parts);
  const audit = (what: string) => {
    const entry = { at: now(), who: "command line", what };
    return store.commit({ records: [auditRecord(entry, uuidv7())] });
  };
  return {
    ...local,
    runAction: noAction,
    enableAction: noAction,
    async createToken(wish) {
      const made = await local.createToken(wish);
      await audit("POST /api/v1/tokens");
      return made;
    },
    async revokeToken(id) {
      await local.revokeToken(id);
      await audit(`DELETE /api/v1/tokens/${encodeURIComponent(id)}`);
    },
  };
}

function needsDaemon(what: string): () => Promise<never> {
  return async () => {
    throw new DaemonError(
      "not-running",
      `${what} in the daemon, and none is running; start it: rollcall daemon start`,
    );
  };
}

const noAction = needsDaemon("actions run");
const noStep = needsDaemon("nudges, restarts and wakes are made");

/** A broken config must not hide the roll: agents that a watcher has stored keep their rules. */
async function configOrError(
  read: () => Promise<Config>,
): Promise<{ readonly config: Config; readonly configError?: string }> {
  try {
    return { config: await read() };
  } catch (error) {
    if ((error as { code?: string }).code !== "bad-config") throw error;
    return { config: defaultConfig(), configError: (error as Error).message };
  }
}
