import { MINUTE, type Millis, SECOND } from "../src/core/duration.ts";
import { hasMarker, type IssueDraft } from "../src/core/rca/issue.ts";
import type { Filed, Forge, ForgeComment, ForgeIssue, Trouble } from "../src/ports/forge.ts";
import { Chance } from "./chance.ts";
import type { Life } from "./life.ts";
import type { Time } from "./time.ts";

/** What the world wants to know of a forge. */
interface ForgeWatch {
  created(draft: IssueDraft): void;
  /** Asked when a request has been sent and its reply is not yet there: true if the process dies here. */
  dies(): boolean;
}

const GIVES_UP: Millis = 10 * SECOND;

/** A forge behind a network that loses replies: what was asked for is done all the same. */
export class SimForge {
  readonly issues: ForgeIssue[] = [];
  /** By the marker with which it was created: its number. */
  readonly #numbers = new Map<string, number>();
  /** When anybody last had trouble with it; infinite while it is down. */
  troubleAt: Millis = 0;
  readonly #comments = new Map<number, ForgeComment[]>();
  readonly #time: Time;
  /** Its own, so that what it draws changes nothing for the others. */
  readonly #chance: Chance;
  readonly #watch: ForgeWatch;

  constructor(time: Time, seed: number, until: Millis, watch: ForgeWatch) {
    this.#time = time;
    this.#chance = new Chance(seed + 2_000_003);
    this.#watch = watch;
    for (let n = this.#chance.between(0, 2); n > 0; n--)
      time.after(this.#chance.between(5 * MINUTE, until), () => this.#down());
  }

  /** The forge as one process sees it. As the adapters do, it looks for an issue before it creates one. */
  forgeFor(life: Life, looks: boolean): Forge {
    const ask = <T extends object>(work: () => T, writes = false) => this.#ask(life, work, writes);
    const at = (number: number) => this.issues[number - 1] as ForgeIssue;
    const found = (marker: string) => {
      const number = this.#numbers.get(marker);
      const issue = number === undefined ? undefined : at(number);
      return issue !== undefined && hasMarker(issue.body, marker) ? issue : undefined;
    };
    const done = { outcome: "done" } as const;
    return {
      name: "simulated",
      file: async (draft): Promise<Filed> => {
        const looked = looks ? await ask(() => ({ ...done, issue: found(draft.marker) })) : undefined;
        if (looked !== undefined && looked.outcome !== "done") return looked;
        if (looked?.issue !== undefined)
          return { outcome: "found", number: looked.issue.number, url: looked.issue.url };
        return ask(() => this.#create(draft), true);
      },
      find: (marker) => ask(() => ({ ...done, issue: found(marker) })),
      read: (number) => ask(() => ({ ...done, issue: at(number) })),
      comments: (number) => ask(() => ({ ...done, comments: this.#comments.get(number) ?? [] })),
      comment: (number, body) =>
        ask(() => {
          const all = this.#comments.get(number) ?? [];
          this.#comments.set(number, [...all, { author: "rollcall", body, at: this.#time.wall() }]);
          return done;
        }, true),
      edit: (number, change) =>
        ask(() => {
          this.issues[number - 1] = { ...at(number), ...change };
          return done;
        }, true),
      open: () => ask(() => ({ ...done, issues: this.issues.filter(({ state }) => state === "open") })),
    };
  }

  #create(draft: IssueDraft): Filed {
    const { title, body, labels } = draft;
    const number = this.issues.length + 1;
    const url = `https://forge.example/${number}`;
    this.issues.push({ number, url, title, body, labels, state: "open", createdAt: this.#time.wall() });
    // The first is the one that is found.
    if (!this.#numbers.has(draft.marker)) this.#numbers.set(draft.marker, number);
    this.#watch.created(draft);
    return { outcome: "created", number, url };
  }

  #ask<T extends object>(life: Life, work: () => T, writes: boolean): Promise<T | Trouble> {
    return new Promise((answer) => {
      if (life.isOver) return;
      const trouble = (problem: string) => {
        this.troubleAt = Math.max(this.troubleAt, this.#time.now);
        answer({ outcome: "retry", problem });
      };
      const isDown = this.troubleAt === Number.POSITIVE_INFINITY;
      const fate = this.#chance.next();
      const takes = this.#chance.between(20, 800);
      if (isDown || fate < 0.03) {
        life.after(takes, () => trouble("503"));
        return;
      }
      const lost = fate < 0.1;
      // The forge does not stand still with who asks, nor does it die with it.
      this.#time.after(takes, () => {
        const result = work();
        if (!lost) life.after(this.#chance.between(1, 200), () => answer(result));
      });
      if (lost) life.after(GIVES_UP, () => trouble("timed out"));
      if (writes) this.#watch.dies();
    });
  }

  #down(): void {
    if (this.troubleAt === Number.POSITIVE_INFINITY) return;
    this.troubleAt = Number.POSITIVE_INFINITY;
    this.#time.after(this.#chance.between(MINUTE, 40 * MINUTE), () => {
      this.troubleAt = this.#time.now;
    });
  }
}
