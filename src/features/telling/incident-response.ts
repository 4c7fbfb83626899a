import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../config/load.ts";
import type { AgentQuestion } from "../../core/agent-question.ts";
import type { Delivery } from "../../core/delivery/delivery.ts";
import type { Message } from "../../core/delivery/message.ts";
import type { FailingPlace } from "../../core/delivery/told.ts";
import { type Instant, MINUTE, type Millis, SECOND, sayDuration } from "../../core/duration.ts";
import { type Incident, isLookedInto, isOpen } from "../../core/incident/incident.ts";
import { hostName } from "../../home/home.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import { systemClock } from "../../system/clock.ts";
import { uuidv7 } from "../../system/uuid.ts";
import { CANARY_SINK, Canary, withCanary } from "../../watch/canary.ts";
import { Courier } from "../../watch/courier.ts";
import { type FindingsOptions, findingsOf } from "../../watch/findings.ts";
import type { FleetPolicy } from "../../watch/intent.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { type ChatDeeds, ChatDesk } from "./chat-desk.ts";
import { Channels, placesOf } from "./routing.ts";

/** What a channel called the messages about an incident alone. One about several must not be changed to the end of one. */
async function earlierOf({ deliveries }: Store, { to, incident, key }: Delivery): Promise<readonly string[]> {
  const sent = await deliveries.page({ to, incident, state: "ended", limit: 20 });
  return sent.flatMap((each) =>
    each.ref === undefined || each.key === key || each.batch !== each.key ? [] : [each.ref],
  );
}

/** The names of the channels that are new, gone or set in another way. */
function changedChannels({ channels: before }: Config, { channels: after }: Config): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** How long anybody waits for what is found when an incident opens. */
const FINDING = 10 * SECOND;
/** How many incidents are looked into at once: in a mass death there are thousands, and commits must not wait for them. */
const AT_ONCE = 8;
const STORED_WITHIN = MINUTE;
/** How long the canary's death may take besides the hold and the window of the policy, the two minutes of its rule included. */
const CANARY_TAKES = 12 * MINUTE;

/**
 * What happens about incidents in a running daemon: evidence is collected, people are told, and the canary proves that
 * they would be. When nothing can be stored, people are told of that without the outbox.
 */
export class IncidentResponse {
  readonly #log: Log;
  readonly #channels: Channels;
  readonly #othersWatch: () => Promise<boolean>;
  #config: Config;
  #courier: Courier | undefined;
  #canary: Canary | undefined;
  #chat: ChatDesk | undefined;
  #url: string | undefined;
  #blindAt: Instant | undefined;
  #storedAt: Millis = systemClock.monotonic();
  /** Ends what is being told of our blindness, when it is over or when we stop. */
  #blindness = new AbortController();
  readonly #stopping = new AbortController();
  /** Incidents whose evidence is being collected, or that wait for it, with what collects it. */
  readonly #finding = new Set<string>();
  /** The change of each incident at which its question was last read. */
  readonly #questions = new Map<string, number>();
  readonly #toFind = new Map<string, () => Promise<void>>();

  /** `othersWatch`: whether another watcher does our work while we cannot store; then nobody needs to hear of that. */
  constructor(config: Config, log: Log, othersWatch: () => Promise<boolean> = async () => false) {
    this.#config = config;
    this.#log = log;
    this.#othersWatch = othersWatch;
    this.#channels = new Channels(config);
  }

  prepare(config: Config): () => Promise<void> {
    return async () => {
      const changed = changedChannels(this.#config, config);
      const told = this.#tells;
      this.#config = config;
      this.#channels.configure(config);
      if (changed.length > 0) this.#chat?.listen(this.#channels.chats());
      this.#courier?.retry(changed);
      if (this.#tells !== told) await this.#keepCanary();
    };
  }

  /** Whether this watcher tells people of agents. A host of a hub does not. */
  get #tells(): boolean {
    return this.#config.policy.tell?.length !== 0;
  }

  /** Where nobody is told there is nothing that a canary could prove, and a hub would tell people of its death. */
  async #keepCanary(): Promise<void> {
    await (this.#tells ? this.#canary?.start() : this.#canary?.stop());
  }

  /** From now on buttons that people press in chats are obeyed. */
  hearPresses(deeds: ChatDeeds): void {
    this.#chat = new ChatDesk(deeds, this.#log);
    this.#chat.listen(this.#channels.chats());
  }

  /** The policy of the fleet with the canary's route. */
  routed(policy: FleetPolicy): FleetPolicy {
    const { telling } = policy;
    if (telling === undefined) return policy;
    const page = telling.page ?? this.#url;
    const located = { ...telling, ...(page === undefined ? {} : { page }) };
    return { ...policy, telling: telling.routes.length === 0 ? located : withCanary(located, hostName()) };
  }

  /** Where the page is, unless the config says where people open it. Nobody can open an address that means all addresses. */
  listensAt(url: string): void {
    this.#url = /\/\/(?:0\.0\.0\.0|\[::\])/.test(url) ? undefined : url;
  }

  /** What is wrong with telling, if anything is known to be. */
  get problem(): string | undefined {
    return this.#canary?.problem;
  }

  /** Why a death would not be told now, if that is known. */
  broken({ blindSince }: Watcher): string | undefined {
    if (blindSince !== undefined) return "nothing can be stored";
    // The watcher saves its sign of life every ten seconds: a disk that hangs says nothing, and takes nothing.
    if (systemClock.monotonic() - this.#storedAt > STORED_WITHIN) return "nothing was stored for a minute";
    return this.problem;
  }

  async begin(
    options: FindingsOptions & {
      readonly watcher: Watcher;
      readonly store: Store;
      /** The question that an agent waits with, read from its pane. */
      readonly asked: (agent: string, change: number) => Promise<AgentQuestion | undefined>;
    },
  ): Promise<void> {
    const { watcher, store } = options;
    this.#canary = new Canary({
      watcher,
      clock: systemClock,
      log: this.#log,
      host: hostName(),
      newId: uuidv7,
      patience: () => CANARY_TAKES + this.#config.policy.hold + this.#config.policy.group,
      alarm: (problem) => this.#tellNow("canary", problem),
      calm: () => this.#tellNow("canary-arrived", "alerts about the canary's death arrive again", "resolved"),
    });
    // More came under way since the watcher loaded the store.
    const underWay = await store.deliveries.page({ state: "under-way", limit: Number.MAX_SAFE_INTEGER });
    const ended = await Promise.all(
      placesOf(this.#config).map((to) => store.deliveries.page({ to, state: "ended", limit: 1 })),
    );
    this.#courier = new Courier(
      {
        clock: systemClock,
        log: this.#log,
        persist: (all) => watcher.persist({ deliveries: all }),
        restated: (delivery) => watcher.restated(delivery),
        isWithheld: (delivery) => watcher.isWithheld(delivery),
        earlier: (delivery) => earlierOf(store, delivery),
        channel: (name) => (name === CANARY_SINK ? this.#canary?.sink : this.#channels.find(name)),
        timeout: () => this.#config.policy.timeout,
      },
      [...underWay.toReversed(), ...ended.flat()],
    );
    watcher.onCommitted(({ deliveries: sent = [], incidents = [], records = [] }) => {
      this.#storedAt = systemClock.monotonic();
      this.#courier?.note(sent);
      if (records.some(({ kind }) => kind === "silence")) this.#courier?.lookAgain();
      for (const { incident } of incidents) {
        this.#look(incident, options);
        this.#readQuestion(incident, options);
      }
    });
    watcher.onBlind((problem) => this.#blind(problem));
    watcher.onCrowded((why) => {
      this.#log.warn({ why }, "agents that are not known are refused");
      this.#tellNow("too-many-agents", `agents that are not known are refused: ${why}`, "warning");
    });
    await this.#keepCanary();
  }

  /**
   * Begins to send, when everything else has started: a reply that waits for us to be read is a message that a crash
   * repeats.
   */
  send(): void {
    this.#courier?.start();
  }

  /** The channels of the config that deliver nothing at the moment. */
  failing(): readonly FailingPlace[] {
    const places = placesOf(this.#config);
    return this.#courier?.failing().filter(({ place }) => places.includes(place)) ?? [];
  }

  /** Tells that a config was not put in force although nobody asked whether it may be. */
  tellRefusal(problem: string): void {
    this.#tellNow("reload-refused", `config not reloaded: ${problem}`, "warning");
  }

  /** Tells channels something about this host itself, without the outbox. */
  tellOfHost(
    to: readonly string[],
    what: string,
    message: Message,
    abort: AbortSignal = this.#stopping.signal,
  ): void {
    const key = `watcher:${what}:${Date.now()}`;
    const named = { ...message, title: `${hostName()}: ${message.title}` };
    void this.#channels.tellNow(to, { key, message: named, log: this.#log, abort });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#chat?.stop();
    this.#blindness.abort();
    await this.#canary?.stop();
    await this.#courier?.stop();
  }

  /** Collects what can be found, once an incident. */
  #look(incident: Incident, options: FindingsOptions): void {
    if (incident.kind !== "agent") return;
    this.#toFind.delete(incident.id);
    if (!isOpen(incident) || isLookedInto(incident)) return;
    this.#toFind.set(incident.id, () => this.#find(incident, options));
    this.#findNext();
  }

  /** Reads what an agent asks, once a change, so that it stands in the message. */
  #readQuestion(
    { id, kind, subject, host, state, change, resolved }: Incident,
    { watcher, asked }: Parameters<IncidentResponse["begin"]>[0],
  ): void {
    if (resolved !== undefined) this.#questions.delete(id);
    if (kind !== "agent" || host !== undefined || state !== "waiting" || resolved !== undefined) return;
    if (this.#questions.get(id) === change) return;
    this.#questions.set(id, change);
    asked(subject, change)
      .then(async (found) => {
        if (found !== undefined) await watcher.command({ kind: "attach", id, parts: { asked: found } });
      })
      .catch((error: unknown) =>
        this.#log.warn({ incident: id, problem: String(error) }, "its question was not read"),
      );
  }

  #findNext(): void {
    for (const [id, find] of this.#toFind) {
      if (this.#finding.size >= AT_ONCE) return;
      if (this.#finding.has(id)) continue;
      this.#toFind.delete(id);
      this.#finding.add(id);
      find()
        .catch((error: unknown) => this.#log.warn({ incident: id, problem: String(error) }, "no findings"))
        .finally(() => {
          this.#finding.delete(id);
          this.#findNext();
        });
    }
  }

  async #find(incident: Incident, options: FindingsOptions): Promise<void> {
    const late = pause(FINDING, undefined, { ref: false });
    const findings = await Promise.race([findingsOf(incident, options), late]);
    const parts = { findings: findings ?? { at: Date.now(), items: [] } };
    await options.watcher.command({ kind: "attach", id: incident.id, parts });
  }

  #blind(problem: string | undefined): void {
    this.#blindness.abort();
    if (problem !== undefined) {
      this.#blindness = new AbortController();
      void this.#tellBlind(problem, Date.now(), this.#blindness.signal);
    } else if (this.#blindAt !== undefined) {
      const lasted = sayDuration(Date.now() - this.#blindAt);
      this.#tellNow(
        "sees-again",
        `the watcher can store again after ${lasted}, and judges agents again`,
        "resolved",
      );
      this.#blindAt = undefined;
    }
  }

  async #tellBlind(problem: string, since: Instant, signal: AbortSignal): Promise<void> {
    if ((await this.#othersWatch()) || signal.aborted) return;
    this.#blindAt = since;
    const text = `watcher blind: nothing can be stored (${problem}); no agent is judged until this ends`;
    this.#tellNow("blind", text, "critical", signal);
  }

  #tellNow(
    what: string,
    text: string,
    severity: "warning" | "critical" | "resolved" = "critical",
    abort = this.#stopping.signal,
  ): void {
    const message: Message = { severity, title: text, lines: [], commands: ["rollcall doctor"] };
    this.tellOfHost(placesOf(this.#config), what, message, abort);
  }
}
