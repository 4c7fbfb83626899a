import { createHash } from "node:crypto";
import { slices } from "./slices.ts";

/** After so many names others get their turn. */
const AT_ONCE = 500;

/** A name that is the same for one agent in one home at all times, and that nobody can guess. */
export function pingUuidOf(secret: string, agent: string): string {
  const bytes = createHash("sha256").update(`${secret}\nping\n${agent}`).digest().subarray(0, 16);
  // It looks like a random one (version 4): some clients know no other.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [8, 12, 16, 20, 32].map((end, i) => hex.slice([0, 8, 12, 16, 20][i], end)).join("-");
}

/** Which agent a ping's UUID is of. Names are made when they are asked for, each once. */
export class PingIds {
  readonly #secret: string;
  readonly #agents: () => Iterable<string>;
  readonly #uuids = new Map<string, string>();
  readonly #byUuid = new Map<string, string>();
  /** Set once every name is made, or is being made; not any more when somebody joins. */
  #complete: Promise<void> | undefined;

  constructor(secret: string, agents: () => Iterable<string>) {
    this.#secret = secret;
    this.#agents = agents;
  }

  /** Somebody joined or left the roll: the next unknown UUID is worth a look through all of it. */
  changed(removed: readonly string[] = []): void {
    for (const agent of removed) {
      const uuid = this.#uuids.get(agent);
      if (uuid !== undefined) this.#byUuid.delete(uuid);
      this.#uuids.delete(agent);
    }
    this.#complete = undefined;
  }

  uuidOf(agent: string): string {
    const known = this.#uuids.get(agent);
    if (known !== undefined) return known;
    const uuid = pingUuidOf(this.#secret, agent);
    this.#uuids.set(agent, uuid);
    this.#byUuid.set(uuid, agent);
    return uuid;
  }

  async agentOf(uuid: string): Promise<string | undefined> {
    if (!this.#byUuid.has(uuid)) {
      this.#complete ??= this.#makeAll();
      await this.#complete;
    }
    return this.#byUuid.get(uuid);
  }

  async #makeAll(): Promise<void> {
    for await (const some of slices(this.#agents(), AT_ONCE)) for (const agent of some) this.uuidOf(agent);
  }
}
