import * as z from "zod";
import { type Incarnation, sameIncarnation } from "../../core/beat.ts";
import type { Instant } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import type { Degraded, Observation, Signal } from "../../core/liveness/observation.ts";
import type { Look } from "../../ports/signal.ts";

/** The life of a process, as it is remembered. */
export const lifeShape = z.object({ pid: z.number(), startTime: z.string(), bootId: z.string() });

const remembered = z.object({
  /** The life that was last seen, if it is known, and when it was. */
  life: lifeShape.optional(),
  seenAt: z.number().optional(),
  end: z
    .object({
      ...{ at: z.number(), clean: z.boolean(), exit: z.string().optional(), life: lifeShape.optional() },
      lost: z.literal(true).optional(),
    })
    .optional(),
});

/** What outlives a restart, as plain data. */
export type ExistenceMemory = z.output<typeof remembered>;

/** How something ended; `at` if that is known better than "after we last saw it". */
interface End {
  readonly clean: boolean;
  readonly exit?: string | undefined;
  readonly at?: Instant;
  readonly life?: Incarnation | undefined;
  /** The terminal in which it was is gone. */
  readonly lost?: true | undefined;
}

/**
 * Whether something is there, as facts that say only what is new: it is there (anew, or as another life), it is gone,
 * or we cannot tell. A signal that could not be read does not count (see `sortFacts`), so afterwards all is told
 * again, as after a span that was not watched.
 */
export class Existence {
  readonly #signal: Signal;
  #life: Incarnation | undefined;
  #seenAt: Instant | undefined;
  #end: (End & { readonly at: Instant }) | undefined;
  #problem: string | undefined;

  constructor(signal: Signal, memory?: unknown) {
    this.#signal = signal;
    const { data } = remembered.safeParse(memory);
    this.#life = data?.life;
    this.#seenAt = data?.seenAt;
    this.#end = data?.end;
  }

  /** The life that was last seen; also after its end. */
  get life(): Incarnation | undefined {
    return this.#life;
  }

  /** It has been seen, or its end has. */
  get isKnown(): boolean {
    return this.#seenAt !== undefined || this.#end !== undefined;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** The next `there`, `gone` or `unclear` tells all, as if everything were new. */
  isNew(look: Look): boolean {
    return look.fresh || this.#problem !== undefined;
  }

  there(look: Look, life?: Incarnation): readonly Observation[] {
    const same = this.#seenAt !== undefined && this.#end === undefined && isSame(life, this.#life);
    const tell = !same || this.isNew(look);
    this.#life = life;
    this.#seenAt = look.now;
    this.#end = undefined;
    this.#problem = undefined;
    if (!tell) return [];
    return [{ kind: "present", signal: this.#signal, at: look.now, ...(life && { incarnation: life }) }];
  }

  gone(look: Look, end: End): readonly Observation[] {
    const tell = this.#end === undefined || this.isNew(look);
    // It cannot have ended before we saw it alive: others count whole seconds.
    const at = Math.max(end.at ?? this.#seenAt ?? look.now, this.#seenAt ?? 0);
    this.#end ??= { ...end, at: Math.min(at, look.now) };
    this.#life = this.#end.life ?? this.#life;
    this.#problem = undefined;
    if (!tell) return [];
    const { clean, exit, lost, life = this.#life } = this.#end;
    return [
      {
        kind: "gone",
        signal: this.#signal,
        at: this.#end.at,
        seenAt: look.now,
        clean,
        ...(life && { incarnation: life }),
        ...(exit !== undefined && { exit }),
        ...(lost === true && { lost }),
      },
    ];
  }

  unclear(look: Look, problem: string): readonly Degraded[] {
    const tell = look.fresh || this.#problem !== problem;
    this.#problem = problem;
    return tell ? [{ kind: "degraded", signal: this.#signal, at: look.now, problem }] : [];
  }

  /** We can see that it is not there, and it never was: that is no end, because there was no life. */
  absent(look: Look, problem: string): readonly Observation[] {
    return this.unclear(look, problem).map((fact) => ({ ...fact, absent: true }));
  }

  /** It ended, and others tell how: the next life is new. */
  forget(): void {
    this.#life = undefined;
    this.#seenAt = undefined;
    this.#end = undefined;
    this.#problem = undefined;
  }

  memory(): ExistenceMemory {
    return given({ life: this.#life, seenAt: this.#seenAt, end: this.#end });
  }
}

/** Where a life is not known, to be there is all that can be told. */
function isSame(a: Incarnation | undefined, b: Incarnation | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameIncarnation(a, b);
}
