/** Longer parameters than any real sequence has: such a sequence is cancelled. */
const MOST_HELD = 256;
/** Titles and state codes are short. The rest of a longer string is left out. */
const MOST_STRING = 2048;
/** Modes and colours are numbers that nothing counts up to. */
const MOST_NAMED = 65_535;
const NAMING = "hlm";
/** Commands that move or repeat whole rows. */
const VERTICAL = "ABEFLMSTde";

const [BEL, CAN, SUB, ESC] = [0x07, 0x18, 0x1a, 0x1b];
/** The first byte of a control character of the second set (C1), as UTF-8 writes it. */
const C1_LEAD = 0xc2;

type State = "text" | "escape" | "intermediate" | "csi" | "osc" | "dcs";

/**
 * Makes the bytes of a program harmless to a terminal emulator before it sees them. An emulator repeats some commands as
 * often as a parameter says, up to 2,147,483,647 times, so numbers are cut to what the screen holds; and it
 * collects strings (OSC, DCS) of many megabytes, so these are cut too. Nothing else is changed.
 *
 * The states are those of the emulator's own parser. Where the two could differ (malformed text), this one takes more for
 * parameters, never less: bytes of 128 and above do not end a sequence here.
 */
export class Harmless {
  readonly #rows: number;
  readonly #most: number;
  #state: State = "text";
  /** Whether the last byte was `C1_LEAD`, which has not been passed on yet. */
  #isLed = false;
  /** The parameters of an unfinished sequence. */
  #held: number[] = [];
  /** How much of the present string was passed on. */
  #length = 0;
  #out = new Uint8Array(0);
  #end = 0;

  constructor(cols: number, rows: number) {
    this.#rows = rows;
    this.#most = Math.max(cols, rows);
  }

  /** The bytes to draw. A chunk may end anywhere; what cannot be judged yet comes with the next one. */
  of(chunk: Uint8Array): Uint8Array {
    this.#out = new Uint8Array(chunk.length + this.#held.length + 8);
    this.#end = 0;
    for (let i = 0; i < chunk.length; i += 1) {
      if (this.#state === "text" && !this.#isLed) {
        const from = i;
        while (i < chunk.length && chunk[i] !== ESC && chunk[i] !== C1_LEAD) i += 1;
        this.#out.set(chunk.subarray(from, i), this.#end);
        this.#end += i - from;
        if (i === chunk.length) break;
      }
      this.#take(chunk[i] ?? 0);
    }
    return this.#out.subarray(0, this.#end);
  }

  #take(byte: number): void {
    if (this.#isLed) {
      this.#isLed = false;
      if (byte >= 0x80 && byte <= 0x9f) {
        this.#flush(0);
        this.#put(C1_LEAD);
        this.#put(byte);
        this.#begin(byte === 0x9b ? "csi" : byte === 0x9d ? "osc" : byte === 0x90 ? "dcs" : "text");
        return;
      }
      this.#pass(C1_LEAD);
    }
    if (byte === C1_LEAD) this.#isLed = true;
    else if (byte === ESC || byte === CAN || byte === SUB) {
      this.#flush(0);
      this.#put(byte);
      this.#begin(byte === ESC ? "escape" : "text");
    } else this.#pass(byte);
  }

  #begin(state: State): void {
    this.#state = state;
    this.#length = 0;
  }

  /** One byte that has no meaning of its own in every state. */
  #pass(byte: number): void {
    switch (this.#state) {
      case "csi":
        if (byte >= 0x40 && byte <= 0x7e) {
          this.#flush(byte);
          this.#put(byte);
          this.#begin("text");
        } else this.#hold(byte);
        return;
      case "osc":
      case "dcs": {
        const ends = byte === BEL && this.#state === "osc";
        this.#length += 1;
        if (ends || this.#length <= MOST_STRING) this.#put(byte);
        if (ends) this.#begin("text");
        return;
      }
      case "escape":
      case "intermediate":
        this.#put(byte);
        this.#begin(afterEscape(this.#state, byte));
        return;
      case "text":
        this.#put(byte);
    }
  }

  #hold(byte: number): void {
    this.#held.push(byte);
    if (this.#held.length <= MOST_HELD) return;
    this.#held = [];
    this.#put(CAN);
    this.#begin("text");
  }

  /** Passes the parameters on that were held, with numbers that suit the command. */
  #flush(final: number): void {
    if (this.#held.length === 0) return;
    const command = String.fromCharCode(final);
    const most = NAMING.includes(command) ? MOST_NAMED : VERTICAL.includes(command) ? this.#rows : this.#most;
    let number: number | undefined;
    const endNumber = () => {
      if (number === undefined) return;
      for (const digit of String(Math.min(number, most))) this.#put(digit.charCodeAt(0));
      number = undefined;
    };
    for (const byte of this.#held) {
      if (byte >= 0x30 && byte <= 0x39) number = Math.min((number ?? 0) * 10 + byte - 0x30, 1e9);
      else {
        // The emulator carries out control characters in between, and the number goes on behind them.
        if (byte >= 0x20 && byte <= 0x3f) endNumber();
        this.#put(byte);
      }
    }
    endNumber();
    this.#held = [];
  }

  #put(byte: number): void {
    this.#out[this.#end] = byte;
    this.#end += 1;
  }
}

function afterEscape(state: "escape" | "intermediate", byte: number): State {
  // Control characters are carried out, and the sequence goes on.
  if (byte < 0x20 || byte >= 0x7f) return state;
  if (byte <= 0x2f) return "intermediate";
  if (state === "intermediate") return "text";
  if (byte === 0x5b) return "csi";
  return byte === 0x5d ? "osc" : byte === 0x50 ? "dcs" : "text";
}
