import type { Receipt } from "../src/core/delivery/receipt.ts";
import { MINUTE, type Millis } from "../src/core/duration.ts";
import type { Channel, Dispatch } from "../src/ports/channel.ts";
import type { Chance } from "./chance.ts";
import type { Life } from "./life.ts";
import type { Time } from "./time.ts";

/** What the world wants to know of messages. */
export interface WireWatch {
  /** An attempt began; the answer is what goes out under this key. */
  sent(place: string, key: string, life: number): readonly string[];
  arrived(place: string, rows: readonly string[]): void;
  /** The sender was told how it went. */
  answered(place: string, rows: readonly string[], receipt: Receipt, life: number): void;
  /** Asked around each attempt: true if the process dies here. */
  dies(moment: "before" | "after"): boolean;
}

/** Why an attempt does not go as it should. */
type Mishap = "none" | "reply-lost" | "error-after" | "too-many" | "error" | "never";

/** A place where people are told, behind a network that loses replies. */
export class Wire {
  readonly name: string;
  /** Since when it has been up; undefined while it is down. */
  upSince: Millis | undefined = 0;
  /** While it is down: whether it refuses at once, or says nothing. */
  refuses = true;
  readonly #time: Time;
  readonly #chance: Chance;
  readonly #watch: WireWatch;

  constructor(name: string, time: Time, chance: Chance, watch: WireWatch) {
    this.name = name;
    this.#time = time;
    this.#chance = chance;
    this.#watch = watch;
  }

  down(length: Millis): void {
    this.upSince = undefined;
    this.refuses = this.#chance.hit(0.5);
    this.#time.after(length, () => {
      this.upSince = this.#time.now;
    });
  }

  channelFor(life: Life): Channel {
    return { kind: "simulated", send: (dispatch) => this.#send(dispatch, life) };
  }

  #send(dispatch: Dispatch, life: Life): Promise<Receipt> {
    return new Promise((done) => {
      if (life.isOver) return;
      const rows = this.#watch.sent(this.name, dispatch.key, life.number);
      const mishap = this.#mishap();
      let answered = false;
      const answer = (receipt: Receipt) => {
        if (answered || life.isOver) return;
        answered = true;
        this.#watch.answered(this.name, rows, receipt, life.number);
        done(receipt);
      };
      dispatch.abort.addEventListener("abort", () => answer({ outcome: "retry", problem: "timed out" }), {
        once: true,
      });
      if (this.#watch.dies("before")) return;
      if (mishap === "never") return;
      const takes = this.#chance.between(20, 800);
      if (mishap === "none" || mishap === "reply-lost" || mishap === "error-after") {
        // The far side does not stand still with the sender, nor does it die with it.
        this.#time.after(takes, () => {
          this.#watch.arrived(this.name, rows);
          if (!life.isOver) this.#watch.dies("after");
        });
      }
      if (mishap !== "reply-lost")
        life.after(takes + this.#chance.between(1, 200), () => answer(saying(mishap)));
    });
  }

  #mishap(): Mishap {
    if (this.upSince === undefined) return this.refuses ? "error" : "never";
    if (!this.#chance.hit(0.12)) return "none";
    return this.#chance.one<Mishap>([
      "reply-lost",
      "reply-lost",
      "error-after",
      "too-many",
      "error",
      "never",
    ]);
  }
}

function saying(mishap: Mishap): Receipt {
  if (mishap === "none") return { outcome: "sent" };
  if (mishap === "too-many") return { outcome: "retry", problem: "429", after: MINUTE };
  return { outcome: "retry", problem: mishap === "error-after" ? "502" : "500" };
}
