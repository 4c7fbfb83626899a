import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createRawServer, type Server } from "node:net";
import { type Case, type ChannelUnderTest, channelContract } from "./channel.contract.ts";
import type { Channel } from "./channel.ts";

export interface Request {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Answer = (response: ServerResponse, request: Request) => void;

/** A chat service on a real socket that does as it is told. */
export class FakeService {
  readonly requests: Request[] = [];
  answer: Answer = (response) => response.end();
  readonly #server = createServer((incoming, response) => void this.#take(incoming, response));
  #raw: Server | undefined;
  readonly #events = new EventEmitter();
  /** Resolves when it was handed something, and when who handed it has gone. */
  readonly reached = once(this.#events, "reached");
  readonly left = once(this.#events, "left");

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Nobody listens any more. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((done) => this.#server.close(done));
    if (this.#raw?.listening) await new Promise((done) => this.#raw?.close(done));
  }

  /** Somebody else listens there who does not speak HTTP. */
  async babble(bytes: string): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    await this.stop();
    this.#raw = createRawServer((socket) =>
      socket
        .on("error", () => {})
        .resume()
        .end(bytes),
    ).listen(port, "127.0.0.1");
    await once(this.#raw, "listening");
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const part of incoming.setEncoding("utf8")) body += part;
    const request = { url: incoming.url ?? "", headers: incoming.headers, body };
    this.requests.push(request);
    response.on("close", () => this.#events.emit("left"));
    this.answer(response, request);
    this.#events.emit("reached");
  }
}

export interface ServiceUnderTest extends ChannelUnderTest {
  readonly fake: FakeService;
}

export interface HttpChannelKit {
  readonly open: (address: string) => Channel;
  readonly secrets: readonly string[];
  /** How the service says that all is well, and how it complains. */
  readonly good: readonly [status: number, body: string];
  readonly complaint: (text: string) => string;
  /** Whether it can tell an answer of the service from one of somebody in between. */
  readonly knowsGood: boolean;
  /** What the problem says, by status. */
  readonly says: Readonly<Record<number, string>>;
  /** Its own way to ask for a pause of 7 seconds. */
  readonly pause?: string;
  readonly harmless: (request: Request) => void;
}

/** The contract for channels that speak HTTP: what each status means, and what else can happen on the way. */
export function httpChannelContract(name: string, kit: HttpChannelKit): void {
  const setUp = async (): Promise<ServiceUnderTest> => {
    const fake = new FakeService();
    const address = await fake.start();
    return {
      fake,
      channel: kit.open(address),
      secrets: kit.secrets,
      heard: () => fake.requests.map((request) => JSON.stringify(request)),
      cleanUp: () => fake.stop(),
    };
  };
  const answers = (what: string, answer: Answer): Case<ServiceUnderTest> => ({
    name: what,
    far: ({ fake }) => {
      fake.answer = answer;
    },
  });
  /** It repeats all that it was sent, as careless services do. */
  const status = (code: number, headers: Record<string, string> = {}, body?: string) =>
    answers(
      `answers ${[code, ...Object.values(headers), body].filter(Boolean).join(" ")}`,
      (response, request) => {
        const echo = `${request.url} ${request.headers.authorization} \u001b[31m${encodeURIComponent(request.url)}`;
        response.writeHead(code, headers).end(body ?? kit.complaint(echo));
      },
    );
  const good = (code: number) =>
    answers(`answers ${code} as it does`, (response) => response.writeHead(code).end(kit.good[1]));

  channelContract(name, setUp, {
    sent: [good(kit.good[0]), good(201)],
    refused: [400, 401, 403, 404, 410, 413, 422, 301, 308].map((code) => ({
      ...status(code, code < 400 ? { location: "http://127.0.0.1:1/elsewhere" } : {}),
      says: code < 400 ? "configure the new address" : (kit.says[code] ?? `${code}: `),
    })),
    retry: [
      ...[408, 425, 429, 500, 501, 502, 503, 504, 302, 307].map((code) => status(code)),
      { ...status(429, { "retry-after": "30" }), after: 30_000 },
      { ...status(503, { "retry-after": "99999999999" }), after: 86_400_000 },
      status(503, { "retry-after": "soon" }),
      {
        ...status(429, {
          date: "Sun, 01 Mar 2026 12:00:00 GMT",
          "retry-after": "Sun, 01 Mar 2026 12:02:00 GMT",
        }),
        after: 120_000,
      },
      ...(kit.pause === undefined ? [] : [{ ...status(429, {}, kit.pause), after: 7000 }]),
      ...(kit.knowsGood
        ? [answers("is a portal in between", (response) => response.end("<html>Please log in</html>"))]
        : []),
      answers("closes the connection", (response) => response.socket?.destroy()),
      answers("resets the connection", (response) => response.socket?.resetAndDestroy()),
      { name: "does not listen", far: ({ fake }) => fake.stop() },
      { name: "talks rubbish", far: ({ fake }) => fake.babble("\u0000\u0001 what?\r\n\r\n") },
      {
        ...answers("never stops talking", (response) => {
          response.writeHead(500);
          const more = () => {
            while (!response.destroyed && response.write("x".repeat(65_536)));
          };
          response.on("drain", more);
          more();
        }),
      },
    ],
    hang: {
      ...answers("is silent", () => {}),
      reached: async ({ fake }) => void (await fake.reached),
      left: async ({ fake }) => void (await fake.left),
    },
    harmless: ({ fake: { requests } }) => {
      for (const request of requests) kit.harmless(request);
    },
  });
}
