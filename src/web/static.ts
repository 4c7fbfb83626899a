import { createReadStream, type Stats, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { send, sendProblem, sendWrongMethod } from "./kit/problem.ts";

/** No script, style, font or request from elsewhere, and none that stands in the page itself. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const HASHED = /[.-][A-Za-z0-9_-]{8,}\.(js|css|svg)$/;

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Rollcall</title>
<h1>Rollcall is watching</h1>
<p>The dashboard is not built here. Build it with <code>npm run build</code>, or ask the command line:
<code>rollcall status</code>.</p><p>The API is at <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</p></html>
`;

/** Serves the built dashboard out of one folder, and nothing else. */
export class Static {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = normalize(folder);
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== "GET" && request.method !== "HEAD") return sendWrongMethod(response, "GET, HEAD");
    const path = pathOf(request.url ?? "/");
    const file = path === undefined ? undefined : this.#find(path);
    if (file !== undefined) return this.#send(file, request, response);
    if (path !== undefined && isPage(path, request)) {
      const page = this.#find("/index.html");
      return page === undefined
        ? send(response, 200, NOT_BUILT, { ...pageHeaders(".html"), "cache-control": "no-cache" })
        : this.#send(page, request, response);
    }
    sendProblem(response, "not-found", `${request.method} ${(request.url ?? "").slice(0, 200)}`);
  }

  #find(name: string): string | undefined {
    const file = normalize(join(this.#folder, name));
    if (!file.startsWith(this.#folder + sep)) return undefined;
    return statOf(file)?.isFile() === true ? file : undefined;
  }

  #send(file: string, request: IncomingMessage, response: ServerResponse): void {
    const { encoding, sent } = packed(file, String(request.headers["accept-encoding"] ?? ""));
    const stat = statOf(sent);
    if (stat === undefined) return sendProblem(response, "not-found", "the file was removed");
    const etag = `W/"${stat.size.toString(36)}-${Math.trunc(stat.mtimeMs).toString(36)}"`;
    const headers = {
      ...pageHeaders(extname(file)),
      "cache-control": HASHED.test(file) ? "public, max-age=31536000, immutable" : "no-cache",
      etag,
      vary: "accept-encoding",
      ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    };
    if (request.headers["if-none-match"] === etag) return void response.writeHead(304, headers).end();
    response.writeHead(200, { ...headers, "content-length": stat.size });
    if (request.method === "HEAD") return void response.end();
    createReadStream(sent)
      .on("error", () => response.destroy())
      .pipe(response);
  }
}

function pageHeaders(ending: string): Record<string, string> {
  return {
    "content-type": TYPES[ending] ?? "application/octet-stream",
    "content-security-policy": PAGE_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
}

/**
 * Addresses of the page itself are all its one file, which reads the address (`/agents/build.7` too, so that an
 * ending tells nothing). They are for browsers alone: a beat that is sent to an address that does not exist must not
 * be answered with a page.
 */
function isPage(path: string, { headers: { accept = "" } }: IncomingMessage): boolean {
  return path === "/" || accept.includes("text/html");
}

/** The path, decoded; undefined for what cannot be a file of ours. */
function pathOf(url: string): string | undefined {
  try {
    const path = decodeURIComponent(url.split("?", 1)[0] ?? "/");
    // Files that begin with a dot, and any way up, are nobody's.
    return /[\0\\]|(^|\/)\./.test(path) || !path.startsWith("/") ? undefined : path;
  } catch {
    return undefined;
  }
}

/** The same file, compressed when it was built, if the reader takes that. */
function packed(file: string, accepts: string): { encoding?: string; sent: string } {
  for (const [encoding, ending] of Object.entries({ br: ".br", gzip: ".gz" })) {
    const wanted = new RegExp(`\\b${encoding}\\b`).test(accepts);
    if (wanted && statOf(file + ending)?.isFile() === true) return { encoding, sent: file + ending };
  }
  return { sent: file };
}

function statOf(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false });
}
