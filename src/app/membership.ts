import { type Millis, SECOND } from "../core/duration.ts";
import { type Clock, pause } from "../ports/clock.ts";
import {
  HUB_GONE_AFTER,
  type HubCard,
  type HubCircle,
  type KnownHub,
  type Ownership,
} from "../ports/hubs.ts";
import type { Log } from "../ports/log.ts";
import { systemClock } from "../system/clock.ts";

/** How often a hub tells the others that it is here and hears of them, and looks whether it is its turn. */
const PACE = { greet: SECOND, look: 100 } as const;
/** An owner whose connection broke has so long to come back; one that was killed does not. */
const GRACE: Millis = 200;
/** Other hubs hear of a new one within this. */
const HEARD_WITHIN: Millis = 1500;

/** Our place among the hubs that share a store: who they are, who owns it, and when it is our turn. */
export class Membership {
  readonly #circle: HubCircle;
  readonly #card: HubCard;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #pace: { readonly greet: Millis; readonly look: Millis };
  readonly #joinedAt: Millis;
  #hubs: readonly KnownHub[] = [];
  #stopGreeting: () => void = () => {};
  #problem = "";
  /** Grows with every look. */
  looks = 0;
  /** Called when another hub owns the store, or none. */
  onOwner: (owner: KnownHub | undefined) => void = () => {};

  private constructor(
    circle: HubCircle,
    card: HubCard,
    log: Log,
    clock: Clock,
    pace: { readonly greet: Millis; readonly look: Millis },
  ) {
    this.#circle = circle;
    this.#card = card;
    this.#log = log;
    this.#clock = clock;
    this.#pace = pace;
    this.#joinedAt = clock.monotonic();
  }

  /** A simulation has a clock of its own, and looks less often. */
  static async join(
    circle: HubCircle,
    card: HubCard,
    log: Log,
    clock: Clock = systemClock,
    pace: { readonly greet: Millis; readonly look: Millis } = PACE,
  ): Promise<Membership> {
    const membership = new Membership(circle, card, log, clock, pace);
    membership.#hubs = await circle.greet(card);
    membership.#goOnGreeting();
    return membership;
  }

  #goOnGreeting(): void {
    this.#stopGreeting = this.#clock.after(this.#pace.greet, () => {
      void this.#greet();
      this.#goOnGreeting();
    });
  }

  get hubs(): readonly KnownHub[] {
    return this.#hubs;
  }

  /** The others that live. */
  get others(): readonly KnownHub[] {
    return this.#hubs.filter(({ id, seen }) => id !== this.#card.id && seen < HUB_GONE_AFTER);
  }

  async leave(): Promise<void> {
    this.#stopGreeting();
    await this.#circle.leave(this.#card.id).catch(() => {});
  }

  /** Whether it is our turn now: the epoch of the owner before us, if so. */
  async isOurTurn(): Promise<number | undefined> {
    const { owner, epoch, isFree } = await this.#circle.ownership();
    return isFree || owner === this.#card.id ? epoch : undefined;
  }

  /**
   * Waits until it is our turn: the owner gave the store back, its lease ran out, or its session ended and it did not come
   * back. Answers with its epoch.
   */
  async turn(abort: AbortSignal): Promise<number> {
    let orphaned: { readonly epoch: number; readonly at: Millis } | undefined;
    for (;;) {
      const seen = await this.#look();
      abort.throwIfAborted();
      if (seen !== undefined) {
        const { owner, epoch, isFree, isOrphaned } = seen;
        if (isFree || owner === this.#card.id) return epoch;
        const now = this.#clock.monotonic();
        if (!isOrphaned) orphaned = undefined;
        else if (orphaned?.epoch !== epoch) orphaned = { epoch, at: now };
        else if (now - orphaned.at >= GRACE) return epoch;
        this.#say(await this.#hubOf(owner));
      }
      await pause(this.#pace.look, this.#clock, abort);
    }
  }

  /** Looks for another owner, without taking a turn. Resolves when there is one. */
  async follow(abort: AbortSignal): Promise<void> {
    while (!abort.aborted) {
      const seen = await this.#look();
      if (seen !== undefined && !seen.isFree && seen.owner !== this.#card.id)
        return this.#say(await this.#hubOf(seen.owner));
      await pause(this.#pace.look, this.#clock, abort);
    }
  }

  /** Undefined while the store cannot be reached. */
  async #look(): Promise<Ownership | undefined> {
    this.looks += 1;
    try {
      const seen = await this.#circle.ownership();
      this.#note("");
      return seen;
    } catch (error) {
      this.#note(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  async #hubOf(id: string): Promise<KnownHub | undefined> {
    const known = this.#hubs.find((hub) => hub.id === id);
    if (known === undefined) await this.#greet();
    return known ?? this.#hubs.find((hub) => hub.id === id);
  }

  /** Nothing is passed on before the others know us: they would refuse it. */
  #say(owner: KnownHub | undefined): void {
    this.onOwner(this.#clock.monotonic() - this.#joinedAt < HEARD_WITHIN ? undefined : owner);
  }

  async #greet(): Promise<void> {
    try {
      this.#hubs = await this.#circle.greet(this.#card);
    } catch (error) {
      this.#note(error instanceof Error ? error.message : String(error));
    }
  }

  #note(problem: string): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    if (problem !== "") this.#log.warn({ problem }, "the other hubs cannot be heard of");
  }
}
