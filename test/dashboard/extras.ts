// What the schedule, the ticks, the rhythm and the settings answer, made up.
import { dice, iso } from "./fleet.ts";

const MIN = 60_000;
const HOUR = 60 * MIN;

const ACTIONS = [
  ["nostr-post", "tells the day's summary", "0 */4 * * *", "every 4 hours", 4 * HOUR],
  ["task-summary", "what is done, what is open", "every 30m", "every 30 minutes", 30 * MIN],
  ["tick-check", "asks for missing monthly ticks", "0 9 1 * *", "at 09:00 on the 1st", 30 * 24 * HOUR],
  ["prune", "removes what nobody needs", "15 3 * * *", "at 03:15", 24 * HOUR],
] as const;

export function runsOf(name: string, now: number) {
  const found = ACTIONS.find(([each]) => each === name);
  const every = found?.[4] ?? HOUR;
  const roll = dice(name.length);
  const first = Math.floor(now / every) * every;
  return Array.from({ length: Math.min(60, Math.ceil((26 * HOUR) / every)) }, (_, i) => {
    const due = first - i * every;
    const luck = roll();
    const outcome = luck < 0.72 ? "done" : luck < 0.93 ? "skipped" : "failed";
    return {
      id: `${name}-${i}`,
      dueAt: iso(due),
      startedAt: outcome === "skipped" ? null : iso(due + 200),
      endedAt: iso(due + Math.floor(1000 + luck * 9 * MIN)),
      outcome,
      reason: outcome === "skipped" ? "nothing-new" : null,
      count: outcome === "done" ? 3 : null,
      message: outcome === "done" ? "3 things told" : null,
      problem: outcome === "failed" ? "the relay does not answer" : null,
    };
  });
}

export function actionsOf(now: number) {
  return ACTIONS.map(([name, description, schedule, words, every]) => {
    const runs = runsOf(name, now);
    return {
      ...{ name, description, schedule, words, timezone: "UTC" },
      enabled: name !== "prune",
      nextAt: name === "prune" ? null : iso((Math.floor(now / every) + 1) * every),
      lastRun: runs[0] ?? null,
      failures: runs[0]?.outcome === "failed" ? 1 : 0,
      running: name === "task-summary",
    };
  });
}

export function ticksOf(ids: readonly string[], now: number) {
  const date = new Date(now);
  const months = Array.from({ length: 24 }, (_, i) =>
    iso(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - i, 1)).slice(0, 7),
  );
  const roll = dice(7);
  const agents = ids.map((id) => ({
    id,
    name: id,
    ticks: Object.fromEntries(
      months.flatMap((month, i) => {
        const luck = roll();
        if (luck < 0.06 && i > 19) return [];
        if (i === 0 && luck > 0.4) return [];
        const status =
          luck < 0.82
            ? "healthy"
            : luck < 0.88
              ? "degraded"
              : luck < 0.91
                ? "critical"
                : luck < 0.95
                  ? "missing"
                  : "offline";
        const issue = status === "missing" ? "https://forge.example/ops/issues/77" : null;
        return [
          [month, { status, submittedAt: status === "healthy" ? `${month}-02T08:00:00.000Z` : null, issue }],
        ];
      }),
    ),
  }));
  return { months, agents };
}

export const RHYTHM = {
  margin: 1.5,
  contexts: {
    model: { limitMs: 14 * MIN, from: "learnt", gaps: 1213, longest: [9 * MIN, 7 * MIN, 6 * MIN] },
    tool: { limitMs: 31 * MIN, from: "learnt", gaps: 402, longest: [21 * MIN, 18 * MIN] },
    unknown: { limitMs: 45 * MIN, from: "default", gaps: 0, longest: [] },
  },
};

export const NO_STEP = { step: null, why: "it waits for a human, so Rollcall leaves it alone", at: null };

export function recoveriesOf(now: number) {
  return [
    {
      id: "r2",
      step: "restart",
      state: "done",
      why: "its process was gone",
      plannedAt: iso(now - 5 * HOUR),
      endedAt: iso(now - 5 * HOUR + 4000),
    },
    {
      id: "r1",
      step: "nudge",
      state: "failed",
      why: "its pane does not take text",
      plannedAt: iso(now - 5.2 * HOUR),
      endedAt: iso(now - 5.2 * HOUR),
    },
  ];
}

export const CONFIG = {
  file: "/srv/rollcall/rollcall.yaml",
  values: [
    { path: "listen", value: "127.0.0.1:7766", from: "default" },
    { path: "defaults.every", value: "15m", from: "file" },
    { path: "defaults.grace", value: "5m", from: "default" },
    { path: "channels.ops.kind", value: "ntfy", from: "file" },
    { path: "channels.ops.token", value: "(hidden)", from: "environment" },
    { path: "routes", value: [{ agents: "*", to: ["ops"] }], from: "file" },
    { path: "remindEvery", value: "4h", from: "default" },
  ],
};

export const SCREEN = `● I'll run the tests of the parser once more, with the new fixture.

● Bash(npm test src/parser)
  ⎿  Test Files  3 passed (3)
          Tests  41 passed (41)
       Duration  2.18s

● All green. Next I remove the old tokenizer, which nothing imports any more.

● Update(src/parser/index.ts)
  ⎿  Updated with 2 additions and 14 removals

✻ Refactoring… (3m 12s · ↑ 4.1k tokens · esc to interrupt)

────────────────────────────────────────────────────────────────
 >
────────────────────────────────────────────────────────────────
  ? for shortcuts                                    auto-accept edits on
`;

/** What a pane shows, with its colours. */
export const RAW_SCREEN = SCREEN.replaceAll("●", "\x1b[32m●\x1b[39m").replace(
  "✻ Refactoring…",
  "\x1b[38;5;208m✻ Refactoring…\x1b[39m",
);

export const QUESTION = {
  text: "Bash command\n  rm -r build\nDo you want to proceed?",
  choices: [
    { number: 1, label: "Yes" },
    { number: 2, label: "Yes, and don't ask again for rm in this folder" },
    { number: 3, label: "No, and tell it what to do differently" },
  ],
  fingerprint: "f00d",
};

const DAY = 24 * HOUR;
const WIDTHS: Readonly<Record<string, number>> = { 24: 15 * MIN, 168: 2 * HOUR, 720: 6 * HOUR, 2160: DAY };

/** A past with a bad day every ten. */
export function rangeOf(hours: string, now: number) {
  const width = WIDTHS[hours] ?? HOUR;
  const parts = Math.ceil((Number(hours) * HOUR) / width);
  const states = Array.from({ length: parts }, (_, i) =>
    i % 10 === 3
      ? { alive: 0.7 * width, dead: 0.2 * width, waiting: 0.1 * width }
      : { alive: 0.6 * width, resting: 0.4 * width },
  );
  const beats = states.map((_, i) => Math.round((width / MIN) * (i % 10 === 3 ? 0.5 : 1)));
  return { from: iso(now - parts * width), to: iso(now), width, states, beats, uptime: 9800 };
}

export function channelsOf(now: number) {
  const none = { lost: 0, waiting: 0, failing: null };
  return [
    { name: "mail", kind: "email", lastSentAt: iso(now - 3 * HOUR), sent: 2, ...none, waiting: 1 },
    {
      ...{ name: "ops", kind: "ntfy", lastSentAt: iso(now - 5 * HOUR), sent: 9, lost: 1, waiting: 2 },
      failing: {
        ...{ place: "ops", undelivered: 3, since: iso(now - 13 * MIN), attempts: 5 },
        problem: "ntfy answered 403: this topic is reserved",
      },
    },
  ];
}

export function tokensOf(now: number) {
  const made = (id: string, name: string, scope: string) => ({
    ...{ id, name, scope, agent: null, pingKey: false, createdAt: iso(now - 9 * DAY), revokedAt: null },
  });
  return [made("t1", "ada's phone", "admin"), made("t2", "wall display", "read")];
}

export function auditOf(now: number) {
  return [
    "POST /api/v1/session",
    "POST /api/v1/incidents/allegro-x/acknowledge",
    "POST /api/v1/agents/ezra/pause",
  ].map((what, i) => ({ at: iso(now - (i + 1) * HOUR), who: "ada's phone", what, from: "192.0.2.7" }));
}
