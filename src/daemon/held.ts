/** What has to be given back, last taken first. */
export class Held {
  readonly #releases: (() => void | Promise<void>)[] = [];

  add(release: () => void | Promise<void>): void {
    this.#releases.push(release);
  }

  async release(): Promise<void> {
    for (const release of this.#releases.splice(0).reverse()) await release();
  }
}
