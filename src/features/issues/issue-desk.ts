import { type Instant, MINUTE, type Millis } from "../../core/duration.ts";
import { type Incident, isOpen, isSilence } from "../../core/incident/incident.ts";
import { HOLD, type Silence, silencedUntil } from "../../core/incident/policy.ts";
import type { State } from "../../core/liveness/state.ts";
import { type FiledIssue, keyInMarker, tickInMarker } from "../../core/rca/filed-issue.ts";
import { nextPoint } from "../../core/rca/follow-up.ts";
import { draftOf, type IssueDraft, markerOf } from "../../core/rca/issue.ts";
import type { Forge, Trouble } from "../../ports/forge.ts";
import type { Store } from "../../ports/store.ts";
import { RollError } from "../../watch/intent.ts";
import type { Watcher } from "../../watch/watcher.ts";
import type { OurForge } from "../forge/forge.ts";
import { Attempts } from "./attempts.ts";
import { type FollowOptions, follow, isAtRest } from "./follow.ts";
import type { HandedOver, HandedOverIssues, PendingIssues } from "./marked-files.ts";
import { incidentSubject } from "./subject.ts";

export interface IssueDeskOptions extends FollowOptions {
  readonly watcher: Pick<Watcher, "desk" | "command" | "persist">;
  readonly store: Pick<Store, "incidents" | "deliveries" | "issues">;
  /** Opened for each run that needs it, so that a token that was put right serves at once. */
  readonly forge: () => OurForge;
  readonly pending: PendingIssues;
  readonly handedOver: Pick<HandedOverIssues, "all" | "drop">;
  /** Which incidents become issues; none unless given. */
  readonly policy: IssuePolicy | undefined;
  readonly template: () => string;
  readonly now: () => Instant;
}

/** How long another process that files is waited for; the next run is a minute away. */
const PATIENCE: Millis = 5000;
const MOST = 10_000;

/** What a run did. */
interface Done {
  readonly filed: number;
  readonly followed: number;
}

/**
 * Where incidents become root-cause issues, and where issues are followed up.
 *
 *   due ──▶ pending (on disk) ──looked for, else created──▶ filed (issue and incident name each other)
 *          by a command ──▶ handed over (on disk) ──▶ filed
 *                                    filed ──T+1h, T+24h, T+7d, recovery──▶ closed
 *
 * What was done is read from the forge each time, so that a run that was killed, or a reply that was lost, is made up
 * for by the next run and nothing is done twice.
 */
export class IssueDesk {
  readonly #options: IssueDeskOptions;
  readonly #attempts = new Attempts();
  #running: Promise<Done> | undefined;

  constructor(options: IssueDeskOptions) {
    this.#options = options;
  }

  /** Does whatever is due. Throws if something could not be done, after everything else was. */
  run(abort?: AbortSignal): Promise<Done> {
    // A run that was given up may still be under way: nobody else works at this desk then.
    this.#running ??= this.#run(abort).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(abort: AbortSignal | undefined): Promise<Done> {
    const now = this.#options.now();
    this.#attempts.begin(now);
    this.#take(now);
    await this.#takeOver();
    const waiting = this.#options.pending.all();
    const known = new Set(waiting.map(({ marker }) => marker));
    // What another process filed meanwhile is no failure any more.
    this.#attempts.forget((key) => key.startsWith("<!--") && !known.has(key));
    const filed = waiting.length === 0 ? 0 : await this.#fileAll(waiting, now, abort);
    const followed = await this.#followAll(now, abort);
    const { problems } = this.#attempts;
    if (problems.length > 0) throw new Error(problems.slice(0, 3).join("; "));
    return { filed, followed };
  }

  /** Puts what is due on the disk, before the forge hears of it. */
  #take(now: Instant): void {
    const { watcher, policy, pending, template, forge } = this.#options;
    if (policy === undefined) return;
    const silences = [...watcher.desk.silences];
    const due: Incident[] = [];
    for (const each of watcher.desk.incidents) if (isIssueDue(each, policy, silences, now)) due.push(each);
    if (due.length === 0) return;
    const ours = forge();
    const form = { template: template(), secrets: "secrets" in ours ? ours.secrets : [] };
    const waiting = new Set(pending.all().map(({ marker }) => marker));
    for (const incident of due) {
      if (!waiting.has(markerOf(incident.id))) pending.keep(draftOf(incidentSubject(incident), form));
    }
  }

  /** Registers what commands filed since the last run. */
  async #takeOver(): Promise<void> {
    const { handedOver } = this.#options;
    for (const issue of handedOver.all()) {
      await this.note(issue, issue, issue.forge, issue.at);
      handedOver.drop(issue.marker);
    }
  }

  async #fileAll(
    waiting: readonly IssueDraft[],
    now: Instant,
    abort: AbortSignal | undefined,
  ): Promise<number> {
    let filed = 0;
    for (const draft of waiting) {
      const done = await this.#try(draft.marker, now, abort, (forge) => this.#file(draft, forge, now));
      if (done) filed += 1;
    }
    return filed;
  }

  async #file(draft: IssueDraft, forge: Forge, now: Instant): Promise<Trouble | undefined> {
    const { pending } = this.#options;
    const filed = await pending.alone(PATIENCE, () => forge.file(draft));
    if (filed === undefined) return { outcome: "retry", problem: "another process is filing issues" };
    if (!("number" in filed)) return filed;
    await this.note(draft, filed, forge.name, now);
    pending.drop(draft.marker);
    return undefined;
  }

  /** Registers an issue that the forge has: it and its incident name each other, and it is followed up from then on. */
  async note(
    { marker }: Pick<IssueDraft, "marker">,
    { number, url, ticks }: Pick<HandedOver, "number" | "url"> & Partial<Pick<HandedOver, "ticks">>,
    forge: string,
    filedAt: Instant,
  ): Promise<void> {
    const { watcher, store } = this.#options;
    const tick = tickInMarker(marker);
    const incident = tick === undefined ? await this.#incidentWith(marker) : undefined;
    const key = incident?.id ?? keyInMarker(marker);
    if ((await store.issues.one(key)) === undefined) {
      const issue: FiledIssue = {
        ...{ key, marker, number, url, createdAt: filedAt },
        agent: tick?.agent ?? incident?.subject ?? key,
        ...(incident === undefined ? {} : { incident: incident.id }),
        ...(tick === undefined ? {} : { month: tick.month }),
        ...(ticks === undefined ? {} : { ticks }),
        nextAt: nextPoint(filedAt, filedAt) ?? null,
        ...{ followed: [], recovered: false, closed: false },
      };
      await watcher.persist({ issues: [issue] });
    }
    if (incident?.issue !== undefined || incident === undefined) return;
    const named = { forge, number, url };
    try {
      await watcher.command({ kind: "attach", id: incident.id, parts: { issue: named } });
    } catch (error) {
      // One that is long over is no longer at the watcher's desk, but it is on record.
      if (!(error instanceof RollError)) throw error;
      const stored = await store.incidents.one(incident.id);
      if (stored === undefined) return;
      await watcher.persist({ incidents: [{ incident: { ...stored, issue: named }, ofInterest: false }] });
    }
  }

  async #incidentWith(marker: string): Promise<Incident | undefined> {
    const { watcher, store } = this.#options;
    for (const each of watcher.desk.incidents) if (markerOf(each.id) === marker) return each;
    return store.incidents.one(keyInMarker(marker));
  }

  async #followAll(now: Instant, abort: AbortSignal | undefined): Promise<number> {
    let followed = 0;
    const issues = await this.#options.store.issues.page({ limit: MOST, state: "open" });
    if (issues.length === 0) return 0;
    const open = new Set<string>();
    for (const incident of this.#options.watcher.desk.incidents) if (isOpen(incident)) open.add(incident.id);
    for (const issue of issues) {
      const look = isAtRest(issue, open, now) ? undefined : await follow(issue, this.#options, now);
      if (look === undefined) this.#attempts.forget((key) => key === issue.key);
      else if (await this.#try(issue.key, now, abort, look)) followed += 1;
    }
    return followed;
  }

  #try(
    key: string,
    now: Instant,
    abort: AbortSignal | undefined,
    act: (forge: Forge) => Promise<Trouble | undefined>,
  ): Promise<boolean> {
    abort?.throwIfAborted();
    return this.#attempts.try(key, now, async () => {
      const ours = this.#options.forge();
      return "problem" in ours ? { outcome: "refused", problem: ours.problem } : act(ours.forge);
    });
  }
}

/** Which incidents become issues. */
export interface IssuePolicy {
  readonly states: readonly State[];
  readonly after: Millis;
}

/** What is found of an agent is there within seconds; an incident without it is not waited for longer than this. */
const FINDING: Millis = MINUTE;

/** Whether an incident is to become an issue now. */
export function isIssueDue(
  incident: Incident,
  { states, after }: IssuePolicy,
  silences: readonly Silence[],
  now: Instant,
): boolean {
  const { kind, state, issue, spokenForBy, calmSince, noticedAt, findings } = incident;
  if (!isOpen(incident) || issue !== undefined || kind === "reboot" || !states.includes(state)) return false;
  // The group's incident speaks for it; and what flaps and is well at the moment has its turn when it is not.
  if (spokenForBy !== undefined || calmSince !== undefined) return false;
  // Every turn of what flaps is noticed anew: it counts from its beginning.
  const from = incident.flapping ? incident.openedAt : noticedAt;
  // A silence may have a common cause: then the group's incident speaks for it.
  const held = kind === "agent" && isSilence(incident.reason) ? HOLD : 0;
  if (now < from + Math.max(after, held)) return false;
  if (kind === "agent" && findings === undefined && now < noticedAt + FINDING) return false;
  return !(incident.members ?? [incident.subject]).every(
    (agent) => silencedUntil(silences, agent, now, incident.group) !== undefined,
  );
}
