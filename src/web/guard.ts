import type { IncomingMessage } from "node:http";

/**
 * On loopback there is no token for beats, so that no web page may reach us through a person's browser: a page of
 * another site is refused by what the browser says of it, and a name that was made to point here (DNS rebinding) by
 * the Host header. Returns why a request is refused, or undefined.
 */
export function refusal(request: IncomingMessage): string | undefined {
  // Straight from the raw list: making the object of all headers would cost as much as the rest of a beat's way.
  const list = request.rawHeaders;
  let host: string | undefined;
  let origin: string | undefined;
  let site: string | undefined;
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") host ??= list[i + 1];
    else if (name.length === 6 && name.toLowerCase() === "origin") origin ??= list[i + 1];
    else if (name.length === 14 && name.toLowerCase() === "sec-fetch-site") site ??= list[i + 1];
  }
  if (host === undefined || !isLoopbackName(hostName(host))) {
    return `the Host header must be a loopback name such as localhost, not "${host ?? ""}"`;
  }
  if (site === "cross-site") return "a page of another site may not ask this";
  if (origin !== undefined && !isLoopbackOrigin(origin)) return `a page of "${origin}" may not ask this`;
  return undefined;
}

function hostName(host: string): string {
  return host.replace(/:\d*$/, "").toLowerCase();
}

function isLoopbackName(name: string): boolean {
  return name === "localhost" || name === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

function isLoopbackOrigin(origin: string): boolean {
  try {
    return isLoopbackName(new URL(origin).hostname);
  } catch {
    return false;
  }
}
