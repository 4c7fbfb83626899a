/** What has to be given back, last taken first. */
export class Closers {
  readonly #releases: (() => void | Promise<void>)[] = [];

  add(release: () => void | Promise<void>): void {
    this.#releases.push(release);
  }

  /** Gives everything back, whatever goes wrong with a part of it; the first problem is thrown at the end. */
  async release(): Promise<void> {
    const problems: unknown[] = [];
    for (const release of this.#releases.splice(0).reverse()) {
      try {
        await release();
      } catch (error) {
        problems.push(error);
      }
    }
    if (problems.length > 0) throw problems[0];
  }
}
