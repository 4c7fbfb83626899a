/** It can be reached from elsewhere, and nobody has been given a token. */
export class NoTokenError extends Error {
  readonly code = "no-token";

  constructor(host: string) {
    super(
      `listen: ${host} can be reached from other machines, and there is no token yet; ` +
        "make one first (rollcall token create --scope admin), or listen at 127.0.0.1",
    );
    this.name = "NoTokenError";
  }
}

/** Whether other machines can reach this address; refused where nobody has a token yet. */
export function reachableAt(host: string, anyToken: boolean): boolean {
  const reachable = !isLoopbackName(host) && !isLoopbackAddress(host);
  if (reachable && !anyToken) throw new NoTokenError(host);
  return reachable;
}

export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

export function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address === "::1" || address.replace(/^::ffff:/, "").startsWith("127.");
}
