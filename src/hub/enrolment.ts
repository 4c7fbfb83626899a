import { MINUTE, type Millis } from "../core/duration.ts";
import { HOST_NAME } from "../core/host/fact.ts";
import type { Invite, KnownHost } from "../core/host/host.ts";
import type { HostKind } from "../core/host-kind.ts";
import type { Clock } from "../ports/clock.ts";
import type { StoredRecord } from "../ports/repositories.ts";
import type { Persistable } from "../ports/store.ts";
import { recordOf } from "../watch/mirror.ts";
import type { Hub } from "./hub.ts";

const CODE_LASTS: Millis = 15 * MINUTE;

/** What makes and proves secrets: the product's tokens. */
export interface HostTokens {
  /** A new token for a host: its record, which is to be stored, and the secret, which is shown once. */
  make(host: string): { readonly id: string; readonly secret: string; readonly record: StoredRecord };
  /** It is stored, and counts from now on. */
  adopt(record: StoredRecord): void;
  revoke(id: string): Promise<unknown>;
  /** The record of a token that speaks for a host of another name. */
  renamed(id: string, host: string): StoredRecord | undefined;
  newCode(): string;
  hashOf(code: string): string;
}

export interface Joining {
  readonly code: string;
  /** Wanted by a host that joins with a fleet key; an invited one gets the name of its invitation. */
  readonly name?: string;
  readonly version: string;
  /** What tells this machine from others. */
  readonly machine: string;
}

export interface Invited {
  readonly name: string;
  readonly kind: HostKind;
  readonly fleet?: Invite["fleet"];
  /** How long a fleet key is good for. */
  readonly lasts?: Millis;
}

export type Joined =
  | { readonly host: string; readonly kind: HostKind; readonly token: string }
  | { readonly refused: string };

/** How hosts come to a hub: by a code that one of them may use once, or by a key for many that do not stay. */
export class Enrolment {
  readonly #hub: Hub;
  readonly #clock: Clock;
  readonly #tokens: HostTokens;
  readonly #persist: (parts: Persistable) => Promise<void>;
  readonly #invites = new Map<string, Invite>();

  constructor(
    hub: Hub,
    clock: Clock,
    tokens: HostTokens,
    persist: (parts: Persistable) => Promise<void>,
    records: readonly StoredRecord[],
  ) {
    this.#hub = hub;
    this.#clock = clock;
    this.#tokens = tokens;
    this.#persist = persist;
    for (const record of records)
      if (record.kind === "invite") this.#invites.set(record.body.hash, record.body);
  }

  /** Makes a code, or for a fleet a key. It is shown once. */
  async invite({
    name,
    kind,
    fleet,
    lasts = CODE_LASTS,
  }: Invited): Promise<{ code: string; invite: Invite }> {
    const code = this.#tokens.newCode();
    const hash = this.#tokens.hashOf(code);
    const createdAt = this.#clock.wall();
    const expiresAt = createdAt + lasts;
    const invite: Invite = {
      ...{ id: hash.slice(0, 12), hash, name, kind, createdAt, expiresAt },
      ...(fleet === undefined ? {} : { fleet }),
    };
    await this.#keep(invite);
    return { code, invite };
  }

  async join({ code, name, version, machine }: Joining): Promise<Joined> {
    const invite = this.#invites.get(this.#tokens.hashOf(code));
    const now = this.#clock.wall();
    if (invite === undefined || invite.usedAt !== undefined || invite.revokedAt !== undefined)
      return {
        refused: "this code is not known or was used; `rollcall hosts invite` on the hub makes a new one",
      };
    if (now >= invite.expiresAt || now < invite.createdAt - MINUTE)
      return { refused: "this code is too old; `rollcall hosts invite` on the hub makes a new one" };
    const called = invite.fleet === undefined ? invite.name : name;
    if (called === undefined || !HOST_NAME.test(called))
      return {
        refused: "a host that joins with a fleet key needs a name of letters, digits, - and _ (--name)",
      };
    if (this.#hub.isOwnName(called))
      return { refused: `the hub itself is called "${called}"; choose another name for the host` };
    const known = this.#hub.one(called);
    if (invite.fleet !== undefined && known !== undefined && known.machine !== machine)
      return { refused: `there is already a host "${called}"; choose another name with --name` };
    const token = this.#tokens.make(called);
    const host: KnownHost = {
      ...{ name: called, kind: invite.kind, joinedAt: now, token: token.id, machine, version, acked: 0 },
      ...(invite.fleet === undefined ? {} : { ttl: invite.fleet.ttl, group: invite.fleet.group }),
    };
    const used = invite.fleet === undefined ? { ...invite, usedAt: now } : invite;
    // As one: a code that was used up has made a host, and a host has its token.
    await this.#persist({ records: [inviteRecord(used), token.record, recordOf(host)] });
    this.#remember(used);
    this.#tokens.adopt(token.record);
    if (known !== undefined) await this.#tokens.revoke(known.token);
    this.#hub.joined(host);
    return { host: called, kind: invite.kind, token: token.secret };
  }

  /**
   * Takes a host's right to speak away, and its agents off the roll. The name of a fleet key ends the key: those who joined
   * with it stay.
   */
  async revoke(name: string): Promise<boolean> {
    const revoked = await this.#hub.revoke(name);
    if (revoked !== undefined) {
      await this.#tokens.revoke(revoked.token);
      return true;
    }
    const keys = [...this.#invites.values()].filter((invite) => invite.fleet?.group === name);
    for (const key of keys) await this.#keep({ ...key, revokedAt: this.#clock.wall() });
    return keys.length > 0;
  }

  /** Lets ephemeral hosts go that are gone, and takes their tokens back. */
  async sweep(): Promise<void> {
    for (const token of await this.#hub.sweep()) await this.#tokens.revoke(token);
  }

  /** Gives a host another name. Its agents leave the roll, and come back under the new one with its next report. */
  async rename(
    name: string,
    to: string,
  ): Promise<{ readonly code: "no-such-host" | "host-exists"; readonly says: string } | undefined> {
    const host = this.#hub.one(name);
    if (host === undefined) return { code: "no-such-host", says: `there is no host "${name}"` };
    if (this.#hub.one(to) !== undefined)
      return { code: "host-exists", says: `there is already a host "${to}"` };
    if (this.#hub.isOwnName(to))
      return { code: "host-exists", says: `the hub itself is called "${to}"; choose another name` };
    const { spool: _, ...rest } = host;
    const renamed: KnownHost = { ...rest, name: to, acked: 0 };
    const token = this.#tokens.renamed(host.token, to);
    await this.#hub.revoke(name, to);
    await this.#persist({ records: [recordOf(renamed), ...(token === undefined ? [] : [token])] });
    if (token !== undefined) this.#tokens.adopt(token);
    this.#hub.joined(renamed);
    return undefined;
  }

  async #keep(invite: Invite): Promise<void> {
    await this.#persist({ records: [inviteRecord(invite)] });
    this.#remember(invite);
  }

  #remember(invite: Invite): void {
    if (invite.usedAt === undefined && invite.revokedAt === undefined) this.#invites.set(invite.hash, invite);
    else this.#invites.delete(invite.hash);
  }
}

function inviteRecord(invite: Invite): StoredRecord<"invite"> {
  return {
    kind: "invite",
    id: invite.id,
    at: invite.createdAt,
    about: invite.name,
    current: invite.usedAt === undefined && invite.revokedAt === undefined,
    body: invite,
  };
}
