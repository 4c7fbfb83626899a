import type { Beat } from "../../src/core/beat.ts";
import { MINUTE, type Millis, SECOND } from "../../src/core/duration.ts";
import { Chance } from "../chance.ts";
import { Time } from "../time.ts";
import type { Trace } from "../trace.ts";
import type { Violation } from "../violation.ts";
import { START } from "./clocks.ts";
import { Engine, type Kept, LEASE } from "./engine.ts";
import { HubProcess, RULE } from "./hub-process.ts";
import type { HubsMutant } from "./mutants.ts";

/** How long a seed lives, and how long its end is left in peace. */
export const HUBS_LENGTH: Millis = 35 * MINUTE;
const PEACE: Millis = 10 * MINUTE;
/** How long a hub may take to start, beyond its lease. */
const SLACK: Millis = 12 * SECOND;

interface Sender {
  readonly id: string;
  readonly every: Millis;
  /** From then on it says nothing. */
  readonly endsAt: Millis;
  ackedAt: Millis;
  /** When the acknowledged beat was first sent: an earlier try may have arrived, and a beat counts once. */
  firstSentAt: Millis;
}

/** Several hubs on one server, of which each may be killed, stopped and frozen, and a server that fails in every way. */
export class HubsWorld {
  readonly #seed: number;
  readonly #chance: Chance;
  readonly #trace: Trace;
  readonly #time = new Time(START);
  readonly #engine: Engine;
  readonly #hubs: readonly HubProcess[];
  readonly #senders: readonly Sender[];
  readonly #acked = new Map<string, Millis>();
  readonly #open = new Map<string, string>();
  readonly #violations: Violation[] = [];
  #loss = 0;
  #beats = 0;
  #failedOverAt: Millis = 0;
  /** Since when nobody commits although somebody could. */
  #idleSince: Millis | undefined;
  /** Moments, by the second, at which nobody watched. */
  readonly #unwatched: Millis[] = [];

  constructor(seed: number, mutant: HubsMutant, trace: Trace) {
    this.#seed = seed;
    this.#trace = trace;
    const chance = new Chance(seed * 7 + 3);
    this.#chance = chance;
    const time = this.#time;
    const engine = new Engine(time, mutant);
    this.#engine = engine;
    const note = (what: string, about: string) => trace.note(time.now, what, about);
    this.#hubs = Array.from(
      { length: chance.between(2, 3) },
      (_, n) =>
        new HubProcess({
          ...{ id: `hub${n}`, time, chance, engine, mutant, note, loss: () => this.#loss },
          blind: (hub) => this.#report(30, `${hub} tells people that it is blind, and another hub watches`),
        }),
    );
    this.#senders = Array.from({ length: 5 }, (_, n) => ({
      ...{ id: `bot${n}`, every: chance.between(40, 120) * SECOND, ackedAt: 0, firstSentAt: 0 },
      endsAt: n === 0 ? chance.between(6, 14) * MINUTE : Number.POSITIVE_INFINITY,
    }));
    engine.onCommit = (kept) => this.#committed(kept);
    engine.onClaim = ({ hub }, from) => {
      const owner = this.#hubs.find(({ parts }) => parts.id === from.owner);
      const isFresh = time.now - from.seen < 0.9 * LEASE && from.session !== "";
      if (from.owner === hub || !isFresh || engine.lockedBy === undefined) return;
      if (owner?.isOwner === true && owner.clocks.awakeFor > 5 * SECOND)
        this.#report(28, `${hub} takes over from ${from.owner}, which is well`);
    };
  }

  async run(untilFound = false): Promise<readonly Violation[]> {
    this.#plan();
    for (const hub of this.#hubs) this.#time.after(this.#chance.between(1, 2000), () => hub.start());
    for (const sender of this.#senders) this.#goOn(sender);
    this.#watchOver();
    await this.#time.run(HUBS_LENGTH, () => !untilFound || this.#violations.length === 0);
    if (this.#violations.length === 0) await this.#checkEnd();
    for (const hub of this.#hubs) hub.kill();
    return this.#violations;
  }

  #report(invariant: number, what: string): void {
    this.#violations.push({ seed: this.#seed, at: this.#time.now, invariant, what });
  }

  #plan(): void {
    const chance = this.#chance;
    const time = this.#time;
    const note = (what: string) => this.#trace.note(time.now, what, "");
    const some = (least: number, most: number, call: () => void) => {
      for (let n = chance.between(least, most); n > 0; n--)
        time.after(chance.between(MINUTE, HUBS_LENGTH - PEACE - 2 * MINUTE), call);
    };
    const one = () => chance.one(this.#hubs);
    const owner = () => this.#hubs.find((hub) => hub.isOwner) ?? one();
    const back = (hub: HubProcess) => time.after(chance.between(500, 30_000), () => hub.start());
    const kill = (hub: HubProcess) => {
      note(`kill ${hub.parts.id}`);
      hub.kill();
      back(hub);
    };
    const stop = (hub: HubProcess) => {
      note(`stop ${hub.parts.id}`);
      void hub.stop().then(() => back(hub));
    };
    some(1, 3, () => kill(chance.hit(0.7) ? owner() : one()));
    // In the middle of a commit: there the fence is all that holds.
    some(2, 5, () => {
      const hub = owner();
      const moment = chance.one(["sent", "arrived"] as const);
      const freeze = chance.hit(0.5) ? { freeze: chance.between(11 * SECOND, 30 * SECOND) } : {};
      hub.harm = { moment, ...freeze, die: () => kill(hub) };
    });
    some(0, 3, () => stop(owner()));
    some(1, 3, () => {
      const hub = owner();
      note(`freeze ${hub.parts.id}`);
      hub.clocks.freeze(chance.between(2 * SECOND, 40 * SECOND));
    });
    some(0, 2, () => this.#disturb(chance.one(["refusing", "hanging"]), chance.between(2, 40) * SECOND));
    some(0, 2, () => {
      this.#loss = 0.03;
      time.after(chance.between(1, 4) * MINUTE, () => {
        this.#loss = 0;
      });
    });
    if (chance.hit(0.3)) some(1, 1, () => void this.#failOver(chance.between(500, 8000)));
    // Restarted in turn, all the time: silence must be noticed all the same.
    if (chance.hit(0.4))
      for (let at = 5 * MINUTE; at < HUBS_LENGTH - PEACE; at += 150 * SECOND)
        time.after(at, () => (chance.hit(0.5) ? stop(owner()) : kill(owner())));
    time.after(HUBS_LENGTH - PEACE, () => {
      this.#loss = 0;
      this.#engine.state = "well";
      for (const hub of this.#hubs) hub.start();
    });
  }

  #disturb(state: "refusing" | "hanging", length: Millis): void {
    if (this.#engine.state !== "well") return;
    this.#trace.note(this.#time.now, state, String(length));
    this.#engine.state = state;
    this.#time.after(length, () => {
      this.#engine.state = "well";
    });
  }

  /** What was acknowledged within the tail is lost: an asynchronous standby is no promise. */
  async #failOver(behind: Millis): Promise<void> {
    const since = await this.#engine.failOver(behind);
    this.#failedOverAt = this.#time.now;
    for (const hub of this.#hubs) hub.disconnect();
    this.#trace.note(this.#time.now, "fails over", String(behind));
    for (const [id, at] of this.#acked) if (at >= since - SECOND) this.#acked.delete(id);
    for (const sender of this.#senders) if (sender.ackedAt >= since - SECOND) sender.ackedAt = 0;
    this.#open.clear();
    for (const kept of this.#engine.log) this.#noteIncidents(kept);
  }

  #goOn(sender: Sender): void {
    const chance = this.#chance;
    this.#time.after(chance.between(sender.every / 2, sender.every), () => {
      if (this.#time.now >= sender.endsAt) return;
      this.#beats += 1;
      const at = START + this.#time.now;
      const id = `beat-${this.#beats}`;
      const beat = {
        id,
        agent: sender.id,
        source: "agent",
        status: "ok",
        sentAt: at,
        receivedAt: at,
      } as const;
      void this.#send(sender, beat, this.#time.now, 0);
    });
  }

  /** Sends it until it is acknowledged, to any hub. */
  async #send(sender: Sender, beat: Beat, firstSentAt: Millis, tries: number): Promise<void> {
    const hub = this.#chance.one(this.#hubs);
    const owner = this.#hubs.find((each) => each.isOwner);
    const sentAt = this.#time.now;
    let isOver = false;
    const again = () => {
      if (isOver) return;
      isOver = true;
      if (tries < 40) void this.#send(sender, beat, firstSentAt, tries + 1);
      else this.#goOn(sender);
    };
    this.#time.after(6 * SECOND, again);
    if (!(await hub.beat({ ...beat, receivedAt: hub.clocks.wall() }, owner)) || isOver) return;
    isOver = true;
    // The answer to what was under way at a fail-over may be the old server's.
    if (sentAt > this.#failedOverAt) {
      this.#acked.set(beat.id, sentAt);
      sender.ackedAt = Math.max(sender.ackedAt, sentAt);
      sender.firstSentAt = Math.max(sender.firstSentAt, firstSentAt);
    }
    owner?.notified();
    this.#goOn(sender);
  }

  #committed(kept: Kept): void {
    const { number, epoch, hub, changes } = kept;
    const last = this.#engine.log.at(-1);
    if (number !== (last?.number ?? 0) + 1)
      this.#report(31, `${hub} commits ${number} after ${last?.number ?? 0}`);
    if (epoch < (last?.epoch ?? 0) || epoch !== this.#engine.row.epoch)
      this.#report(31, `${hub} commits at epoch ${epoch}, and ${this.#engine.row.epoch} owns the store`);
    this.#noteIncidents(kept);
    for (const { agent, to } of changes.flips ?? []) {
      this.#trace.note(this.#time.now, `${agent} is ${to}`, hub);
      const sender = this.#senders.find(({ id }) => id === agent);
      const silence = this.#time.now - (sender?.firstSentAt ?? 0);
      if (
        to === "dead" &&
        sender !== undefined &&
        sender.ackedAt > 0 &&
        silence < RULE.every + RULE.grace - SECOND
      )
        this.#report(28, `${agent} is called dead ${Math.round(silence / SECOND)} s after its last beat`);
    }
  }

  #noteIncidents({ changes }: Kept): void {
    for (const { incident } of changes.incidents ?? []) {
      if (incident.kind === "reboot") this.#report(25, "people are told of a reboot that was a take-over");
      const open = this.#open.get(incident.subject);
      if (incident.resolved !== undefined) {
        if (open === incident.id) this.#open.delete(incident.subject);
      } else if (open !== undefined && open !== incident.id)
        this.#report(25, `${incident.subject} has two open incidents`);
      else this.#open.set(incident.subject, incident.id);
    }
  }

  /** Looks every second whether somebody owns, and at who is silent. */
  #watchOver(): void {
    this.#time.after(SECOND, () => {
      const { now } = this.#time;
      const isWell = this.#engine.state === "well" && this.#loss === 0;
      const awake = this.#hubs.filter((hub) => hub.isAlive && !hub.clocks.isFrozen);
      const isWatched = awake.some((hub) => hub.isOwner && this.#engine.row.owner === hub.parts.id);
      if (!isWatched || !isWell) this.#unwatched.push(now);
      if (isWatched || !isWell || awake.length === 0) this.#idleSince = undefined;
      else this.#idleSince ??= now;
      if (now - (this.#idleSince ?? now) > LEASE + 2 * SECOND + SLACK) {
        this.#report(28, "nobody owns the store, though a hub runs and the server is well");
        this.#idleSince = undefined;
      }
      this.#checkSilent();
      this.#watchOver();
    });
  }

  /**
   * Silence is noticed, however often owners change: later only by what nobody watched, and by one whole new chance if
   * a single span of that was longer than half of the grace.
   */
  #checkSilent(): void {
    const [silent] = this.#senders;
    if (silent === undefined || this.#time.now < silent.endsAt || silent.ackedAt === 0) return;
    const unwatched = this.#unwatched.filter((at) => at > silent.ackedAt);
    const isBroken = longestSpan(unwatched) > RULE.grace / 2;
    const chances = (isBroken ? 2 : 1) * (RULE.every + RULE.grace);
    const limit = silent.ackedAt + chances + 2.5 * unwatched.length * SECOND + 90 * SECOND;
    if (this.#time.now > limit && !this.#open.has(silent.id)) {
      this.#report(
        28,
        `${silent.id} is silent for ${Math.round((this.#time.now - silent.ackedAt) / SECOND)} s`,
      );
      silent.ackedAt = 0;
    }
  }

  async #checkEnd(): Promise<void> {
    for (const { id } of this.#senders) {
      const stored = await this.#engine.store.beats(id, { limit: 10_000 });
      const ids = new Set(stored.map((beat) => beat.id));
      if (ids.size !== stored.length) this.#report(7, `a beat of ${id} is stored twice`);
      for (const beat of ids) this.#acked.delete(beat);
    }
    // The last ones may be on their way.
    const lost = [...this.#acked].filter(([, at]) => at < this.#time.now - 10 * SECOND);
    if (lost.length > 0)
      this.#report(7, `${lost.length} acknowledged beats are lost, such as ${lost[0]?.[0]}`);
  }
}

/** The longest span of these moments. A watch of less than ten seconds between two spans may leave no mark in the store. */
function longestSpan(moments: readonly Millis[]): Millis {
  let longest = 0;
  let from: Millis | undefined;
  for (const [i, at] of moments.entries()) {
    from = from !== undefined && at - (moments[i - 1] ?? at) < 10 * SECOND ? from : at;
    longest = Math.max(longest, at - from);
  }
  return longest;
}
