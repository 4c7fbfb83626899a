import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** A page has all it wants when nothing came for this long. */
const QUIET = 2000;

export interface Opened {
  /** Until the first row is on the screen. */
  readonly row: number;
  /** Until the last byte of what the page loads. */
  readonly whole: number;
  readonly bytes: number;
}

/** Passes a page's connections on to a server, and counts what the server sends: requests, streams and sockets alike. */
export class CountingProxy {
  #bytes = 0;
  #lastAt = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server;

  constructor(to: string) {
    const { hostname, port } = new URL(to);
    this.#server = createServer((page) => {
      const server = connect(Number(port), hostname);
      for (const socket of [page, server]) {
        this.#sockets.add(socket);
        socket.setNoDelay(true);
        socket.on("error", () => {});
        socket.on("close", () => {
          this.#sockets.delete(socket);
          page.destroy();
          server.destroy();
        });
      }
      server.on("data", (chunk) => {
        this.#bytes += chunk.length;
        this.#lastAt = performance.now();
      });
      page.pipe(server);
      server.pipe(page);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  }

  /** Opens a page in a context of its own, so that nothing is cached. */
  async opened(
    browser: Browser,
    url: string,
    { row, ...context }: BrowserContextOptions & { readonly row: string },
  ): Promise<Opened> {
    const opened = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...context });
    try {
      const tab: Page = await opened.newPage();
      this.#bytes = 0;
      const began = performance.now();
      await tab.goto(url, { waitUntil: "commit" });
      await tab.locator(row).first().waitFor({ timeout: 180_000 });
      const seen = performance.now() - began;
      while (performance.now() - this.#lastAt < QUIET) await sleep(50);
      return { row: seen / 1000, whole: Math.max(seen, this.#lastAt - began) / 1000, bytes: this.#bytes };
    } finally {
      await opened.close();
    }
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
