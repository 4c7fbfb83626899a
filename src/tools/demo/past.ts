import type { Beat } from "../../core/beat.ts";
import { DAY, HOUR, type Instant, MINUTE } from "../../core/duration.ts";
import type { Incident } from "../../core/incident/incident.ts";
import { severityOf } from "../../core/incident/incident.ts";
import type { Reason, State } from "../../core/liveness/state.ts";
import type { Flip } from "../../core/liveness/verdict.ts";
import type { Changes } from "../../ports/store.ts";

/** What the agents of the demo went through before it began: ninety days, the same ones each time. */
interface Life {
  readonly id: string;
  readonly group: string;
  /** What it does when it is well, and for how long at most. */
  readonly well: readonly (readonly [State, hours: number])[];
  /** Of a hundred turns how many end in trouble, and in which. */
  readonly luck: number;
  readonly trouble: readonly State[];
  readonly beats?: true;
}

const TURNS: Life["well"] = [
  ["alive", 3],
  ["resting", 2],
];

const LIVES: readonly Life[] = [
  { id: "refactor", group: "code", well: TURNS, luck: 2, trouble: ["waiting", "limited"] },
  { id: "release", group: "code", well: TURNS, luck: 6, trouble: ["waiting"] },
  { id: "reviewer", group: "code", well: TURNS, luck: 5, trouble: ["limited", "waiting"] },
  { id: "migrator", group: "code", well: TURNS, luck: 4, trouble: ["stalled", "waiting"] },
  { id: "fixer", group: "code", well: TURNS, luck: 5, trouble: ["stalled", "failing"] },
  { id: "trainer", group: "code", well: TURNS, luck: 9, trouble: ["dead"] },
  { id: "mailer", group: "bots", well: [["alive", 60]], luck: 6, trouble: ["late"], beats: true },
  { id: "scraper", group: "bots", well: [["alive", 40]], luck: 30, trouble: ["dead"], beats: true },
  { id: "deployer", group: "bots", well: [["alive", 40]], luck: 18, trouble: ["failing"], beats: true },
  { id: "indexer", group: "bots", well: [["alive", 200]], luck: 10, trouble: ["unknown"] },
  {
    ...{ id: "backup", group: "nightly", luck: 2, trouble: ["failing"] },
    well: [
      ["resting", 23],
      ["alive", 1],
    ],
  },
];

const SAYS: Partial<Record<State, readonly [Reason, string]>> = {
  alive: ["working", "made progress"],
  resting: ["ended", "its cycle ended cleanly"],
  waiting: ["permission", "waits for a human: it asks for permission"],
  limited: ["limit", "at a usage limit"],
  stalled: ["silent", "no progress for 31 min; limit 30 min"],
  failing: ["says-error", "its last beat reports an error: no space left on /srv"],
  dead: ["exited", "its process ended unexpectedly (exit 1)"],
  late: ["overdue", "no beat for 12 s; expected every 10 s, 5 s of grace"],
  unknown: ["not-watched", "Rollcall was not watching"],
};

/** The past as one commit. The agents themselves are not part of what stays: the config declares them when the demo begins. */
export function pastUntil(now: Instant): Changes {
  const roll = dice();
  const flips: Flip[] = [];
  const beats: Beat[] = [];
  const incidents: Incident[] = [];
  for (const life of LIVES) {
    let [state, at, turn]: [State, Instant, number] = ["new", now - 90 * DAY - roll() * HOUR, 0];
    const flip = (to: State) => {
      const [reason, why] = SAYS[to] ?? SAYS.alive ?? ["working", ""];
      flips.push({ agent: life.id, from: state, to, reason, why, at, noticedAt: at });
      state = to;
    };
    while (at < now - 5 * MINUTE) {
      const [to, hours] = life.well[turn++ % life.well.length] ?? ["alive", 1];
      flip(to);
      at += hours * HOUR * (0.3 + 0.7 * roll());
      if (at > now - HOUR || roll() * 100 >= life.luck) continue;
      const opened = at;
      const trouble = life.trouble[Math.floor(roll() * life.trouble.length)] ?? "dead";
      flip(trouble);
      at += (trouble === "limited" ? 3 * HOUR : 50 * MINUTE) * (0.1 + roll());
      if (at < now) incidents.push(...episode(life, trouble, opened, at));
    }
    // What stands for longer than a day is not seen in a picture of one.
    at = now - 9 * HOUR;
    if ((flips.at(-1)?.at ?? 0) < at) {
      const before = state;
      flip("late");
      at += 2 * MINUTE;
      flip(before);
    }
    if (life.beats) beats.push(...beatsOf(life.id, now));
  }
  const agents = LIVES.map(({ id }) => ({ id, origin: "config", addedAt: now - 90 * DAY }) as const);
  const over = incidents.map((incident) => ({ incident, ofInterest: false }));
  return { agents, flips: flips.filter(({ at }) => at < now), beats, incidents: over, flushed: true };
}

function episode({ id, group }: Life, state: State, at: Instant, end: Instant): Incident[] {
  const severity = severityOf(state);
  if (severity === undefined) return [];
  const [reason, why] = SAYS[state] ?? ["working", ""];
  return [
    {
      ...{
        id: `${id}-${at.toString(36).slice(0, 8)}`,
        kind: "agent",
        subject: id,
        group,
        state,
        reason,
        why,
        severity,
      },
      ...{
        since: at,
        noticedAt: at + 2000,
        openedAt: at,
        episodes: [at],
        flapping: false,
        change: 1,
        told: {},
      },
      resolved: { at: end, how: "recovered", why: "it works again" },
    },
  ];
}

function* beatsOf(agent: string, now: Instant): Generator<Beat> {
  for (let at = now - 30 * DAY; at < now - MINUTE; at += 20 * MINUTE)
    yield { id: `past-${agent}-${at}`, agent, source: "agent", status: "ok", sentAt: at, receivedAt: at };
}

/** Numbers from 0 to 1, always the same. */
function dice(): () => number {
  let state = 20;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 0x1_0000_0000;
  };
}
