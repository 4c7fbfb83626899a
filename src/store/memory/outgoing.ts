import type { Instant } from "../../core/duration.ts";
import type { HostFact, NumberedFact } from "../../core/host/fact.ts";
import { SPOOL_AGE, SPOOL_FREED } from "../../ports/spool-limits.ts";
import type { SpoolState } from "../../ports/store.ts";

interface Kept extends NumberedFact {
  readonly size: number;
}

/** The facts for the hub, as the embedded database keeps them. */
export class OutgoingFacts {
  #facts: Kept[] = [];
  #id = "";
  #last = 0;
  #acked = 0;
  #bytes = 0;
  /** How much may wait. */
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(facts: readonly HostFact[]): void {
    if (facts.length === 0) return;
    for (const fact of facts) {
      if (fact.k === "entry" || fact.k === "flip") {
        const agent = fact.entry.id;
        this.#drop(({ seq, fact }) => fact.k === "entry" && fact.entry.id === agent && seq > this.#acked);
      }
      this.#push(fact);
    }
    this.#makeRoom(Math.max(...facts.map(({ at }) => at)));
  }

  get spool(): SpoolState {
    const facts = this.#facts.filter(({ seq }) => seq > this.#acked).length;
    const forgotten = Math.min(this.#acked, (this.#facts[0]?.seq ?? this.#last + 1) - 1);
    return { id: this.#id, facts, bytes: this.#bytes, last: this.#last, acked: this.#acked, forgotten };
  }

  renew(id: string): void {
    [this.#facts, this.#id, this.#last, this.#acked, this.#bytes] = [[], id, 0, 0, 0];
  }

  after(number: number, most: number): readonly NumberedFact[] {
    const found: NumberedFact[] = [];
    let bytes = 0;
    for (const { seq, fact, size } of this.#facts) {
      if (seq <= number) continue;
      bytes += size;
      if (found.length > 0 && bytes > most) break;
      found.push({ seq, fact });
    }
    return found;
  }

  forget(upTo: number, before: Instant): void {
    this.#acked = Math.max(this.#acked, upTo);
    const young = this.#facts.find(({ fact }) => fact.at >= before)?.seq ?? upTo + 1;
    this.#drop(({ seq }) => seq <= upTo && seq < young);
  }

  #push(fact: HostFact): void {
    this.#last += 1;
    const size = JSON.stringify(fact).length;
    this.#bytes += size;
    this.#facts.push({ seq: this.#last, fact, size });
  }

  /** Takes out what matches, oldest first, while `more` wants more; answers how many went. */
  #drop(matches: (kept: Kept) => boolean, more: () => boolean = () => true): number {
    const before = this.#facts.length;
    this.#facts = this.#facts.filter((kept) => {
      if (!matches(kept) || !more()) return true;
      this.#bytes -= kept.size;
      return false;
    });
    return before - this.#facts.length;
  }

  #makeRoom(now: Instant): void {
    const old = ({ fact }: Kept) => fact.at < now - SPOOL_AGE;
    if (this.#bytes <= this.#most && !this.#facts.some(old)) return;
    this.#drop((kept) => old(kept) && kept.seq <= this.#acked);
    let dropped = this.#drop((kept) => old(kept) && kept.fact.k !== "dropped");
    if (this.#bytes > this.#most) {
      const tight = () => this.#bytes > this.#most * (1 - SPOOL_FREED);
      this.#drop(({ seq }) => seq <= this.#acked);
      dropped += this.#drop(({ fact }) => fact.k === "entry", tight);
      dropped += this.#drop(({ fact }) => fact.k !== "dropped", tight);
    }
    if (dropped > 0) this.#push({ k: "dropped", at: now, count: dropped });
  }
}
