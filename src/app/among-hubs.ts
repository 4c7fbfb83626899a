import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "../config/listen.ts";
import { type Config, loadConfig } from "../config/load.ts";
import type { Beat } from "../core/beat.ts";
import { type Millis, SECOND } from "../core/duration.ts";
import { putBackSecrets, storeOwnerOf } from "../home/home.ts";
import { takeFiles } from "../home/intake/take-files.ts";
import { Intake } from "../hub/intake.ts";
import type { HubCircle, KnownHub } from "../ports/hubs.ts";
import type { Inbox } from "../ports/inbox.ts";
import { StoreError } from "../ports/store.ts";
import { hashOf } from "../service/access/secrets.ts";
import { openCircle, openInbox, type StoreSettings } from "../store/registry.ts";
import { systemClock } from "../system/clock.ts";
import { uuidv7 } from "../system/uuid.ts";
import { VERSION } from "../system/version.ts";
import { type Door, openDoor } from "../web/door.ts";
import { Forwarder } from "../web/hub/forward.ts";
import { Standby } from "../web/hub/standby.ts";
import { Taker } from "../web/hub/taker.ts";
import { Closers } from "./closers.ts";
import { hubUrl, ownAddress, tlsOf } from "./hub-address.ts";
import { Membership } from "./membership.ts";
import { Notifier } from "./notify.ts";
import { STOPPED_BY_PROGRAM, start, type Up } from "./start.ts";
import type { Starting, Term } from "./take-home.ts";

/** How long a hub that stops passes on what came to it, so that nobody meets a closed door. */
const PASS_ON: Millis = 2 * SECOND;
const ANSWER_WITHIN: Millis = 2 * SECOND;
/** How long a hub rests after it could not become the owner. */
const AGAIN: Millis = 250;

/** What another one did to us while we started, or what time may mend: then we wait for our turn again. */
const NOT_OUR_TURN: ReadonlySet<string> = new Set(["busy", "fenced", "unreachable"]);

/**
 * One of several hubs on one store. It listens from the first; only the owner of the store watches. The others take beats and
 * reports for it, and pass all other requests on to it.
 *
 *   standing by ──our turn──▶ starting ──▶ owning ──another took over──▶ stopping ──▶ standing by
 */
export async function startAmongHubs(begun: Starting, address: Address, store: StoreSettings): Promise<Up> {
  const hubs = new AmongHubs(begun, address);
  begun.closers.add(() => hubs.release());
  await hubs.begin(await openCircle(store), await openInbox(store));
  return hubs.up;
}

/** What runs while we own the store. */
interface Owning {
  readonly up: Up;
  readonly closers: Closers;
  /** Another one has taken over. */
  readonly taken: Promise<void>;
}

class AmongHubs {
  readonly #begun: Starting;
  readonly #address: Address;
  readonly #notifier: Notifier;
  readonly #standby: Standby;
  readonly #stopping = new AbortController();
  readonly #closers = new Closers();
  #config: Config;
  #door: Door | undefined;
  #inbox: Inbox | undefined;
  /** Takes no more beats from the files in our home for the owner. */
  #leaveFiles: () => Promise<void> = async () => {};
  #membership: Membership | undefined;
  #current: Owning | undefined;
  #progress = () => this.#membership?.looks ?? 0;
  #owner: KnownHub | undefined;
  #life: Promise<void> = Promise.resolve();
  #pingSecret: string;
  /** Where hosts and people reach us. */
  #url = "";

  constructor(begun: Starting, address: Address) {
    this.#begun = begun;
    this.#address = address;
    this.#config = begun.first;
    this.#pingSecret = begun.secrets.pingSecret;
    this.#notifier = new Notifier({ log: begun.log });
    this.#standby = new Standby(
      begun.secrets.token,
      (...request) => this.#door?.pass(...request),
      // A hub of another version may not understand what we would put into the inbox.
      () => this.#membership?.others.every(({ version }) => version === VERSION) ?? false,
    );
  }

  async begin(circle: HubCircle, inbox: Inbox): Promise<void> {
    const { home, log, secrets, pidFile, first } = this.#begun;
    this.#closers.add(() => circle.close());
    this.#inbox = inbox;
    this.#closers.add(() => inbox.close());
    this.#closers.add(() => this.#leaveFiles());
    this.#standby.taker = new Taker(new Intake(inbox, systemClock), systemClock.wall, uuidv7);
    const tls = tlsOf(first);
    const { socket } = home;
    const { take, takeBeats } = this.#standby;
    const door = await openDoor({ ...this.#address, tls, socket, log }, take, takeBeats);
    this.#door = door;
    this.#closers.add(() => door.stop());
    this.#url = hubUrl(first.hub.url, door.url, tls?.cert);
    const membership = await Membership.join(
      circle,
      {
        id: storeOwnerOf(home),
        url: this.#url,
        address: ownAddress(this.#address, door.url, tls !== undefined),
        ...(tls === undefined ? {} : { certificate: tls.cert }),
        ...{ key: hashOf(secrets.token), version: VERSION },
      },
      log,
    );
    this.#membership = membership;
    this.#closers.add(() => membership.leave());
    // The addresses of pings are made with it: they must be the same on every hub.
    this.#pingSecret = await circle.share("ping-secret", secrets.pingSecret);
    putBackSecrets(home, secrets.token, this.#pingSecret);
    membership.onOwner = (owner) => {
      this.#owner = owner;
      this.#standby.answeredBy(owner);
    };
    this.#closers.add(this.#notifier.watchdog(() => this.#progress()));
    const epoch = await membership.isOurTurn();
    if (epoch === undefined) this.#takeFilesForOwner();
    else await this.#own(epoch);
    if (this.#current === undefined) {
      pidFile.publish({ url: door.url });
      log.info({ url: door.url, version: VERSION, pid: process.pid }, "standing by");
      await this.#notifier.ready("standing by");
    }
    this.#life = this.#live(membership).catch((error: unknown) => {
      if (this.#stopping.signal.aborted) return;
      // As any other error that nobody can mend: a hub that cannot own is no help to the others.
      setImmediate(() => {
        throw error;
      });
    });
  }

  get up(): Up {
    const { home, log, crashes, pidFile } = this.#begun;
    const current = () => this.#current?.up;
    const url = this.#door?.url ?? "";
    return {
      ...{ url, home, log, crashes, incarnation: pidFile.record.incarnation },
      configFile: this.#config.file,
      signInUrl: () => current()?.signInUrl() ?? url,
      agents: current()?.agents ?? 0,
      standsByFor: current() === undefined ? (this.#owner?.url ?? "another hub") : undefined,
      reload: async () => {
        const owning = current();
        if (owning !== undefined) return owning.reload();
        this.#config = await this.#read();
        return [];
      },
      stop: (cause = STOPPED_BY_PROGRAM) => {
        this.#begun.stopsFor(cause);
        return this.#begun.closers.release();
      },
    };
  }

  /** Gives the store back first, so that another one takes over while we still pass on what comes to us. */
  async release(): Promise<void> {
    this.#stopping.abort();
    if (this.#membership !== undefined) await this.#notifier.stopping("saving");
    await this.#life;
    const current = this.#current;
    this.#current = undefined;
    if (current !== undefined) {
      this.#standby.answeredBy(undefined);
      await current.closers.release();
      await this.#passOn();
    }
    await this.#closers.release();
  }

  /** Passes on what came to us until the next owner answers it. */
  async #passOn(): Promise<void> {
    const limit = AbortSignal.timeout(PASS_ON);
    if ((this.#membership?.others.length ?? 0) > 0) await this.#membership?.follow(limit).catch(() => {});
  }

  async #live(membership: Membership): Promise<void> {
    const { signal } = this.#stopping;
    const stopped = new Promise<void>((done) => signal.addEventListener("abort", () => done()));
    while (!signal.aborted) {
      if (this.#current === undefined) await this.#own(await membership.turn(signal));
      const current = this.#current;
      if (current === undefined) await sleep(AGAIN, undefined, { signal });
      else {
        await Promise.race([current.taken, stopped]);
        if (!signal.aborted) await this.#standDown(current);
      }
    }
  }

  async #standDown({ closers }: Owning): Promise<void> {
    this.#current = undefined;
    this.#progress = () => this.#membership?.looks ?? 0;
    this.#standby.answeredBy(undefined);
    this.#begun.log.warn({}, "another hub has taken over; standing by");
    // What could not be saved is not ours to save any more.
    await closers.release().catch(() => {});
    this.#takeFilesForOwner();
    await this.#notifier.status("standing by");
  }

  /**
   * Beats that programs on this machine leave in our home reach the owner as those that come over HTTP do. Nothing waits for it:
   * a store that answers slowly must not put a take-over off. A file that our own term takes as well is recorded once, by its
   * beat's id.
   */
  #takeFilesForOwner(): void {
    const { home, log } = this.#begun;
    const accept = (beats: readonly Beat[]) => this.#standby.acceptOwn(beats);
    // What the owner refuses, it logs itself.
    const taking = takeFiles({ home, log, accept, isFinal: () => false });
    this.#leaveFiles = async () => (await taking).stop();
  }

  /** Starts everything as the owner. If another one was quicker, nothing runs afterwards. */
  async #own(takeFrom: number): Promise<void> {
    const closers = new Closers();
    let onTaken = () => {};
    const taken = new Promise<void>((done) => {
      onTaken = done;
    });
    this.#standby.answeredBy("self");
    void this.#leaveFiles();
    const term: Term = {
      takeFrom,
      ...{ door: this.#door as Door, inbox: this.#inbox as Inbox },
      ...{ notifier: this.#notifier, onFenced: onTaken },
      hubKeys: () => this.#membership?.hubs.map(({ key }) => key) ?? [],
      ownUrl: () => this.#url,
      othersWatch: () => this.#othersWatch(),
      onServing: (watcher) => {
        this.#progress = () => watcher.progress;
        this.#standby.handOn();
      },
    };
    const secrets = { ...this.#begun.secrets, pingSecret: this.#pingSecret };
    try {
      this.#config = await this.#read().catch(() => this.#config);
      const up = await start({ ...this.#begun, first: this.#config, closers, secrets, term }, this.#address);
      this.#current = { up, closers, taken };
    } catch (error) {
      await closers.release().catch(() => {});
      this.#standby.answeredBy(undefined);
      if (!(error instanceof StoreError && NOT_OUR_TURN.has(error.code))) throw error;
      this.#takeFilesForOwner();
    }
  }

  #read(): Promise<Config> {
    return loadConfig(this.#begun.home.path, this.#begun.options.config);
  }

  async #othersWatch(): Promise<boolean> {
    const asked = (this.#membership?.others ?? []).map((hub) => new Forwarder().health(hub, ANSWER_WITHIN));
    return (await Promise.all(asked)).some((said) => said?.includes('"ok"') === true);
  }
}
