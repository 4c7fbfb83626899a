import { isIP } from "node:net";
import { isLoopbackName } from "../../core/access/exposure.ts";
import type { Heads } from "./heads.ts";

/**
 * On loopback there is no token for beats, so that no web page may reach us through a person's browser: a page of
 * another origin, also of another port of this machine, is refused by what the browser says of it, and a name that was
 * made to point here (DNS rebinding) by the Host header. Addresses in numbers cannot be made to point elsewhere, so they
 * pass where others may reach us.
 */
export class OriginCheck {
  readonly #names: ReadonlySet<string>;
  readonly #open: boolean;
  /** The last name that passed: nearly every request brings the same one. */
  #known = "";

  /** `open`: whether we can be reached from other machines. */
  constructor(names: readonly string[], open: boolean) {
    this.#names = new Set(names.map((name) => name.toLowerCase()));
    this.#open = open;
  }

  /** Why a request is refused, or undefined. `forPage`: it asks for a page, to which anybody may set a link. */
  refusal(heads: Heads, forPage = false): string | undefined {
    const { host, origin, site } = heads;
    if (host === undefined || (host !== this.#known && !this.#passes(hostName(host)))) {
      return `the Host header must be a loopback name such as localhost or one of the config's names, not "${host ?? ""}"`;
    }
    this.#known = host;
    if (forPage && heads.mode === "navigate") return undefined;
    if (site !== undefined && site !== "same-origin" && site !== "none")
      return "pages of other sites or ports may not send requests";
    if (origin !== undefined && !isOwnPage(heads))
      return `a page of "${origin}" may not send requests; a proxy must pass the Host header on`;
    return undefined;
  }

  #passes(name: string): boolean {
    if (isLoopbackName(name) || this.#names.has(name)) return true;
    return this.#open && isIP(name.replace(/^\[|\]$/g, "")) !== 0;
  }
}

/** Whether a request comes from our own page: same name and same port. */
export function isOwnPage({ host, origin }: Heads): boolean {
  try {
    if (origin === undefined || host === undefined) return false;
    const page = new URL(origin);
    return page.host !== "" && page.host === new URL(`${page.protocol}//${host}`).host;
  } catch {
    return false;
  }
}

export function hostName(host: string): string {
  return host.replace(/:\d*$/, "").toLowerCase();
}
