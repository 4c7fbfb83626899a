/** One change as it is sent: its number and its text. */
interface Entry {
  readonly number: number;
  readonly text: string;
  readonly size: number;
}

/** How much of what was sent is remembered for those who come back. */
const LARGEST = 4 * 1024 * 1024;

/**
 * The newest events, numbered. An id names this life of the process too: what another life counted means nothing
 * here, and whoever brings such an id must begin anew.
 */
export class Ring {
  readonly #life: string;
  #entries: Entry[] = [];
  #size = 0;
  #number = 0;
  /** Everything up to here is forgotten. */
  #forgotten = 0;

  constructor(life: string) {
    this.#life = life;
  }

  get last(): string {
    return `${this.#life}-${this.#number}`;
  }

  /** Numbers an event and remembers it; answers the text to send. */
  add(event: string, data: string): string {
    this.#number += 1;
    const text = `id: ${this.last}\nevent: ${event}\ndata: ${data}\n\n`;
    this.#entries.push({ number: this.#number, text, size: text.length });
    this.#size += text.length;
    while (this.#size > LARGEST && this.#entries.length > 1) {
      const oldest = this.#entries.shift();
      this.#size -= oldest?.size ?? 0;
      this.#forgotten = oldest?.number ?? 0;
    }
    return text;
  }

  /** Something happened that was not recorded: nobody can go on from before it. */
  forget(): void {
    this.#entries = [];
    this.#size = 0;
    this.#number += 1;
    this.#forgotten = this.#number;
  }

  /** What came after an id, or undefined if that is no longer known. */
  after(id: string): string | undefined {
    const [life, number] = id.split("-");
    const from = Number(number);
    if (life !== this.#life || !Number.isSafeInteger(from) || from > this.#number) return undefined;
    if (from < this.#forgotten) return undefined;
    return this.#entries
      .filter((entry) => entry.number > from)
      .map(({ text }) => text)
      .join("");
  }
}
