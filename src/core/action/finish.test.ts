import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../duration.ts";
import { account } from "./account.ts";
import { decide } from "./decide.ts";
import { type Ending, finish, recover } from "./finish.ts";
import type { ActionPlan, Missed } from "./plan.ts";
import { type ActionState, newState } from "./state.ts";

const T = Date.parse("2026-03-10T10:00Z");
const DUE = T + 5 * MINUTE;
const plan: ActionPlan = { schedule: { every: 5 * MINUTE }, jitter: 0, missed: "once", enabled: true };
const idle = newState("scan", "every 5m", T);
const running = (more: Partial<ActionState> = {}): ActionState => ({
  ...idle,
  settledTo: DUE,
  running: { runId: "r", dueAt: DUE, startedAt: DUE, attempt: 1 },
  ...more,
});
const done = (more: Partial<Ending & { kind: "done" }> = {}): Ending => ({
  kind: "done",
  sent: [],
  memory: {},
  ...more,
});
const failed: Ending = { kind: "failed", problem: "no route" };
const rule = { missed: "once" as Missed, tellAfter: 3 };
const end = (state: ActionState, ending: Ending) => finish(state, ending, rule, DUE + 7);

describe("the end of a run", () => {
  it("says nothing where it has nothing to say, and is in the history", () => {
    const change = end(running(), done({ metadata: { scanned: 3 }, memory: { seen: [1] } }));
    expect(change.say).toEqual([]);
    expect(change.runs).toEqual([
      {
        action: "scan",
        id: "r",
        dueAt: DUE,
        startedAt: DUE,
        endedAt: DUE + 7,
        outcome: "done",
        metadata: { scanned: 3 },
      },
    ]);
    expect(change.state).toEqual({
      ...idle,
      settledTo: DUE,
      lastRun: { id: "r", dueAt: DUE, startedAt: DUE, endedAt: DUE + 7, outcome: "done" },
      session: { said: [], memory: { seen: [1] } },
    });
  });

  it("says its message under a key that is the same whenever this instant is run", () => {
    const { say, state } = end(running(), done({ message: "Found 2", sent: ["one", "two"] }));
    expect(say?.map(({ key, text }) => [key, text])).toEqual([
      [`action:scan:${DUE}:1`, "one"],
      [`action:scan:${DUE}:2`, "two"],
      [`action:scan:${DUE}`, "Found 2"],
    ]);
    expect(state.session.said.map(({ text }) => text)).toEqual(["one", "two", "Found 2"]);
  });

  it("remembers the newest of what it said, and no more than that", () => {
    const said = Array.from({ length: 50 }, (_, n) => ({ at: n, text: String(n) }));
    const { state } = end(running({ session: { said, memory: {} } }), done({ message: "new" }));
    expect(state.session.said).toHaveLength(50);
    expect(state.session.said.at(0)?.text).toBe("1");
    expect(state.session.said.at(-1)?.text).toBe("new");
  });

  it.each([
    [0, false, failed, 1, undefined, undefined, "one failure is not told"],
    [2, false, failed, 3, true, "Action scan failed 3 times in a row: no route", "the third is told"],
    [3, true, failed, 4, true, undefined, "no other one is told after that"],
    [2, false, done(), 0, undefined, undefined, "a success ends what nobody was told of, without a word"],
    [5, true, done(), 0, undefined, "Action scan works again", "a success ends what was told, and says so"],
    [5, true, done({ skipped: "no-source" }), 5, true, undefined, "a skipped run is neither"],
    [5, true, { kind: "stopped" } as Ending, 5, true, undefined, "a run that we stopped is neither"],
  ] as const)("after %d failures, told %s: %j", (failures, told, ending, then, thenTold, text, _why) => {
    const { state, say } = end(running({ failures, ...(told ? { told } : {}) }), ending);
    expect([state.failures, state.told, say?.[0]?.text]).toEqual([then, thenTold, text]);
  });

  it("that fails forgets what the run remembered", () => {
    const session = { said: [], memory: { seen: 1 } };
    expect(end(running({ session }), failed).state.session).toBe(session);
  });

  it.each(["timed-out", "abandoned"] as const)("%s counts as a failure", (kind) => {
    const { state, runs } = end(running(), { kind, problem: "late" });
    expect([state.failures, runs?.[0]?.outcome, runs?.[0]?.problem]).toEqual([1, kind, "late"]);
  });

  it.each([
    ["once", 1, undefined, DUE],
    ["all", 1, undefined, DUE],
    ["skip", 1, undefined, undefined],
    ["once", 2, undefined, undefined],
    ["once", 1, true, undefined],
  ] as const)(
    "by a crash or a stop: policy %s, attempt %d, by hand %s: again %s",
    (missed, n, manual, again) => {
      const was = { runId: "r", dueAt: DUE, startedAt: DUE, attempt: n, ...(manual ? { manual } : {}) };
      const state = running({ running: was });
      const crashed = recover(state, missed, DUE + 9);
      expect([crashed.runs?.[0]?.outcome, crashed.state.again, crashed.state.running]).toEqual([
        "crashed",
        again,
        undefined,
      ]);
      const stopped = finish(state, { kind: "stopped" }, { ...rule, missed }, DUE + 9);
      expect([stopped.runs?.[0]?.reason, stopped.state.again]).toEqual(["stopped", again]);
    },
  );

  it("is nothing to recover from where nothing ran", () => {
    expect(recover(idle, "once", T)).toEqual({ state: idle });
  });
});

describe("skips in a row", () => {
  const look = (state: ActionState, now: number, busy = false, more: Partial<ActionPlan> = {}) => {
    const rules = { ...plan, ...more };
    return account(rules, state, decide(rules, state, now, busy), now);
  };

  it("for one reason are one entry with a count", () => {
    let change = look(idle, DUE, false, { enabled: false });
    for (let n = 2; n <= 4; n++) change = look(change.state, T + n * 5 * MINUTE, false, { enabled: false });
    expect(change.runs).toEqual([
      {
        action: "scan",
        id: `scan@${DUE}/disabled`,
        dueAt: T + 20 * MINUTE,
        endedAt: T + 20 * MINUTE,
        outcome: "skipped",
        reason: "disabled",
        from: DUE,
        count: 4,
      },
    ]);
  });

  it("do not reach over a run", () => {
    const first = look(running(), T + 10 * MINUTE, true).state;
    const ended = end(first, done()).state;
    const second = look(ended, T + 15 * MINUTE).state;
    const { runs } = look(second, T + 20 * MINUTE, true);
    expect(runs?.[0]).toMatchObject({ reason: "overlap", from: T + 20 * MINUTE, count: 1 });
  });

  it("are an entry each, where they tell that the clock was set back", () => {
    const first = look({ ...idle, settledTo: T + 9 * HOUR }, T + 5 * HOUR);
    const second = look({ ...first.state, settledTo: T + 5 * HOUR }, T);
    expect([first.runs?.[0]?.id, second.runs?.[0]?.id]).toEqual([
      `scan@${T + 5 * HOUR}/clock-set-back`,
      `scan@${T}/clock-set-back`,
    ]);
  });

  it("for another reason are another entry", () => {
    const first = look(idle, DUE, false, { enabled: false }).state;
    const { runs } = look(first, T + 10 * MINUTE, true);
    expect(runs?.[0]).toMatchObject({ reason: "overlap", count: 1 });
  });

  it("that the action itself asks for are one entry too", () => {
    const first = end(running(), done({ skipped: "no-source" }));
    const next = look(first.state, T + 10 * MINUTE).state;
    const second = end(next, done({ skipped: "no-source" }));
    expect(second.runs).toEqual([
      expect.objectContaining({ id: first.runs?.[0]?.id, reason: "no-source", from: DUE, count: 2 }),
    ]);
    const third = end(look(second.state, T + 15 * MINUTE).state, done());
    expect(third.state.skipped).toBeUndefined();
  });
});
