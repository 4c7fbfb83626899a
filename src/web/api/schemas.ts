import * as z from "zod";
import { SCOPES } from "../../core/access/token.ts";
import { HOST_KINDS } from "../../core/host-kind.ts";
import { STATES, type State } from "../../core/liveness/state.ts";

// What the API answers with. The OpenAPI document is made of these, and a test holds the answers against them.

export const time = z.iso.datetime().describe("ISO 8601, UTC, milliseconds");
const orNull = <T extends z.ZodType>(schema: T) => schema.nullable();
const text = z.string();

export const state = z.enum(Object.keys(STATES) as [State, ...State[]]).meta({ id: "State" });

export const counts = z
  .partialRecord(state, z.int())
  .describe("how many agents are in each state, of the whole roll");

const rule = z.union([
  z.strictObject({ every: text, grace: text }),
  z.strictObject({ schedule: text, timezone: text, grace: text }),
]);

export const evidence = z.strictObject({ signal: text, at: time, says: text }).meta({ id: "Evidence" });

export const agent = z
  .strictObject({
    id: text,
    name: orNull(text),
    group: text,
    state,
    reason: text,
    why: text,
    since: time,
    lastBeatAt: orNull(time),
    cycle: orNull(z.int()),
    action: orNull(text),
    status: orNull(z.enum(["ok", "error"])),
    message: orNull(text),
    source: orNull(z.enum(["agent", "wrapper"])),
    host: orNull(text),
    origin: z.enum(["config", "added", "beat", "host", "watcher"]),
    rule: orNull(rule),
    acknowledgedBy: text.optional().describe("who acknowledged its open incident, if a person did"),
    mutedUntil: time.optional().describe("until when its alerts are muted, if they are"),
    pingUuid: orNull(text).describe("for /ping/<uuid>; null for those who may not beat"),
    evidence: z.array(evidence).optional(),
    row: z.int().optional(),
    outlook: z.array(z.strictObject({ at: time, state, reason: text })).optional(),
  })
  .meta({ id: "Agent" });

const share = z.number().min(0).max(1);
const tokens = z.number().min(0);

export const usage = z
  .strictObject({
    agent: text,
    session: orNull(z.strictObject({ client: text, id: text })),
    at: orNull(time),
    context: orNull(share).describe("how full the context of its session is"),
    limits: z.array(
      z.strictObject({
        name: z.enum(["5h", "7d"]),
        left: share,
        resetsAt: orNull(time),
        runsOutAt: orNull(time).describe("at the present pace; null if it is reset before"),
      }),
    ),
    days: z.array(
      z.strictObject({
        day: text,
        ...{ tokens, input: tokens, output: tokens, cacheRead: tokens, cacheWrite: tokens },
        cost: z.number().min(0).describe("in US dollars"),
        compactions: z.int(),
      }),
    ),
  })
  .meta({ id: "Usage" });

export const host = z
  .strictObject({
    name: text,
    kind: z.enum(HOST_KINDS),
    state: orNull(state),
    why: orNull(text),
    lastContactAt: orNull(time),
    joinedAt: time,
    version: text,
    clockOffset: orNull(z.int()).meta({ description: "milliseconds that are added to its times" }),
    backlog: z.int(),
    dropped: z.int(),
    agents: z.partialRecord(state, z.int()),
  })
  .meta({ id: "Host" });

export const invitation = z.strictObject({ url: text, code: text, name: text, kind: text, expiresAt: time });

const failing = z.strictObject({
  ...{ place: text, undelivered: z.int(), since: time, attempts: z.int(), problem: text },
});

export const channel = z
  .strictObject({
    name: text,
    kind: text,
    lastSentAt: orNull(time),
    sent: z.int().describe("messages of the last 24 hours that arrived"),
    lost: z.int().describe("messages of the last 24 hours that were refused or given up"),
    waiting: z.int().describe("messages of the last 24 hours that are still to be sent"),
    failing: orNull(failing),
  })
  .meta({ id: "Channel" });

export const watcher = z
  .strictObject({
    running: z.literal(true),
    pid: z.int(),
    host: text,
    version: text,
    startedAt: time,
    url: text,
    hub: z.boolean().describe("whether other hosts may report to it"),
    reportsTo: orNull(
      z.strictObject({
        url: text,
        host: text,
        state: z.enum(["in contact", "out of contact", "refused", "not tried yet"]),
        since: time,
        problem: orNull(text),
      }),
    ).describe("the hub that it reports to"),
    home: text,
    configFile: orNull(text),
    configLoadedAt: time,
    needsRestart: z.array(text).optional(),
    lastCrash: orNull(z.looseObject({})),
    blindSince: orNull(time),
    storeEvents: z.array(z.strictObject({ code: text, at: time, what: text, lost: text })),
    badSpoolFiles: z.int(),
    refusedBeat: orNull(z.strictObject({ at: time, why: text })),
    failingChannels: z.array(failing),
    hooks: z.array(z.strictObject({ client: text, events: z.int(), lastEventAt: orNull(time) })),
  })
  .meta({ id: "Watcher" });

const incarnation = z.strictObject({ pid: z.int(), startTime: text, bootId: text });
const outcome = z.enum(["ok", "error", "crashed", "killed"]);

export const beat = z
  .strictObject({
    id: text,
    agent: text,
    source: z.enum(["agent", "wrapper"]),
    status: z.enum(["ok", "error"]),
    host: text.optional(),
    incarnation: incarnation.optional(),
    cycle: z.int().optional(),
    cycleEvent: z.enum(["begun", "ended"]).optional(),
    outcome: outcome.optional(),
    action: text.optional(),
    message: text.optional(),
    state: z.enum(["working", "waiting", "limited", "idle", "done"]).optional(),
    asks: z.strictObject({ question: text, choices: z.array(text).optional() }).optional(),
    until: time.optional(),
    sentAt: time,
    receivedAt: time,
    spooled: z.boolean().optional(),
    unproven: z.boolean().optional(),
  })
  .meta({ id: "Beat" });

export const flip = z
  .strictObject({ agent: text, from: state, to: state, reason: text, why: text, at: time, noticedAt: time })
  .meta({ id: "Flip" });

export const cycle = z
  .strictObject({
    agent: text,
    number: z.int(),
    beganAt: time,
    lastAt: time,
    lastAction: text.optional(),
    endedAt: orNull(time),
    outcome: z.enum([...outcome.options, "superseded"]).optional(),
    incarnation: incarnation.optional(),
  })
  .meta({ id: "Cycle" });

export const ping = z
  .strictObject({
    agent: text,
    number: z.int(),
    kind: z.enum(["success", "start", "fail", "log"]),
    at: time,
    method: text,
    userAgent: text,
    exitCode: orNull(z.int()),
    rid: orNull(text),
    body: orNull(text).describe("its first 10,000 bytes, in base64"),
  })
  .meta({ id: "Ping" });

export const incident = z
  .strictObject({
    id: text,
    kind: z.enum(["agent", "group", "reboot"]),
    subject: text,
    group: text,
    host: orNull(text).describe(
      "the host of its agent, or the host that is out of contact; null for agents of this watcher",
    ),
    state,
    reason: text,
    why: text,
    severity: z.enum(["warning", "critical"]),
    flapping: z.boolean(),
    open: z.boolean(),
    openedAt: time,
    reopenedAt: orNull(time).describe(
      "when trouble came back within ten minutes after it was over, for the last time",
    ),
    since: time.describe("since when it is in its present state"),
    noticedAt: time.describe("when Rollcall noticed that state"),
    times: z.int(),
    acknowledged: orNull(z.strictObject({ at: time, by: text })),
    resolved: orNull(z.strictObject({ at: time, how: text, why: text, by: text.optional() })),
    escalatedAt: orNull(time),
    spokenForBy: orNull(text),
    members: orNull(z.array(text)),
    queued: z
      .array(z.strictObject({ place: text, at: time, reminders: z.int() }))
      .describe("what was last queued for each place while it is open; `told` says what arrived"),
    findings: orNull(z.strictObject({ at: time, items: z.array(z.strictObject({ title: text, text })) })),
    issue: orNull(z.strictObject({ forge: text, number: z.int(), url: text })),
    asked: orNull(
      z.strictObject({
        text,
        choices: z.array(z.strictObject({ number: z.int(), label: text })),
        fingerprint: text,
      }),
    ).describe("the question that the agent waits with, in its own words, if it could be read"),
  })
  .meta({ id: "Incident" });

const held = orNull(z.strictObject({ until: time, by: z.enum(["mute", "window", "quiet hours"]) })).describe(
  "what holds the message back, and until when",
);

export const delivery = z
  .strictObject({
    key: text,
    to: text,
    about: text,
    state: z.enum(["pending", "sending", "sent", "refused", "expired", "superseded"]),
    attempts: z.int(),
    message: z.looseObject({}),
    incident: orNull(text),
    batch: orNull(text),
    problem: orNull(text),
    createdAt: time,
    dueAt: time,
    triedAt: orNull(time).describe("when the last attempt ended"),
    endedAt: orNull(time),
    held: held.optional(),
  })
  .meta({ id: "Delivery" });

export const told = z
  .strictObject({
    place: text,
    deliveredAt: orNull(time).describe("when the first message arrived; null: not told yet"),
    delivered: z.int(),
    undelivered: z.int(),
    since: orNull(time).describe("since when the oldest message that did not arrive waits"),
    attempts: z.int(),
    problem: orNull(text).describe("how the last attempt failed"),
    dueAt: orNull(time).describe("when the first of the others will be sent, if none was tried yet"),
    held,
  })
  .meta({ id: "Told" });

export const silence = z
  .strictObject({
    id: text,
    agents: text,
    group: text.optional(),
    from: time,
    until: time,
    why: text,
    by: text,
  })
  .meta({ id: "Silence" });

export const token = z
  .strictObject({
    id: text,
    name: text,
    scope: z.enum(SCOPES),
    person: orNull(text),
    agent: orNull(text),
    pingKey: z.boolean(),
    createdAt: time,
    revokedAt: orNull(time),
  })
  .meta({ id: "Token" });

export const audit = z
  .strictObject({ at: time, who: text, what: text, from: orNull(text) })
  .meta({ id: "AuditEntry" });

export const session = z
  .strictObject({
    signedIn: z.boolean(),
    as: orNull(text),
    scope: orNull(z.enum(SCOPES)),
    expiresAt: orNull(time),
    may: z.strictObject({ read: z.boolean(), beat: z.boolean(), change: z.boolean() }),
    needs: orNull(z.literal("token")).describe("what is needed to change things"),
  })
  .meta({ id: "Session" });

export const problem = z
  .strictObject({ type: text, title: text, status: z.int(), code: text, detail: text })
  .meta({ id: "Problem" });

export const run = z
  .strictObject({
    id: text,
    action: text,
    outcome: z.enum(["done", "failed", "timed-out", "abandoned", "crashed", "skipped"]),
    dueAt: time,
    startedAt: orNull(time),
    endedAt: orNull(time),
    reason: orNull(text),
    from: orNull(time),
    count: orNull(z.int()),
    message: orNull(text),
    problem: orNull(text),
    metadata: z.unknown(),
  })
  .meta({ id: "Run" });

export const action = z
  .strictObject({
    name: text,
    description: text,
    schedule: text,
    timezone: text,
    words: text,
    enabled: z.boolean(),
    running: z.boolean(),
    nextAt: orNull(time),
    failures: z.int(),
    lastRun: orNull(run),
  })
  .meta({ id: "Action" });

const step = z.enum(["nudge", "restart", "release", "escalate"]);

export const nextStep = z
  .strictObject({ step: orNull(step), why: text, at: orNull(time) })
  .meta({ id: "NextStep" });

export const recovery = z
  .strictObject({
    id: text,
    incident: text,
    agent: text,
    step,
    state: z.enum(["planned", "acting", "done", "failed", "dropped"]),
    why: text,
    plannedAt: time,
    startedAt: orNull(time),
    endedAt: orNull(time),
  })
  .meta({ id: "Recovery" });

const tick = z.strictObject({
  status: z.enum(["healthy", "degraded", "critical", "offline", "missing", "invalid"]),
  submittedAt: orNull(time),
  issue: orNull(text).describe("the address of its root-cause issue"),
});

export const tickRow = z
  .strictObject({ id: text, name: text, ticks: z.record(text, tick) })
  .meta({ id: "TickRow" });
