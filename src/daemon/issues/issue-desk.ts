import { type Instant, MINUTE, type Millis } from "../../core/duration.ts";
import type { Incident } from "../../core/incident/incident.ts";
import { type FiledIssue, keyInMarker, tickInMarker } from "../../core/rca/filed-issue.ts";
import { nextPoint } from "../../core/rca/follow-up.ts";
import { draftOf, type IssueDraft, markerOf } from "../../core/rca/issue.ts";
import type { Forge, Trouble } from "../../ports/forge.ts";
import type { Store } from "../../ports/store.ts";
import { RollError } from "../../watch/draft.ts";
import type { Watcher } from "../../watch/watcher.ts";
import type { OurForge } from "../forge.ts";
import type { PendingIssues } from "../tick/pending.ts";
import { type IssuePolicy, isIssueDue } from "./due.ts";
import { type FollowOptions, follow, keptIssue } from "./follow.ts";
import { incidentSubject } from "./subject.ts";

export interface IssueDeskOptions extends FollowOptions {
  readonly watcher: Pick<Watcher, "desk" | "wish" | "keep">;
  readonly store: Pick<Store, "kept" | "one">;
  /** Opened for each run that needs it, so that a token that was put right serves at once. */
  readonly forge: () => OurForge;
  readonly pending: PendingIssues;
  /** Which incidents become issues; none unless given. */
  readonly policy: IssuePolicy | undefined;
  readonly template: () => string;
  readonly now: () => Instant;
}

/** How long something that failed is left alone, at first and at most. */
const FIRST_REST: Millis = MINUTE;
const LAST_REST: Millis = 30 * MINUTE;
/** After so many failures in a row the forge is left alone, as it is when it asks for that; not for ever. */
const ENOUGH = 3;
const LONGEST_REST: Millis = 60 * MINUTE;
/** How long another process that files is waited for; the next run is a minute away. */
const PATIENCE: Millis = 5000;
const MOST = 10_000;

/** What a run did. */
interface Done {
  readonly filed: number;
  readonly followed: number;
}

interface Failed {
  readonly until: Instant;
  readonly times: number;
  readonly problem: string;
}

/**
 * Where incidents become root-cause issues, and where issues are followed up.
 *
 *   due ──▶ pending (on disk) ──looked for, else created──▶ filed (issue and incident name each other)
 *                                    filed ──T+1h, T+24h, T+7d, recovery──▶ closed
 *
 * What was done is read from the forge each time, so that a run that was killed, or a reply that was lost, is made up
 * for by the next run and nothing is done twice.
 */
export class IssueDesk {
  readonly #options: IssueDeskOptions;
  /** What could not be done, by key, and when it is tried again. */
  readonly #failed = new Map<string, Failed>();
  /** Until when the forge is left alone, and why. */
  #rest: { readonly until: Instant; readonly problem: string } | undefined;
  #inARow = 0;
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
    if (this.#rest !== undefined && isOver(this.#rest.until, now)) this.#rest = undefined;
    this.#inARow = 0;
    this.#take(now);
    const filed = await this.#fileAll(now, abort);
    const followed = await this.#followAll(now, abort);
    const rest = this.#rest === undefined ? [] : [this.#rest.problem];
    const problems = [...new Set([...rest, ...[...this.#failed.values()].map(({ problem }) => problem)])];
    if (problems.length > 0) throw new Error(problems.slice(0, 3).join("; "));
    return { filed, followed };
  }

  /** Puts what is due on the disk, before the forge hears of it. */
  #take(now: Instant): void {
    const { watcher, policy, pending, template, forge } = this.#options;
    if (policy === undefined) return;
    const silences = [...watcher.desk.silences];
    const due = [...watcher.desk.incidents].filter((each) => isIssueDue(each, policy, silences, now));
    if (due.length === 0) return;
    const ours = forge();
    const form = { template: template(), secrets: "secrets" in ours ? ours.secrets : [] };
    const waiting = new Set(pending.all().map(({ marker }) => marker));
    for (const incident of due) {
      if (!waiting.has(markerOf(incident.id))) pending.keep(draftOf(incidentSubject(incident), form));
    }
  }

  async #fileAll(now: Instant, abort: AbortSignal | undefined): Promise<number> {
    let filed = 0;
    const waiting = this.#options.pending.all();
    const known = new Set(waiting.map(({ marker }) => marker));
    // What another process filed meanwhile is no failure any more.
    for (const key of this.#failed.keys()) {
      if (key.startsWith("<!--") && !known.has(key)) this.#failed.delete(key);
    }
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

  /** Registers an issue that the forge has: it and its incident name each other, and it is followed up. */
  async note(
    { marker }: Pick<IssueDraft, "marker">,
    { number, url }: { readonly number: number; readonly url: string },
    forge: string,
    now: Instant,
  ): Promise<void> {
    const { watcher, store } = this.#options;
    const tick = tickInMarker(marker);
    const incident = tick === undefined ? await this.#incidentWith(marker) : undefined;
    const key = incident?.id ?? keyInMarker(marker);
    if ((await store.one("issue", key)) === undefined) {
      const issue: FiledIssue = {
        ...{ key, marker, number, url, createdAt: now },
        agent: tick?.agent ?? incident?.subject ?? key,
        ...(incident === undefined ? {} : { incident: incident.id }),
        ...(tick === undefined ? {} : { month: tick.month }),
        nextAt: nextPoint(now, now) ?? null,
        ...{ followed: [], recovered: false, closed: false },
      };
      await watcher.keep([keptIssue(issue)]);
    }
    if (incident?.issue !== undefined || incident === undefined) return;
    const named = { forge, number, url };
    try {
      await watcher.wish({
        wish: "change",
        id: incident.id,
        change: (each) => ({ ...each, issue: named }),
      });
    } catch (error) {
      // One that is long over is no longer at the watcher's desk, but it is on record.
      if (!(error instanceof RollError)) throw error;
      const kept = await store.one("incident", incident.id);
      if (kept !== undefined) await watcher.keep([{ ...kept, body: { ...kept.body, issue: named } }]);
    }
  }

  async #incidentWith(marker: string): Promise<Incident | undefined> {
    const { watcher, store } = this.#options;
    for (const each of watcher.desk.incidents) if (markerOf(each.id) === marker) return each;
    return (await store.one("incident", keyInMarker(marker)))?.body;
  }

  async #followAll(now: Instant, abort: AbortSignal | undefined): Promise<number> {
    let followed = 0;
    for (const { body } of await this.#options.store.kept("issue", { limit: MOST, open: true })) {
      const look = await follow(body, this.#options, now);
      if (look === undefined) this.#failed.delete(body.key);
      else if (await this.#try(body.key, now, abort, look)) followed += 1;
    }
    return followed;
  }

  /** Does one thing at the forge, unless it failed lately; one that fails keeps no other from being done. */
  async #try(
    key: string,
    now: Instant,
    abort: AbortSignal | undefined,
    act: (forge: Forge) => Promise<Trouble | undefined>,
  ): Promise<boolean> {
    abort?.throwIfAborted();
    const before = this.#failed.get(key);
    if (this.#rest !== undefined || (before !== undefined && !isOver(before.until, now))) return false;
    const ours = this.#options.forge();
    const trouble: Trouble | undefined =
      "problem" in ours ? { outcome: "refused", problem: ours.problem } : await act(ours.forge);
    if (trouble === undefined) {
      this.#failed.delete(key);
      this.#inARow = 0;
      return true;
    }
    const { problem } = trouble;
    const times = (before?.times ?? 0) + 1;
    const rest = Math.min(FIRST_REST * 2 ** (times - 1), LAST_REST);
    const after = trouble.outcome === "retry" ? (trouble.after ?? 0) : 0;
    this.#inARow += 1;
    if (after > 0 || this.#inARow >= ENOUGH)
      this.#rest = { until: now + Math.min(Math.max(after, FIRST_REST), LONGEST_REST), problem };
    this.#failed.set(key, { until: now + rest, times, problem });
    return false;
  }
}

/** A time that lies further ahead than anything rests means that the clock was set back. */
function isOver(until: Instant, now: Instant): boolean {
  return now >= until || now < until - LONGEST_REST;
}
