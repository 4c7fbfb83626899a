// Chat and mail services on real sockets that take messages and misbehave by seed.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createMailServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { temporaryHome } from "./product.ts";

/** A message that a far side took. */
interface Taken {
  readonly key: string;
  readonly text: string;
  /** The far side has it, and its answer never arrived: whoever sent it must send it again. */
  readonly lost: boolean;
}

/** What a far side does with one message. */
type Mood = "well" | "error" | "busy" | "reset" | "hang" | "lost by a reset" | "lost by silence";

/** Numbers in [0, 1) from a seed, the same every time (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const MOODS: readonly Mood[] = ["error", "busy", "reset", "hang", "lost by a reset", "lost by silence"];
const isLost = (mood: Mood) => mood.startsWith("lost");

/** What one place has been told, and in which mood it is. */
export class FarSide {
  readonly taken: Taken[] = [];
  readonly moods = new Map<Mood, number>();
  readonly #random: () => number;
  /** How many of a hundred messages it misbehaves with. */
  badness = 0;

  constructor(seed: number) {
    this.#random = random(seed);
  }

  mood(): Mood {
    const bad = this.#random() * 100 < this.badness;
    const mood = bad ? (MOODS[Math.floor(this.#random() * MOODS.length)] ?? "well") : "well";
    this.moods.set(mood, (this.moods.get(mood) ?? 0) + 1);
    return mood;
  }

  take(mood: Mood, key: string, text: string): void {
    if (mood === "well" || isLost(mood)) this.taken.push({ key, text, lost: isLost(mood) });
  }

  get keys(): ReadonlySet<string> {
    return new Set(this.taken.map(({ key }) => key));
  }

  /** The first lines of what a webhook was told, in order. */
  get titles(): readonly string[] {
    return this.taken.map(({ text }) => (JSON.parse(text) as { message: { title: string } }).message.title);
  }

  /** Messages that came again although they had been answered. */
  get repeated(): readonly string[] {
    const answered = new Set<string>();
    const again: string[] = [];
    for (const { key, lost } of this.taken) {
      if (answered.has(key)) again.push(key);
      if (!lost) answered.add(key);
    }
    return again;
  }
}

/** A service that speaks HTTP: a bot's, or a webhook's. */
async function httpSide(
  far: FarSide,
  good: string,
  busy: (response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = "";
    try {
      for await (const part of request.setEncoding("utf8")) body += part;
    } catch {
      return; // Whoever sent it was killed in the middle of it.
    }
    const mood = far.mood();
    far.take(mood, String(request.headers["idempotency-key"]), body);
    if (mood === "well") response.end(good);
    else if (mood === "error") response.writeHead(500).end();
    else if (mood === "busy") busy(response);
    else if (mood.endsWith("reset")) response.socket?.resetAndDestroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const telegramSide = (far: FarSide) =>
  httpSide(far, '{"ok":true}', (response) =>
    response.writeHead(429).end('{"ok":false,"parameters":{"retry_after":1}}'),
  );

const slackSide = (far: FarSide) =>
  httpSide(far, "ok", (response) => response.writeHead(429, { "retry-after": "1" }).end());

/** A webhook of somebody's own; it takes everything. */
const webhookSide = (far: FarSide) => httpSide(far, "", (response) => response.writeHead(503).end());

const SMTP: Readonly<Record<string, string>> = {
  EHLO: "250 fake",
  MAIL: "250 ok",
  RCPT: "250 ok",
  DATA: "354 go ahead",
};

/** A mail server; its mood shows when a mail is complete, or before it would take one. */
async function mailSide(far: FarSide): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createMailServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    let rest = "";
    let mail: string | undefined;
    socket.write("220 fake ESMTP\r\n");
    socket.setEncoding("utf8").on("data", (text: string) => {
      rest += text;
      for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (mail === undefined) {
          const verb = line.slice(0, 4).toUpperCase();
          if (verb === "DATA") mail = "";
          socket.write(`${SMTP[verb] ?? "250 ok"}\r\n`);
        } else if (line !== ".") mail += `${line}\n`;
        else {
          const mood = far.mood();
          far.take(mood, messageIdOf(mail), mail);
          mail = undefined;
          if (mood === "well") socket.write("250 queued\r\n");
          else if (mood === "error") socket.write("451 not now\r\n");
          else if (mood === "busy") socket.write("421 too many\r\n");
          else if (mood.endsWith("reset")) socket.resetAndDestroy();
        }
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function messageIdOf(mail: string): string {
  return /^message-id:\s*(\S+)/im.exec(mail)?.[1] ?? "";
}

/** A phone, a team's chat and a mailbox, and a home whose daemon tells all of them. */
export async function threeFarSides(config: string, seed = 1) {
  const far = { phone: new FarSide(seed + 1), team: new FarSide(seed + 2), mail: new FarSide(seed + 3) };
  const home = temporaryHome(`${config}
channels:
  phone: { kind: telegram, chat: 7, url: "${await telegramSide(far.phone)}", tokenEnv: TOKEN }
  team: { kind: slack, urlEnv: HOOK }
  mail: { kind: email, host: 127.0.0.1, port: ${await mailSide(far.mail)}, from: a@example.org, to: b@example.org }
`);
  return { far, home, env: { TOKEN: "1:a", HOOK: await slackSide(far.team) } };
}

/** A webhook, and a home whose daemon tells it. */
export async function oneFarSide(config: string) {
  const far = new FarSide(1);
  const home = temporaryHome(
    `${config}\nchannels: { far: { kind: webhook, url: "${await webhookSide(far)}", secretEnv: SECRET } }\n`,
  );
  return { far, home, env: { SECRET: "s" } };
}
