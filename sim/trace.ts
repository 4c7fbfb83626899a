/** What happened, as one number: two runs that did the same have the same. */
export class Trace {
  #hash = 0x811c9dc5;
  #other = 0x1000193;
  readonly #tell: ((line: string) => void) | undefined;

  constructor(tell?: (line: string) => void) {
    this.#tell = tell;
  }

  note(at: number, what: string, about: string): void {
    this.#number(at);
    this.#text(what);
    this.#text(about);
    this.#tell?.(`${clockOf(at)} ${what} ${about}`);
  }

  get hash(): string {
    return `${(this.#hash >>> 0).toString(16)}-${(this.#other >>> 0).toString(16)}`;
  }

  #number(value: number): void {
    this.#hash = Math.imul(this.#hash ^ (value | 0), 0x01000193);
    this.#other = (Math.imul(this.#other, 31) + value) | 0;
  }

  #text(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      this.#hash = Math.imul(this.#hash ^ code, 0x01000193);
      this.#other = (Math.imul(this.#other, 31) + code) | 0;
    }
  }
}

/** A true time of the simulation for people: hours, minutes, seconds and milliseconds since it began. */
export function clockOf(at: number): string {
  const part = (value: number, width = 2) => String(Math.floor(value)).padStart(width, "0");
  return `${part(at / 3_600_000)}:${part((at / 60_000) % 60)}:${part((at / 1000) % 60)}.${part(at % 1000, 3)}`;
}
