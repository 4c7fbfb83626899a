// A made-up fleet with a day behind it, in the shapes of the API. The same number makes the same fleet.
import type { State } from "../../src/core/liveness/state.ts";
import type { HostView } from "../../src/views/host.ts";
import type { BeatView, CycleView, DeliveryView, FlipView, IncidentView } from "../../src/views/show.ts";
import type { RollView } from "../../src/watch/view.ts";

const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;

export function iso(at: number): string {
  return new Date(at).toISOString();
}

/** A small generator of numbers from 0 to 1, always the same. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 0x1_0000_0000;
  };
}

const NAMES = [
  ...[
    "allegro",
    "bezalel",
    "cartographer",
    "deborah",
    "ezra",
    "fenwick",
    "gardener",
    "herald",
    "ibis",
    "jethro",
  ],
  ...["kestrel", "librarian", "miriam", "notary", "oriole", "piper", "quill", "reaper", "scribe", "timmy"],
];
const GROUPS = ["build", "review", "mail", "research"];
const HOSTS = ["studio", "attic", "vps-1"];
const ACTIONS = [
  ...[
    "sync inbox",
    "review pull request 412",
    "run the test suite",
    "write the weekly summary",
    "index the archive",
  ],
  ...["answer a question in the forum", "refactor the parser", "wait for CI", "triage new issues", "rebase"],
];

/** State, reason and sentence, most of them well. */
const FATES: readonly (readonly [share: number, state: State, reason: string, why: string, age: number])[] = [
  [0.02, "dead", "no-beat", "no beat for 43 min; expected every 15 min, 5 min of grace", 23 * MIN],
  [0.01, "dead", "exited", "its process ended with status 137 (killed)", 2 * HOUR],
  [0.015, "stalled", "silent", "no progress for 1 h 12 min; limit 45 min", 27 * MIN],
  [0.01, "failing", "says-error", "its last beat reports an error: disk quota exceeded", 6 * MIN],
  [0.025, "waiting", "permission", "waits for a human: allow `rm -r build`?", 11 * MIN],
  [0.02, "limited", "limit", "at a usage limit until 17:00", 50 * MIN],
  [0.02, "late", "overdue", "no beat for 16 min; expected every 15 min, 5 min of grace", MIN],
  [0.01, "unknown", "not-watched", "overdue, but Rollcall was not watching until 4 min ago", 4 * MIN],
  [
    0.01,
    "new",
    "registered",
    "registered 3 min ago, no beat yet; expected every 15 min, 5 min of grace",
    3 * MIN,
  ],
  [0.02, "paused", "paused", "paused by an operator; not judged", 5 * HOUR],
  [0.3, "resting", "ended", "cycle ended cleanly 8 min ago", 8 * MIN],
  [1, "alive", "beat", "beat 12 s ago; expected every 15 min, 5 min of grace", 9 * HOUR],
];

export interface Fleet {
  readonly now: number;
  readonly agents: readonly RollView[];
  readonly strips: Readonly<Record<string, readonly (readonly [number, State])[]>>;
}

export function fleetOf(size: number, now: number): Fleet {
  const roll = dice(size);
  const agents: RollView[] = [];
  const strips: Record<string, (readonly [number, State])[]> = {};
  for (let i = 0; i < size; i++) {
    // The first ones show every fate once, so that a small fleet shows all states too.
    const fate = (i < FATES.length ? FATES[i] : fateFor(roll())) ?? FATES[0];
    if (fate === undefined) throw new Error("no fate");
    const agent = agentOf(i, fate, now, roll);
    agents.push(agent);
    strips[agent.id] = stripOf(agent, now, roll);
  }
  return { now, agents, strips };
}

/** The same fleet on a hub: agents of all hosts but the first are reported by them, and the last one is out of contact. */
export function onHub(fleet: Fleet): Fleet & { readonly hosts: readonly HostView[] } {
  const { now } = fleet;
  const reporting = HOSTS.slice(1);
  const lost = HOSTS.at(-1);
  const strips = { ...fleet.strips };
  const agents = fleet.agents.map((agent): RollView => {
    if (agent.host === null || !reporting.includes(agent.host)) return agent;
    const id = `${agent.id}@${agent.host}`;
    strips[id] = strips[agent.id] ?? [];
    const here = { ...agent, id, origin: "host", rule: null } as const;
    if (agent.host !== lost || agent.state === "dead") return here;
    const why = `its host is out of contact; before that it was ${agent.state}: ${agent.why}`;
    return { ...here, ...OUT_OF_CONTACT, why, since: iso(now - 7 * MIN) };
  });
  const standing = reporting.map((host): RollView => {
    const well = { state: "alive", reason: "beat", why: "beat 4 s ago", since: iso(now - DAY) } as const;
    const gone = {
      ...OUT_OF_CONTACT,
      why: "nothing heard from this host for 8 min",
      since: iso(now - 7 * MIN),
    };
    return {
      ...{
        id: `rollcall@${host}`,
        name: host,
        group: "hosts",
        host,
        origin: "host",
        action: null,
        cycle: null,
      },
      ...{ status: "ok", message: null, source: "agent", rule: { every: "30s", grace: "30s" } },
      ...(host === lost ? gone : well),
      lastBeatAt: iso(host === lost ? now - 8 * MIN : now - 4000),
    };
  });
  const hosts = standing.map(
    ({ name, state, why, lastBeatAt }, n): HostView => ({
      ...{ name: name ?? "", kind: n === 0 ? "laptop" : "server", state, why, lastContactAt: lastBeatAt },
      ...{ joinedAt: iso(now - 9 * DAY), version: "0.1.0", clockOffset: n === 0 ? 12 : -6 * HOUR },
      ...{ backlog: n === 0 ? 0 : 312, dropped: 0 },
      agents: {},
    }),
  );
  return { now, strips, agents: [...agents, ...standing], hosts };
}

const OUT_OF_CONTACT = { state: "unknown", reason: "host-out-of-contact" } as const;

function fateFor(number: number): (typeof FATES)[number] | undefined {
  let left = number;
  for (const fate of FATES) {
    if (left < fate[0]) return fate;
    left -= fate[0];
  }
  return FATES.at(-1);
}

function agentOf(i: number, fate: (typeof FATES)[number], now: number, roll: () => number): RollView {
  const [, state, reason, why, age] = fate;
  const heard = state !== "new";
  const since = now - age - Math.floor(roll() * 10 * MIN);
  const name = NAMES[i % NAMES.length] ?? "agent";
  return {
    id: i < NAMES.length ? name : `${name}-${Math.floor(i / NAMES.length) + 1}`,
    name: i === 3 ? "Deborah, the judge" : null,
    group: GROUPS[i % GROUPS.length] ?? "default",
    state,
    reason,
    why,
    since: iso(since),
    // Silence came before the state that it led to.
    lastBeatAt: heard ? iso(state === "dead" || state === "stalled" ? since - 20 * MIN : now - 12_000) : null,
    cycle: heard ? 100 + Math.floor(roll() * 900) : null,
    action: heard ? (ACTIONS[Math.floor(roll() * ACTIONS.length)] ?? null) : null,
    status: heard ? (state === "failing" ? "error" : "ok") : null,
    message: null,
    source: heard ? "agent" : null,
    host: heard ? (HOSTS[Math.floor(roll() * HOSTS.length)] ?? null) : null,
    origin: i % 5 === 0 ? "config" : "beat",
    rule: { every: "15m", grace: "5m" },
  };
}

function stripOf(agent: RollView, now: number, roll: () => number): (readonly [number, State])[] {
  const since = Math.round((Date.parse(agent.since) - (now - DAY)) / 1000);
  if (agent.state === "new") return [[since, "new"]];
  const points: (readonly [number, State])[] = [];
  let at = roll() < 0.1 ? Math.floor(roll() * 40_000) : 0;
  let state: State = "alive";
  while (at < since - 600) {
    points.push([at, state]);
    const luck = roll();
    if (state !== "alive") state = "alive";
    else
      state =
        luck < 0.8
          ? "resting"
          : luck < 0.86
            ? "late"
            : luck < 0.9
              ? "waiting"
              : luck < 0.94
                ? "dead"
                : "unknown";
    at += Math.floor((state === "alive" ? 900 : 2400) + roll() * 9000);
  }
  points.push([Math.max(0, since), agent.state]);
  return points;
}

export function beatsOf(agent: RollView, now: number): BeatView[] {
  const roll = dice(agent.id.length);
  const beats: BeatView[] = [];
  if (agent.lastBeatAt === null) return beats;
  let at = Date.parse(agent.lastBeatAt);
  while (at > now - DAY && beats.length < 110) {
    const failing = agent.state === "failing" && beats.length === 0;
    beats.push({
      id: `b-${at}`,
      agent: agent.id,
      source: "agent",
      status: failing ? "error" : "ok",
      cycle: agent.cycle ?? 1,
      action: ACTIONS[Math.floor(roll() * ACTIONS.length)] ?? "work",
      ...(failing ? { message: "disk quota exceeded" } : {}),
      host: agent.host ?? "studio",
      sentAt: iso(at),
      receivedAt: iso(at),
    });
    at -= Math.floor((9 + roll() * 6 + (roll() < 0.06 ? 8 : 0)) * MIN);
  }
  return beats;
}

export function flipsOf({ strips }: Fleet, agent: RollView, now: number): FlipView[] {
  const points = strips[agent.id] ?? [];
  return points
    .slice(1)
    .map(([seconds, to], index): FlipView => {
      const at = iso(now - DAY + seconds * 1000);
      const reason = (to === agent.state ? agent.reason : "beat") as FlipView["reason"];
      const why =
        to === agent.state ? agent.why : to === "alive" ? "a beat came" : "as its beats and its screen say";
      return { agent: agent.id, from: points[index]?.[1] ?? "new", to, reason, why, at, noticedAt: at };
    })
    .reverse();
}

export function cyclesOf(agent: RollView, now: number): CycleView[] {
  if (agent.cycle === null) return [];
  const roll = dice(agent.cycle);
  const outcomes = ["ok", "ok", "ok", "ok", "crashed", "ok", "error", "ok"] as const;
  let end = Math.min(now - 4 * MIN, Date.parse(agent.lastBeatAt ?? agent.since));
  return Array.from({ length: 14 }, (_, i) => {
    const length = Math.floor((14 + roll() * 70) * MIN);
    const began = end - length;
    const open = i === 0 && agent.state === "alive";
    const cycle: CycleView = {
      agent: agent.id,
      number: (agent.cycle ?? 0) - i,
      beganAt: iso(began),
      lastAt: iso(open ? now - 12_000 : end),
      lastAction: ACTIONS[Math.floor(roll() * ACTIONS.length)] ?? "work",
      endedAt: open ? null : iso(end),
      ...(open ? {} : { outcome: outcomes[i % outcomes.length] ?? "ok" }),
    };
    end = began - Math.floor((10 + roll() * 25) * MIN);
    return cycle;
  });
}

export function incidentOf(agent: RollView, more: Partial<IncidentView> = {}): IncidentView {
  const since = Date.parse(agent.since);
  return {
    id: `${agent.id}-${since.toString(36)}`,
    kind: "agent",
    subject: agent.id,
    group: agent.group,
    host: agent.origin === "host" ? agent.host : null,
    state: agent.state,
    reason: agent.reason as IncidentView["reason"],
    why: agent.why,
    severity: agent.state === "dead" || agent.state === "stalled" ? "critical" : "warning",
    flapping: false,
    open: true,
    openedAt: agent.since,
    reopenedAt: null,
    since: agent.since,
    noticedAt: iso(since + 2000),
    times: 1,
    acknowledged: null,
    resolved: null,
    escalatedAt: null,
    spokenForBy: null,
    members: null,
    asked: null,
    queued: [{ place: "ops", at: iso(since + 3 * MIN), reminders: 1 }],
    findings: {
      at: iso(since + 3000),
      items: [
        {
          title: "Last lines of its log",
          text: "running 412 tests\n  parser … ok\n  lexer … ok\n  emitter …\n",
        },
        { title: "Process", text: "pid 4711 is gone; it was started 9 h before" },
      ],
    },
    issue:
      agent.state === "dead"
        ? { forge: "gitea", number: 128, url: "https://forge.example/ops/issues/128" }
        : null,
    ...more,
  };
}

export function deliveryOf(incident: IncidentView, more: Partial<DeliveryView> = {}): DeliveryView {
  const at = Date.parse(incident.noticedAt);
  return {
    key: `${incident.id}:ops`,
    to: "ops",
    about: incident.subject,
    state: "sent",
    attempts: 1,
    message: {
      severity: incident.severity,
      title: `${incident.subject} is ${incident.state}`,
      lines: [incident.why],
    },
    incident: incident.id,
    batch: null,
    problem: null,
    createdAt: iso(at),
    dueAt: iso(at + 30_000),
    triedAt: iso(at + 31_000),
    held: null,
    endedAt: iso(at + 31_000),
    ...more,
  };
}
