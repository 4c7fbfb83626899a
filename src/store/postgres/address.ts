/** The database's address as it may be told: without its password. */
export function sayAddress(url: string): string {
  try {
    const { protocol, hostname, port, pathname, searchParams } = new URL(url);
    const host = hostname === "" ? (searchParams.get("host") ?? "localhost") : hostname;
    return `${protocol}//${host}${port === "" ? "" : `:${port}`}${pathname}`;
  } catch {
    return "postgres://…";
  }
}
