import { BlockList, isIP } from "node:net";

/**
 * The proxy that the environment names for an address: `HTTP_PROXY` and `HTTPS_PROXY`, in small letters too, unless
 * `NO_PROXY` exempts it. This machine itself is never asked through one.
 */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): URL | undefined {
  const { HTTP_PROXY, http_proxy = HTTP_PROXY, HTTPS_PROXY, https_proxy = HTTPS_PROXY } = env;
  const { NO_PROXY, no_proxy = NO_PROXY } = env;
  const named = url.protocol === "https:" ? https_proxy : http_proxy;
  if (!named || isExempt(url, no_proxy ?? "")) return undefined;
  return new URL(named.includes("://") ? named : `http://${named}`);
}

function isExempt(url: URL, exempt: string): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  if (/^(?:.*\.)?localhost$|^::1$/.test(host) || isWithin(host, "127.0.0.0", 8)) return true;
  return exempt
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === "*" || entry === host) return true;
      const [, network = "", bits] = /^(.+)\/(\d+)$/.exec(entry) ?? [];
      if (bits !== undefined) return isWithin(host, network, Number(bits));
      const [, name = "", only = port] = /^\*?\.?([^:]+)(?::(\d+))?$/.exec(entry) ?? [];
      return name !== "" && only === port && (host === name || host.endsWith(`.${name}`));
    });
}

function isWithin(host: string, network: string, bits: number): boolean {
  const family = isIP(host);
  if (family === 0 || family !== isIP(network) || bits > (family === 6 ? 128 : 32)) return false;
  const type = family === 6 ? "ipv6" : "ipv4";
  const list = new BlockList();
  list.addSubnet(network, bits, type);
  return list.check(host, type);
}
