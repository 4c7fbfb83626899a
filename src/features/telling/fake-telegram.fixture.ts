import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Json = Record<string, unknown>;

/** Telegram's Bot API on a real socket, as far as Rollcall speaks it: messages, edits, presses by long poll, toasts. */
export class FakeTelegram {
  readonly calls: { readonly method: string; readonly body: Json }[] = [];
  /** What each press was answered, by the id of the press. */
  readonly toasts = new Map<string, string>();
  readonly messages = new Map<number, Json>();
  #updates: { readonly update_id: number; readonly callback_query: Json }[] = [];
  #polls = new Set<() => void>();
  #next = 100;
  #port = 0;
  #server = this.#make();

  async start(): Promise<string> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The connection is lost: whoever polls is cut off, and nobody listens until `start`. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
    this.#server = this.#make();
  }

  /** Somebody presses a button; resolves with what they are shown. */
  async press(person: number, data: string): Promise<string> {
    const id = String(this.#next++);
    const from = { id: person, first_name: `P${person}` };
    this.#updates.push({ update_id: this.#next++, callback_query: { id, from, data } });
    for (const wake of this.#polls) wake();
    for (;;) {
      const toast = this.toasts.get(id);
      if (toast !== undefined) return toast;
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  #make() {
    return createServer((request, response) => void this.#take(request, response));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const part of request.setEncoding("utf8")) text += part;
    const [, method = ""] = /^\/bot[^/]+\/(\w+)$/.exec(request.url ?? "") ?? [];
    const body = JSON.parse(text) as Json;
    this.calls.push({ method, body });
    const done = (result: unknown) => response.end(JSON.stringify({ ok: true, result }));
    if (method === "sendMessage") {
      const id = this.#next++;
      this.messages.set(id, body);
      return void done({ message_id: id });
    }
    if (method === "editMessageText") {
      const id = Number(body.message_id);
      if (!this.messages.has(id)) return void response.writeHead(400).end('{"ok":false,"error_code":400}');
      this.messages.set(id, body);
      return void done({ message_id: id });
    }
    if (method === "answerCallbackQuery") {
      this.toasts.set(String(body.callback_query_id), String(body.text));
      return void done(true);
    }
    if (method === "getUpdates")
      return this.#poll(Number(body.offset ?? 0), Number(body.timeout), response, done);
    response.writeHead(404).end('{"ok":false}');
  }

  /** An offset confirms everything before it, as the real service has it. */
  #poll(offset: number, timeout: number, response: ServerResponse, done: (result: unknown) => void): void {
    this.#updates = this.#updates.filter(({ update_id }) => update_id >= offset);
    if (this.#updates.length > 0 || timeout === 0) return done(this.#updates);
    const wake = () => {
      this.#polls.delete(wake);
      done(this.#updates);
    };
    this.#polls.add(wake);
    response.on("close", () => this.#polls.delete(wake));
  }
}
