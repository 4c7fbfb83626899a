import { EventEmitter, once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** Where in its conversation the server can be told to behave otherwise. */
export type Stage = "greeting" | "EHLO" | "AUTH" | "MAIL" | "RCPT" | "DATA" | "END";

/** What it says there; or it says nothing, or hangs up. Functions see the line that it answers. */
export type Said = string | "silence" | "hang up" | ((line: string) => string);

const USUAL: Readonly<Record<Stage, string>> = {
  greeting: "220 fake ESMTP",
  EHLO: "250-fake\r\n250-AUTH PLAIN\r\n250 8BITMIME",
  AUTH: "235 welcome",
  MAIL: "250 ok",
  RCPT: "250 ok",
  DATA: "354 go ahead",
  END: "250 queued",
};

/** A mail server on a real socket that does as it is told. */
export class FakeSmtp {
  readonly mails: string[] = [];
  readonly lines: string[] = [];
  readonly says: Partial<Record<Stage, Said>> = {};
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => this.#talk(socket));
  readonly #events = new EventEmitter();
  /** Resolves when it was silent for the first time, and when a connection was closed. */
  readonly reached = once(this.#events, "reached");
  readonly left = once(this.#events, "left");

  async start(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await new Promise((done) => this.#server.close(done));
  }

  #talk(socket: Socket): void {
    this.#sockets.add(socket);
    socket
      .on("error", () => {})
      .on("close", () => {
        this.#sockets.delete(socket);
        this.#events.emit("left");
      });
    let rest = "";
    let mail: string | undefined;
    this.#say(socket, "greeting", "");
    socket.setEncoding("utf8").on("data", (text: string) => {
      rest += text;
      for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (mail === undefined) mail = this.#obey(socket, line);
        else if (line !== ".") mail += `${line}\n`;
        else {
          this.mails.push(mail);
          mail = undefined;
          this.#say(socket, "END", line);
        }
      }
    });
  }

  /** A mail begins if it answers that the data may come. */
  #obey(socket: Socket, line: string): string | undefined {
    this.lines.push(line);
    const stage = line.slice(0, 4).toUpperCase();
    if (stage === "QUIT") socket.end("221 bye\r\n");
    else if (stage in USUAL)
      return this.#say(socket, stage as Stage, line).startsWith("354") ? "" : undefined;
    else socket.write("502 what?\r\n");
    return undefined;
  }

  #say(socket: Socket, stage: Stage, line: string): string {
    const said = this.says[stage] ?? USUAL[stage];
    const words = typeof said === "function" ? said(line) : said;
    if (words === "silence") this.#events.emit("reached");
    else if (words === "hang up") socket.destroy();
    else socket.write(`${words}\r\n`);
    return words;
  }
}
