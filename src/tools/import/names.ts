/** Gives out ids that an agent or a channel may have, each once. */
export class Names {
  readonly #taken = new Set<string>();

  /** The id nearest to a name: lower case, because pings find an agent by it, and with a number if it is taken. */
  idFor(name: string): string {
    const plain = name
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "")
      .toLowerCase()
      .replaceAll(/[^a-z0-9_]+/g, "-")
      .replaceAll(/^[-_]+|-+$/g, "")
      .slice(0, 100);
    const first = plain === "" ? "agent" : plain;
    let id = first;
    for (let count = 2; this.#taken.has(id); count += 1) id = `${first}-${count}`;
    this.#taken.add(id);
    return id;
  }
}

/** The environment variable that holds a secret of a channel. */
export function variableFor(channel: string, what: string): string {
  const name = channel.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");
  return `${/^[0-9]/.test(name) ? "CHANNEL_" : ""}${name}_${what}`;
}
