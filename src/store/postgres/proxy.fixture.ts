import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** What becomes of what passes. `lose-*` cut the connection once, at the next thing that goes that way. */
type Mode = "pass" | "lose-request" | "lose-answer" | "hang" | "hang-answers";

/** A network on loopback that can be told to fail. */
export class BadNetwork {
  readonly #server: Server;
  readonly #target: URL;
  readonly #open = new Set<Socket>();
  mode: Mode = "pass";

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((client) => this.#join(client));
  }

  static async before(url: string): Promise<BadNetwork> {
    const network = new BadNetwork(new URL(url));
    network.#server.listen(0, "127.0.0.1");
    await once(network.#server, "listening");
    return network;
  }

  get url(): string {
    const address = this.#server.address();
    const url = new URL(this.#target.href);
    url.port = String(typeof address === "object" && address !== null ? address.port : 0);
    return url.href;
  }

  /** Who connects from now on comes to another server, and there to what was named before. */
  lead(url: string): void {
    this.#target.port = new URL(url).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    const pair = [client, server];
    for (const socket of pair) {
      this.#open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#open.delete(socket);
        // One that hangs does not even hear of the end.
        if (!this.mode.startsWith("hang")) for (const each of pair) each.destroy();
      });
    }
    const cut = () => {
      this.mode = "pass";
      for (const socket of pair) socket.destroy();
    };
    client.on("data", (data) => {
      if (this.mode === "hang") return;
      if (this.mode === "lose-request") return cut();
      server.write(data);
    });
    server.on("data", (data) => {
      if (this.mode === "hang" || this.mode === "hang-answers") return;
      if (this.mode === "lose-answer") return cut();
      client.write(data);
    });
  }
}

/**
 * Serves all clients with one session, as a pooler by transaction does that has nothing else to do: each one that comes
 * later is told what the first was told, and then asks in its turn.
 */
export async function poolOf(url: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const target = new URL(url);
  const session = connect(Number(target.port), target.hostname);
  session.on("error", () => {});
  let welcome = Buffer.alloc(0);
  let isReady = false;
  let asking: Socket | undefined;
  session.on("data", (data) => {
    if (!isReady) {
      welcome = Buffer.concat([welcome, data]);
      isReady = welcome.subarray(-6, -1).equals(Buffer.from([0x5a, 0, 0, 0, 5]));
    }
    asking?.write(data);
  });
  const server = createServer((client) => {
    let isKnown = false;
    client.on("error", () => {});
    client.on("data", (data) => {
      // "X" is how a client says goodbye: the session stays.
      if (data[0] === 0x58) {
        client.end();
        return;
      }
      asking = client;
      if (isKnown || welcome.length === 0) session.write(data);
      else client.write(welcome);
      isKnown = true;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const pooled = new URL(url);
  pooled.port = String(typeof address === "object" && address !== null ? address.port : 0);
  return {
    url: pooled.href,
    async close() {
      session.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
