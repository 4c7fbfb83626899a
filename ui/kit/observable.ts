import { useEffect, useRef, useState } from "preact/hooks";

/** A value that several parts of the page watch. */
export class Observable<T> {
  #value: T;
  readonly #watchers = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const watcher of [...this.#watchers]) watcher(value);
  }

  watch(watcher: (value: T) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

export function useValue<T>(observable: Observable<T>): T {
  const [, redraw] = useState(0);
  const drawn = useRef(observable.value);
  drawn.current = observable.value;
  useEffect(() => {
    const again = () => redraw((count) => count + 1);
    const stop = observable.watch(again);
    // Effects run after the paint: the value may have changed since it was drawn.
    if (!Object.is(drawn.current, observable.value)) again();
    return stop;
  }, [observable]);
  return observable.value;
}
