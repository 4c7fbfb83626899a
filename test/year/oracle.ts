import { CronExpressionParser } from "cron-parser";
import type { Run } from "../../src/core/action/state.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/duration.ts";
import { type Event, type Execution, START, type Subject, type World } from "./world.ts";

/**
 * What must hold of an action after any life, found without any code of the scheduler: calendars are read by another
 * implementation, and what ran is what the action itself saw. All schedules here are on whole seconds, so the
 * milliseconds of a due instant tell how often the clock had been set back (its pass).
 */
export function complaints(world: World): readonly string[] {
  const found = [...world.problems];
  for (const subject of world.subjects) {
    const rows = [...(world.rows.get(subject.name)?.values() ?? [])];
    const complain = (text: string) =>
      found.push(
        `${subject.name} (${JSON.stringify(subject.when)} ${JSON.stringify(subject.options)}): ${text}`,
      );
    everyInstantHasItsEntry(subject, rows, world.clock.wall(), complain);
    runsAreRecorded(subject, rows, world.events, complain);
    nothingOverlaps(subject, complain);
    nothingFloods(subject, world.events, complain);
    rulesAreKept(subject, world.events, complain);
    messagesAreQueuedOnce(subject, rows, world, complain);
  }
  return found;
}

/** An hour, less what a store that fails may put off the begin of a run. */
const RATE = HOUR - 2 * MINUTE;

type Complain = (text: string) => void;
const iso = (at: number) => new Date(at).toISOString();

/** Each instant of each pass, from its begin to the last that was taken up, is in exactly one entry. */
function everyInstantHasItsEntry(
  subject: Subject,
  rows: readonly Run[],
  now: number,
  complain: Complain,
): void {
  const notes = rows.filter(({ reason }) => reason === "clock-set-back").map(({ dueAt }) => dueAt);
  const entries = rows.filter(({ reason }) => reason !== "clock-set-back");
  const passes = new Map<number, Run[]>();
  const cut = new Set<number>();
  for (const entry of entries) {
    const pass = entry.dueAt % SECOND;
    const mine = passes.get(pass);
    if (mine === undefined) passes.set(pass, [entry]);
    else mine.push(entry);
    if (entry.outcome === "crashed" || entry.reason === "stopped") cut.add(entry.dueAt);
  }
  for (let pass = 0; pass <= notes.length; pass++) {
    const mine = passes.get(pass) ?? [];
    const begin = pass === 0 ? START : (notes[pass - 1] as number);
    const last = pass === notes.length;
    const end = Math.max(begin, ...mine.map(({ dueAt }) => dueAt));
    // The last pass has had two hours of peace: nothing may wait any more but what is in its jitter or too long.
    const { jitter = 0, timeout, missed } = subject.options;
    const catchesUp = missed === "all" && /slow|deaf/.test(subject.manner);
    const settled = catchesUp ? end : now - 2 * MINUTE - Math.max(jitter, 2 * timeout);
    const due = instantsOf(subject, begin - pass, (last ? Math.max(end, settled) : end) - pass).map(
      (at) => at + pass,
    );
    const covered = new Map<number, number>();
    for (const { dueAt, outcome, from, count, more } of mine) {
      const first = outcome === "skipped" ? (from ?? dueAt) : dueAt;
      const inside = between(due, first, dueAt);
      const expected = outcome === "skipped" ? (count ?? Number.NaN) : 1;
      if (more ? inside.length <= expected : inside.length !== expected)
        complain(`${outcome} ${iso(first)} to ${iso(dueAt)} counts ${expected}, but has ${inside.length}`);
      for (const at of inside) covered.set(at, (covered.get(at) ?? 0) + 1);
    }
    for (const at of due) {
      const times = covered.get(at) ?? 0;
      if (times === 1 || (times === 0 && at === underWay(subject))) continue;
      if (times === 0 || times > 2 || !cut.has(at))
        complain(`${iso(at)} (pass ${pass}) has ${times} entries`);
    }
  }
}

/** The instant of the last run, which may not have come to its end when the world did. */
function underWay({ executions }: Subject): number | undefined {
  return executions.at(-1)?.dueAt;
}

/** An execution has an entry of its instant, and an entry that is no skip has an execution or a crash. */
function runsAreRecorded(
  subject: Subject,
  rows: readonly Run[],
  events: readonly Event[],
  complain: Complain,
): void {
  const ran = new Map<number, Run[]>();
  for (const row of rows) {
    if (row.outcome !== "skipped") ran.set(row.dueAt, [...(ran.get(row.dueAt) ?? []), row]);
  }
  const seen = new Map<number, Execution[]>();
  for (const execution of subject.executions) {
    seen.set(execution.dueAt, [...(seen.get(execution.dueAt) ?? []), execution]);
  }
  for (const [dueAt, executions] of seen) {
    const entries = ran.get(dueAt) ?? [];
    if (entries.length < executions.length && dueAt !== underWay(subject))
      complain(`${iso(dueAt)} ran without an entry`);
    const cut = entries.filter(({ outcome, reason }) => outcome === "crashed" || reason === "stopped").length;
    if (executions.length > 1 && (executions.length > 2 || cut === 0))
      complain(`${iso(dueAt)} ran ${executions.length} times`);
    for (const { wall, began } of executions) {
      // A store that fails puts off the begin of a run, and the clock may be set back meanwhile.
      const stepped = events.some(
        ({ kind, monotonic }) => kind === "step" && Math.abs(began - monotonic) < 2 * MINUTE,
      );
      if (wall < dueAt && !stepped) complain(`${iso(dueAt)} ran before it was due`);
    }
  }
  for (const [dueAt, entries] of ran) {
    const complete = entries.filter(({ outcome, reason }) => outcome !== "crashed" && reason !== "stopped");
    if (complete.length > (seen.get(dueAt)?.length ?? 0))
      complain(`${iso(dueAt)} has an entry, but did not run`);
    if (complete.length > 1) complain(`${iso(dueAt)} came to its end ${complete.length} times`);
  }
}

/** Two runs of an action at once there are only where the first was abandoned, or its process is gone. */
function nothingOverlaps({ executions, options }: Subject, complain: Complain): void {
  for (const [index, execution] of executions.entries()) {
    const before = executions[index - 1];
    if (before === undefined || before.life !== execution.life) continue;
    const over = Math.min(
      before.ended ?? Number.POSITIVE_INFINITY,
      before.began + options.timeout + 5 * SECOND,
    );
    if (execution.began < over) complain(`${iso(execution.dueAt)} began while ${iso(before.dueAt)} ran`);
  }
}

/** In any hour there are as many runs as are due in it, and a few for each thing that happened to us. */
function nothingFloods(
  { executions, when, options, manner }: Subject,
  events: readonly Event[],
  complain: Complain,
): void {
  const pace = "every" in when ? HOUR / when.every : 1;
  const each = options.missed === "all" ? 101 : 3;
  for (const [index, { began }] of executions.entries()) {
    const count = countWithin(executions, index, HOUR);
    // What waits is caught up with one after the other: events of longer ago may still be worked off.
    const span = options.missed === "all" ? DAY : HOUR;
    const happened = events.filter(
      (event) => event.monotonic > began - span && event.monotonic <= began + HOUR,
    ).length;
    // What waits for the end of slow runs follows them at once: never more than is caught up with at most.
    const waited = options.missed === "all" && /slow|deaf/.test(manner) ? 100 : 0;
    if (count > Math.ceil(pace) + 1 + waited + happened * each)
      return complain(`${count} runs in an hour at ${began}`);
  }
}

function countWithin(executions: readonly Execution[], from: number, span: number): number {
  const began = executions[from]?.began ?? 0;
  let count = 0;
  for (let index = from; index < executions.length; index++) {
    if ((executions[index]?.began ?? 0) >= began + span) break;
    count += 1;
  }
  return count;
}

function rulesAreKept({ executions, options }: Subject, events: readonly Event[], complain: Complain): void {
  const { activeHours, maxPerHour, enabled } = options;
  if (enabled === false && executions.length > 0) complain("ran while it was disabled");
  for (const [index, { wall, began }] of executions.entries()) {
    const minute = Math.floor(wall / MINUTE) % 1440;
    const active =
      activeHours === undefined ||
      (activeHours === "08:00-18:00" ? minute >= 480 && minute < 1080 : minute >= 1320 || minute < 360);
    if (!active) complain(`ran at ${iso(wall)}, outside ${activeHours}`);
    const moved = events.some(
      ({ kind, monotonic }) => /step|suspend/.test(kind) && Math.abs(monotonic - began) < HOUR,
    );
    if (maxPerHour !== undefined && !moved && countWithin(executions, index, RATE) > maxPerHour)
      complain(`ran more than ${maxPerHour} times in an hour at ${iso(wall)}`);
  }
}

/** A message for each run that had one and came to its end, under the key of its instant; and no other. */
function messagesAreQueuedOnce(
  subject: Subject,
  rows: readonly Run[],
  world: World,
  complain: Complain,
): void {
  const wanted = new Set(subject.executions.filter(({ notified }) => notified).map(({ dueAt }) => dueAt));
  for (const { dueAt, outcome, message } of rows) {
    if (outcome !== "done") continue;
    if ((message !== undefined) !== world.said.has(`action:${subject.name}:${dueAt}`))
      complain(`the message of ${iso(dueAt)} and its entry differ`);
    if (message !== undefined && !wanted.has(dueAt)) complain(`${iso(dueAt)} said what nobody wanted to say`);
  }
}

const calendars = new Map<string, readonly number[]>();

/** All instants after `from`, up to `until`. */
function instantsOf({ when, options }: Subject, from: number, until: number): readonly number[] {
  if ("every" in when) {
    const list: number[] = [];
    for (let at = Math.floor(from / when.every) * when.every + when.every; at <= until; at += when.every)
      list.push(at);
    return list;
  }
  const zone = options.timezone ?? "UTC";
  const list: number[] = [];
  for (let block = Math.floor(from / BLOCK) * BLOCK; block <= until; block += BLOCK) {
    const key = `${when.cron} ${zone} ${block}`;
    const instants = calendars.get(key) ?? calendarOf(when.cron, zone, block);
    calendars.set(key, instants);
    list.push(...between(instants, from + 1, until));
  }
  return list;
}

/** Anew every few days: a parser that stumbles over a change of the clocks does so only where it starts before it. */
const BLOCK = 50 * DAY;

function calendarOf(cron: string, zone: string, block: number): readonly number[] {
  const list: number[] = [];
  const parsed = CronExpressionParser.parse(cron, { tz: zone, currentDate: new Date(block) });
  for (;;) {
    const at = parsed.next().getTime();
    if (at > block + BLOCK) return list;
    list.push(at);
  }
}

/** The part of an ordered list from one instant to another, both included. */
function between(list: readonly number[], from: number, to: number): readonly number[] {
  const place = (value: number) => {
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((list[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return list.slice(place(from), place(to + 1));
}
