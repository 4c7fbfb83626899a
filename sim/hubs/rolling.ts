import { HOUR, MINUTE, type Millis, SECOND } from "../../src/core/duration.ts";
import { Chance } from "../chance.ts";
import { Time } from "../time.ts";
import type { Violation } from "../violation.ts";
import { START } from "./clocks.ts";
import { Engine, type Kept } from "./engine.ts";
import { HubProcess, RULE } from "./hub-process.ts";
import { type HubsMutant, NO_HUBS_MUTANT } from "./mutants.ts";

/** Every so often the next hub is restarted. */
const RESTART_EVERY = 10 * MINUTE;
/** Every so often the next agent falls silent, for so long. */
const DEATH_EVERY = 25 * MINUTE;
const SILENT_FOR = 15 * MINUTE;
/** How much later than its deadline and the gap a death may be noticed: a look at the inbox, and a round of the watcher. */
const SLACK: Millis = 5 * SECOND;

interface Sender {
  readonly id: string;
  readonly every: Millis;
  silentSince: Millis | undefined;
  isDead: boolean;
  ackedAt: Millis;
}

/** What a run was like. */
export interface Rolled {
  readonly violations: readonly Violation[];
  readonly restarts: number;
  readonly deaths: number;
  /** How much later than its deadline a death was noticed, at most, and how long nobody watched at a time, at most. */
  readonly latest: Millis;
  readonly longestGap: Millis;
}

/** Two hubs on one server that are restarted in turn, for days, while agents die, on machines with right clocks: a new version goes out, again and again. */
export class RollingWorld {
  readonly #seed: number;
  readonly #length: Millis;
  readonly #chance: Chance;
  readonly #time = new Time(START);
  readonly #engine: Engine;
  readonly #hubs: readonly HubProcess[];
  readonly #senders: readonly Sender[];
  readonly #violations: Violation[] = [];
  readonly #subjects = new Map<string, string>();
  /** Moments, by the second, at which nobody watched. */
  #unwatched: Millis[] = [];
  #gap: Millis = 0;
  #beats = 0;
  #counts = { restarts: 0, deaths: 0, latest: 0, longestGap: 0 };

  constructor(seed: number, length: Millis = 48 * HOUR, mutant: HubsMutant = NO_HUBS_MUTANT) {
    this.#seed = seed;
    this.#length = length;
    const chance = new Chance(seed * 11 + 5);
    this.#chance = chance;
    const time = this.#time;
    const engine = new Engine(time, mutant);
    this.#engine = engine;
    this.#hubs = ["hub0", "hub1"].map(
      (id) =>
        new HubProcess({
          ...{ id, time, chance, engine, mutant, note: () => {}, loss: () => 0, isOnTime: true },
          blind: (hub) => this.#report(30, `${hub} tells people that it is blind`),
        }),
    );
    this.#senders = Array.from({ length: 5 }, (_, n) => ({
      ...{ id: `bot${n}`, every: chance.between(40, 120) * SECOND, ackedAt: 0 },
      ...{ silentSince: undefined, isDead: false },
    }));
    engine.onCommit = (kept) => this.#committed(kept);
  }

  async run(): Promise<Rolled> {
    const time = this.#time;
    for (const hub of this.#hubs) time.after(this.#chance.between(1, 2000), () => hub.start());
    for (const sender of this.#senders) this.#goOn(sender);
    for (let at = RESTART_EVERY, n = 0; at < this.#length; at += RESTART_EVERY, n++)
      time.after(at, () => void this.#restart(this.#hubs[n % 2]));
    for (let at = DEATH_EVERY, n = 0; at < this.#length - SILENT_FOR; at += DEATH_EVERY, n++)
      time.after(at + this.#chance.between(0, MINUTE), () => this.#silence(this.#senders[n % 5]));
    this.#watchOver();
    await time.run(this.#length, () => this.#violations.length === 0);
    for (const hub of this.#hubs) hub.kill();
    return { violations: this.#violations, ...this.#counts };
  }

  #report(invariant: number, what: string): void {
    this.#violations.push({ seed: this.#seed, at: this.#time.now, invariant, what });
  }

  async #restart(hub: HubProcess | undefined): Promise<void> {
    await hub?.stop();
    this.#counts.restarts += 1;
    this.#time.after(this.#chance.between(500, 20_000), () => hub?.start());
  }

  #silence(sender: Sender | undefined): void {
    if (sender === undefined) return;
    sender.silentSince = this.#time.now;
    this.#time.after(SILENT_FOR, () => {
      if (!sender.isDead) this.#report(28, `${sender.id} was silent, and nobody noticed`);
      sender.silentSince = undefined;
    });
  }

  #goOn(sender: Sender): void {
    this.#time.after(this.#chance.between(sender.every / 2, sender.every), () => {
      if (sender.silentSince === undefined) this.#send(sender, `beat-${++this.#beats}`);
      else this.#goOn(sender);
    });
  }

  /** Sends it to either hub until it is acknowledged. */
  #send(sender: Sender, id: string): void {
    const hub = this.#chance.one(this.#hubs);
    const owner = this.#hubs.find((each) => each.isOwner);
    const at = this.#time.now;
    const wall = hub.clocks.wall();
    const beat = {
      id,
      agent: sender.id,
      source: "agent",
      status: "ok",
      sentAt: wall,
      receivedAt: wall,
    } as const;
    void hub.beat(beat, owner).then((isTaken) => {
      if (!isTaken) return this.#time.after(SECOND, () => this.#send(sender, id));
      sender.ackedAt = at;
      sender.isDead = false;
      this.#goOn(sender);
    });
  }

  #committed({ changes }: Kept): void {
    for (const { agent, to } of changes.flips ?? []) if (to === "dead") this.#died(agent);
    for (const { incident } of changes.incidents ?? []) this.#subjects.set(incident.id, incident.subject);
    for (const { incident = "none", key } of changes.deliveries ?? []) {
      const subject = this.#subjects.get(incident);
      if (!this.#senders.some(({ id }) => id === subject)) this.#report(28, `people are told ${key}`);
    }
  }

  #died(agent: string): void {
    const sender = this.#senders.find(({ id }) => id === agent);
    const late = this.#time.now - ((sender?.ackedAt ?? 0) + RULE.every + RULE.grace);
    if (sender === undefined || late < -SECOND)
      return this.#report(28, `${agent} is called dead, and is not`);
    if (sender.isDead) return;
    const gap = this.#unwatched.filter((at) => at > sender.ackedAt).length * SECOND;
    if (late > gap + SLACK)
      this.#report(28, `the death of ${agent} is noticed ${late} ms late, and nobody watched for ${gap} ms`);
    sender.isDead = true;
    this.#counts.deaths += 1;
    this.#counts.latest = Math.max(this.#counts.latest, late);
  }

  #watchOver(): void {
    this.#time.after(SECOND, () => {
      const { now } = this.#time;
      const isWatched = this.#hubs.some((hub) => hub.isOwner && this.#engine.row.owner === hub.parts.id);
      this.#gap = isWatched ? 0 : this.#gap + SECOND;
      this.#counts.longestGap = Math.max(this.#counts.longestGap, this.#gap);
      if (!isWatched) this.#unwatched = [...this.#unwatched.filter((at) => at > now - HOUR), now];
      this.#watchOver();
    });
  }
}
