import {
  type ClientRequest,
  type OutgoingHttpHeaders,
  request as plain,
  type RequestOptions,
} from "node:http";
import type { Duplex } from "node:stream";
import { urlToHttpOptions } from "node:url";
import { DAY, type Millis } from "../core/duration.ts";
import { within } from "../ports/clock.ts";
import { systemClock } from "./clock.ts";
import { proxyFor } from "./proxy.ts";

// Every request that Rollcall sends goes out here, each on a connection of its own. It is built on node:http, which loads in
// a fraction of the time that `fetch` takes, and it knows proxies, which the `fetch` of Node 20 does not.

export interface HttpRequest {
  readonly url: string | URL;
  /** GET unless said. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** How many bytes of the answer are read, by its status if need be; none: the status is enough. */
  readonly most: number | ((status: number) => number);
  /** How long everything may take; a day unless said. */
  readonly timeout?: Millis;
  /** How long the far side may say nothing. */
  readonly silence?: Millis;
  readonly abort?: AbortSignal;
  /** Follows redirections, with all headers. Otherwise one is an answer: what is sent is meant for nobody else. */
  readonly follow?: boolean;
  /** The one certificate that the far side must show, as PEM, in place of those that authorities vouch for. */
  readonly certificate?: string;
  /** Without a proxy, whatever the environment says; with a path through a socket of this machine. */
  readonly direct?: true | { readonly socketPath: string };
}

export interface HttpAnswer {
  /** Where it came from, after redirections. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** Set if the body is not whole: `too-large`, or the code of what broke it off. */
  readonly cut?: string;
}

/** Why there is no answer: `timeout`, `aborted` or a code of the system. Its messages may name the whole address, codes do not. */
export interface HttpFailure {
  readonly failure: string;
  /** Nobody was reached, so nothing was sent. */
  readonly unsent?: true;
}

export function isGood({ status }: Pick<HttpAnswer, "status">): boolean {
  return status >= 200 && status < 300;
}

const STOPPED: HttpFailure = { failure: "aborted" };
const MOST_REDIRECTS = 20;
export const MOVED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Sends a request and reads the answer. It never rejects. */
export async function askHttp(request: HttpRequest): Promise<HttpAnswer | HttpFailure> {
  const { timeout = DAY, abort, follow = false } = request;
  const { signal, done } = within(timeout, systemClock, abort);
  try {
    let next = request;
    for (let left = follow ? MOST_REDIRECTS : 0; ; left -= 1) {
      const answer = await askOnce(next, signal);
      if ("failure" in answer && signal.aborted) return { failure: abort?.aborted ? "aborted" : "timeout" };
      const moved = "status" in answer && left > 0 ? redirected(next, answer) : undefined;
      if (moved === undefined) return answer;
      next = moved;
    }
  } catch (error) {
    return failureOf(error);
  } finally {
    done();
  }
}

async function askOnce(asked: HttpRequest, stop: AbortSignal): Promise<HttpAnswer | HttpFailure> {
  if (stop.aborted) return STOPPED;
  const { method = "GET", body, silence = 0, direct, certificate } = asked;
  const url = new URL(asked.url);
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const length = bytes && { "content-length": bytes.length };
  const headers = { "user-agent": "rollcall", ...length, ...asked.headers };
  const options = { ...urlToHttpOptions(url), method, headers, agent: false, timeout: silence } as const;
  // Its name is not asked: nobody else has the key of this certificate.
  const pinned = certificate === undefined ? {} : { ca: certificate, checkServerIdentity: () => undefined };
  const way = direct === undefined ? await wayOf(url, headers, stop) : direct === true ? {} : direct;
  if ("failure" in way) return way;
  const sent = await opened({ ...options, ...pinned, ...way });
  return settled<HttpAnswer>(sent, stop, (done) => {
    sent.on("timeout", () => done({ failure: "timeout" }));
    sent.on("response", (response) => {
      const { statusCode: status = 0 } = response;
      const most = typeof asked.most === "number" ? asked.most : asked.most(status);
      const told = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
      const answer = { url: url.href, status, headers: Object.fromEntries(told) as HttpAnswer["headers"] };
      const parts: Buffer[] = [];
      let size = 0;
      const end = (cut?: string) => {
        const body = Buffer.concat(parts).subarray(0, most);
        done({ ...answer, body, ...(cut === undefined ? {} : { cut }) });
      };
      response.on("error", ({ code = "ECONNRESET" }: NodeJS.ErrnoException) => end(code));
      response.on("end", () => end());
      if (most === 0) return end();
      response.on("data", (part: Buffer) => {
        parts.push(part);
        size += part.length;
        if (size > most) end("too-large");
      });
    });
    sent.end(bytes);
  });
}

/** How to reach an address: straight, or through the proxy that the environment names. */
async function wayOf(
  url: URL,
  headers: OutgoingHttpHeaders,
  stop: AbortSignal,
): Promise<(RequestOptions & { readonly socket?: Duplex }) | HttpFailure> {
  const proxy = proxyFor(url, process.env);
  if (proxy === undefined) return {};
  const { auth, ...its } = urlToHttpOptions(proxy);
  const credentials = auth && { "proxy-authorization": `Basic ${Buffer.from(auth).toString("base64")}` };
  const { host } = url;
  if (url.protocol !== "https:") {
    const path = `${url.origin}${url.pathname}${url.search}`;
    return { ...its, path, headers: { host, ...headers, ...credentials } };
  }
  const path = `${url.hostname}:${url.port || 443}`;
  const connect = { ...its, method: "CONNECT", path, headers: { host: path, ...credentials }, agent: false };
  const sent = await opened(connect as RequestOptions);
  // With a socket, TLS is spoken with the far side itself: the proxy sees bytes.
  return settled<{ socket: Duplex }>(sent, stop, (done) => {
    sent.on("connect", ({ statusCode }, socket) =>
      done(statusCode === 200 ? { socket } : { failure: `the proxy answered ${statusCode}` }),
    );
    sent.end();
  });
}

/** TLS takes long to load, and most questions to the watcher need none. */
async function opened(options: RequestOptions): Promise<ClientRequest> {
  return options.protocol === "https:" ? (await import("node:https")).request(options) : plain(options);
}

/** Settles a request once: with a result, an error or the end of our patience. Its connection ends with that. */
function settled<T extends object>(
  sent: ClientRequest,
  stop: AbortSignal,
  listen: (done: (result: T | HttpFailure) => void) => void,
): Promise<T | HttpFailure> {
  return new Promise((resolve) => {
    const done = (result: T | HttpFailure) => {
      stop.removeEventListener("abort", onStop);
      resolve(result);
      if (!("socket" in result)) sent.destroy();
    };
    const onStop = () => done(STOPPED);
    stop.addEventListener("abort", onStop);
    sent.on("error", (error) => done(failureOf(error)));
    if (stop.aborted) onStop();
    else listen(done);
  });
}

function failureOf(error: unknown): HttpFailure {
  const { code, name, syscall } = error as NodeJS.ErrnoException;
  return { failure: code ?? name, ...(syscall === "connect" ? { unsent: true } : {}) };
}

/** The request that a redirection asks for; undefined if it is none. A POST goes on as one only after 307 and 308. */
function redirected(asked: HttpRequest, { url, status, headers }: HttpAnswer): HttpRequest | undefined {
  const { location } = headers;
  if (!MOVED.has(status) || location === undefined || !URL.canParse(location, url)) return undefined;
  const { body, ...rest } = { ...asked, url: new URL(location, url) };
  if (asked.method === "POST" && status < 307) return { ...rest, method: "GET" };
  return body === undefined ? rest : { ...rest, body };
}
