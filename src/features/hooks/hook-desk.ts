import type { Agent } from "../../core/agent.ts";
import type { Incarnation } from "../../core/beat.ts";
import { DAY, type Instant, type Millis, SECOND } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import { HOOK_CLIENTS, type HookClient, type HookEvent, type HookPost } from "../../core/hook/event.ts";
import { readHook } from "../../core/hook/read-hook.ts";
import { factsOfSessions, type HookSession, sessionAfter } from "../../core/hook/session.ts";
import { dayOf } from "../../core/usage/day.ts";
import type { Log } from "../../ports/log.ts";
import type { SignalReader } from "../../ports/signal.ts";
import type { Proc } from "../../system/proc.ts";
import { RollError, type SignalFindings } from "../../watch/intent.ts";
import { idsFor } from "../coding-agents/ids.ts";
import { type OnRoll, type WhoseDeps, whose } from "./whose.ts";

export interface HookDeskOptions extends WhoseDeps {
  readonly proc: Proc;
  readonly roll: () => readonly OnRoll[];
  /** What was remembered of each agent's sessions before the last restart. */
  readonly memories: (agent: string) => unknown;
  readonly autoRegister: () => boolean;
  readonly add: (agent: Agent) => Promise<void>;
  readonly notice: (found: readonly SignalFindings[]) => Promise<void>;
  /** Looks at an agent's other signals soon: what its client says should show there. */
  readonly look: (agent: string) => void;
  readonly now: () => Instant;
  readonly uptime: () => Millis;
  readonly zone: string;
  readonly log: Log;
}

/** When a client was last heard, and how often. */
export interface HookHeard {
  readonly client: HookClient;
  readonly events: number;
  readonly lastAt: Instant | undefined;
}

/** So many sessions of one agent are remembered; those that ended go first. */
const SESSIONS = 16;
/** A session of which nothing was heard for so long, and whose process nobody knows, is over. */
const FORGOTTEN: Millis = 2 * DAY;
/** Who a session belongs to is asked again only so often, where nobody knew. */
const ASK_AGAIN: Millis = 10 * SECOND;

/**
 * Takes what the hooks of coding agents tell, one event after the other: finds the agent, keeps its sessions, and passes on what they
 * say as observations. Whoever sends is answered before any of this.
 */
export class HookDesk {
  readonly #options: HookDeskOptions;
  readonly #sessions = new Map<string, readonly HookSession[]>();
  /** Whose a session is, by client and id; undefined if nobody's, and when that was asked. */
  readonly #owners = new Map<
    string,
    { agent: string | undefined; life: Incarnation | undefined; at: Instant }
  >();
  readonly #heard = new Map<HookClient, { events: number; lastAt: Instant }>();
  #line: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(options: HookDeskOptions) {
    this.#options = options;
    for (const { agent } of options.roll()) this.#restore(agent.id);
  }

  /** Takes an event; resolves when it is judged. More than the desk can hold are dropped: the next ones tell the same. */
  take(call: HookPost): Promise<void> {
    if (this.#waiting >= MOST_WAITING) return Promise.resolve();
    this.#waiting += 1;
    const done = this.#line.then(() => this.#takeOne(call));
    this.#line = done.then(
      () => {
        this.#waiting -= 1;
      },
      (error: unknown) => {
        this.#waiting -= 1;
        this.#options.log.warn(
          { client: call.client, problem: String(error) },
          "an event could not be taken",
        );
      },
    );
    return this.#line;
  }

  /** Resolves when all that was taken is judged. */
  settled(): Promise<void> {
    return this.#line;
  }

  heard(): readonly HookHeard[] {
    return HOOK_CLIENTS.flatMap((client) => {
      const known = this.#heard.get(client);
      const kept = [...this.#sessions.values()].flat().filter((session) => session.client === client);
      const lastAt = Math.max(known?.lastAt ?? 0, ...kept.map(({ seenAt }) => seenAt));
      return lastAt === 0 ? [] : [{ client, events: known?.events ?? 0, lastAt }];
    });
  }

  /** The sessions of an agent as a signal of its own: it notices that a client's process is gone. */
  reader(agent: string): SignalReader {
    return {
      signal: "hook",
      glance: () => !(this.#sessions.get(agent) ?? []).some((session) => this.#isOver(session)),
      look: async ({ now, fresh }) => {
        const before = this.#sessions.get(agent) ?? [];
        const after = before.map((session) =>
          this.#isOver(session) ? { ...session, endedAt: now, reason: "its process is gone" } : session,
        );
        const changed = after.some((session, index) => session !== before[index]);
        if (changed) this.#sessions.set(agent, after);
        if (!changed && !fresh) return [];
        // What was told before a restart is told again, dated as it was.
        return factsOfSessions(after, now);
      },
      memory: () => this.#sessions.get(agent),
      close: () => {},
    };
  }

  #restore(agent: string): void {
    const kept = this.#options.memories(agent);
    if (!Array.isArray(kept)) return;
    const sessions = kept.filter(isSession);
    this.#sessions.set(agent, sessions);
    for (const { client, id, life } of sessions)
      this.#owners.set(`${client} ${id}`, { agent, life, at: this.#options.now() });
  }

  #isOver({ life, endedAt, seenAt }: HookSession): boolean {
    if (endedAt !== undefined) return false;
    if (life !== undefined && this.#options.proc.readable()) return !this.#options.proc.isAlive(life);
    return this.#options.now() - seenAt > FORGOTTEN;
  }

  async #takeOne({ client, payload, event: name, pid, sent }: HookPost): Promise<void> {
    const { now, zone, uptime } = this.#options;
    const at = now();
    const event = readHook(client, payload, {
      now: at,
      zone,
      ...given({ event: name, pid }),
    });
    if (event === undefined) return;
    this.#heard.set(client, { events: (this.#heard.get(client)?.events ?? 0) + 1, lastAt: at });
    const owner = await this.#ownerOf(client, event, pid, at);
    if (owner.agent === undefined) return;
    const known = this.#sessions.get(owner.agent) ?? [];
    const before = known.find((session) => session.client === client && session.id === event.session);
    // A stamp of the future is no stamp.
    const up = uptime();
    const stamp = sent === undefined || sent > up ? up : sent;
    const { life } = owner;
    const longest = Math.max(0, ...known.map(({ calls }) => calls?.longest ?? 0));
    const after = sessionAfter(before, event, {
      client,
      now: at,
      sent: stamp,
      life,
      longest,
      day: dayOf(at, zone),
    });
    const others = known.filter((session) => session !== before);
    const sessions = fewest([...others, after]);
    this.#sessions.set(owner.agent, sessions);
    const facts = factsOfSessions(sessions, at);
    await this.#options.notice([{ agent: owner.agent, facts, memories: { hook: sessions } }]);
    if (after.reading !== before?.reading || after.endedAt !== before.endedAt)
      this.#options.look(owner.agent);
  }

  async #ownerOf(client: HookClient, event: HookEvent, pid: number | undefined, at: Instant) {
    const key = `${client} ${event.session}`;
    const known = this.#owners.get(key);
    const { proc, roll } = this.#options;
    const isOnRoll = known?.agent !== undefined && roll().some(({ agent }) => agent.id === known.agent);
    const isSettled = isOnRoll && event.says !== "started";
    const isGone = known?.life !== undefined && !proc.isAlive(known.life);
    if (
      known !== undefined &&
      ((isSettled && !isGone) || (known.agent === undefined && at - known.at < ASK_AGAIN))
    )
      return known;
    const { session, cwd } = event;
    const found = await whose({ client, session, pid, cwd }, roll(), at, this.#options);
    // A session that is taken up again where nobody is known stays whose it was.
    const agent = found.agent ?? (isOnRoll ? known?.agent : undefined);
    const owner = { agent: agent ?? (await this.#register(found.newcomer, at)), life: found.life, at };
    if (this.#owners.size > 1000) this.#owners.clear();
    this.#owners.set(key, owner);
    return owner;
  }

  /** Puts an unknown agent on the roll, where agents may register themselves. */
  async #register(newcomer: Awaited<ReturnType<typeof whose>>["newcomer"], at: Instant) {
    const { roll, autoRegister, add, log } = this.#options;
    if (newcomer === undefined || !autoRegister()) return undefined;
    const { name, identity, signals = {} } = newcomer;
    const [id] = idsFor([{ name, identity }], new Set(roll().map(({ agent }) => agent.id)));
    if (id === undefined) return undefined;
    try {
      await add({ id, signals, origin: "added", unproven: true, addedAt: at });
      return id;
    } catch (error) {
      if (!(error instanceof RollError)) throw error;
      log.warn({ agent: id, problem: error.message }, "a session could not be registered");
      return undefined;
    }
  }
}

/** Events wait for the store; so many at most. */
const MOST_WAITING = 1000;

function fewest(sessions: readonly HookSession[]): readonly HookSession[] {
  if (sessions.length <= SESSIONS) return sessions;
  const byUse = sessions.toSorted(
    (a, b) => Number(a.endedAt === undefined) - Number(b.endedAt === undefined) || a.seenAt - b.seenAt,
  );
  return byUse.slice(-SESSIONS);
}

function isSession(value: unknown): value is HookSession {
  return (
    typeof value === "object" &&
    value !== null &&
    ["client", "id", "sent", "seenAt", "reading", "children"].every((key) => key in value)
  );
}
