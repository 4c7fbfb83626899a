/** What a stream says to the page: that it is open, that it broke off, or an event of the watcher. */
export type StreamNews =
  | { readonly is: "open" }
  | { readonly is: "broken" }
  | { readonly is: "event"; readonly name: string; readonly data: string };

/** The watcher's events that the page knows. Others are ignored. */
const EVENTS = [
  ...["agents", "removed", "reset"],
  ...["incidents", "deliveries", "silences", "recoveries", "runs"],
] as const;

/** One connection to the watcher's events. The browser reconnects it by itself, except after an answer that refuses. */
export class EventStream {
  readonly #tell: (news: StreamNews) => void;
  #source: EventSource | undefined;

  constructor(tell: (news: StreamNews) => void) {
    this.#tell = tell;
  }

  get isOpen(): boolean {
    return this.#source?.readyState === EventSource.OPEN;
  }

  /** Opens the stream, unless it is open or being opened. */
  open(): void {
    if (this.#source !== undefined && this.#source.readyState !== EventSource.CLOSED) return;
    const source = new EventSource("/api/v1/events");
    this.#source = source;
    source.onopen = () => this.#tell({ is: "open" });
    source.onerror = () => this.#tell({ is: "broken" });
    for (const name of EVENTS) {
      source.addEventListener(name, ({ data }: MessageEvent<string>) =>
        this.#tell({ is: "event", name, data }),
      );
    }
  }

  /** Whether there was one to close. */
  close(): boolean {
    const source = this.#source;
    this.#source = undefined;
    source?.close();
    return source !== undefined;
  }
}
