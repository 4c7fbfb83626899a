import type { Agent } from "../core/agent.ts";
import type { StateCounts } from "../core/liveness/state.ts";
import { type Trust, trusted } from "../core/liveness/trust.ts";
import type { Verdict } from "../core/liveness/verdict.ts";
import type { Norm } from "../core/rhythm/norm.ts";
import type { Clock } from "../ports/clock.ts";
import { type RhythmView, showRhythm } from "./learning.ts";
import type { Roll } from "./roll.ts";
import { type RollPlace, verdictAt } from "./roll-place.ts";
import { detailOf, type RollView, viewOf } from "./view.ts";

export interface RollReaderOptions {
  readonly roll: Pick<Roll, "places" | "counts">;
  readonly clock: Clock;
  readonly trust: () => Trust;
  readonly normOf: (agent: Agent) => Norm;
}

/** The roll for whoever reads it: what is committed, in the words of this moment. */
export class RollReader {
  readonly #options: RollReaderOptions;

  constructor(options: RollReaderOptions) {
    this.#options = options;
  }

  /** Every place on the roll. The verdicts in it are those of the last change; `verdict` gives today's words. */
  places(): IterableIterator<RollPlace> {
    return this.#options.roll.places.values();
  }

  /** How many agents are in each state. */
  counts(): StateCounts {
    return this.#options.roll.counts;
  }

  /** Everybody on the roll. */
  ids(): IterableIterator<string> {
    return this.#options.roll.places.keys();
  }

  place(id: string): RollPlace | undefined {
    return this.#options.roll.places.get(id);
  }

  /** The verdict of this moment, for a reader. */
  verdict(place: RollPlace): Verdict {
    const { clock, trust, normOf } = this.#options;
    return verdictAt(place, clock.wall(), trust(), normOf(place.agent));
  }

  /** A place as readers see it; `detail` adds its evidence and what time alone will change. */
  view(place: RollPlace, detail = false): RollView {
    const { clock, trust, normOf } = this.#options;
    const show = detail ? detailOf : viewOf;
    return show(place, clock.wall(), trust(), normOf(place.agent));
  }

  /** What is normal for an agent: its own rhythm and what its group shares; undefined if nothing has been learnt. */
  rhythm({ agent, entry }: RollPlace): RhythmView | undefined {
    const { clock, trust, normOf } = this.#options;
    const { rhythm } = entry;
    if (rhythm === undefined) return undefined;
    return showRhythm(rhythm, agent.stall, trusted(trust(), clock.wall()), normOf(agent));
  }
}
