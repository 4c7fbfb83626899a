import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE } from "../duration.ts";
import { boxesIn } from "./boxes.ts";
import { type FollowedIssue, type FollowUpPolicy, followUp, nextPoint, pointsPassed } from "./follow-up.ts";
import { draftOf } from "./issue.ts";
import { tickSubject } from "./tick-subject.ts";

const T0 = Date.parse("2026-04-04T18:00:00Z");
const subject = tickSubject(
  { agent: "allegro", result: "missing" },
  { month: "2026-04", now: T0, file: "f", text: "- [x] **T+1h**: hostile\n- [x] Root cause found" },
);
if (subject === undefined) throw new Error("no failure");
const { body } = draftOf(subject);
const fresh: FollowedIssue = { key: subject.key, createdAt: T0, state: "open", body, comments: [] };

/** Lives through eight days in quarters of an hour; what is said and ticked stands in the forge from then on. */
function live(
  events: readonly (readonly [number, (issue: FollowedIssue) => FollowedIssue])[] = [],
  from = 0,
): string[] {
  const seen: string[] = [];
  let issue = fresh;
  for (let t = from; t <= 8 * DAY; t += 15 * MINUTE) {
    for (const [at, change] of events) if (at <= t && at > t - 15 * MINUTE) issue = change(issue);
    const now = T0 + t;
    const before = boxesIn(issue.body)
      .filter(({ ticked }) => ticked)
      .map(({ text }) => text);
    const { body: ticked, say, recovery } = followUp(issue, now);
    if (recovery !== undefined) {
      issue = { ...issue, comments: [...issue.comments, { body: recovery.comment }] };
      seen.push(`${t / HOUR}h recovery`);
    }
    if (ticked !== undefined) issue = { ...issue, body: ticked };
    for (const box of boxesIn(issue.body)) {
      if (box.ticked && !before.includes(box.text)) seen.push(`${t / HOUR}h ticked ${box.text}`);
    }
    if (say !== undefined) {
      issue = { ...issue, comments: [...issue.comments, { body: say.comment }] };
      seen.push(`${t / HOUR}h ${say.how} ${say.point}`);
    }
  }
  return seen;
}

const comment = (issue: FollowedIssue): FollowedIssue => ({
  ...issue,
  comments: [...issue.comments, { body: "on it" }],
});
const tick =
  (text: string) =>
  (issue: FollowedIssue): FollowedIssue => ({
    ...issue,
    body: issue.body.replace(`- [ ] ${text}`, `- [x] ${text}`),
  });
const recover = (issue: FollowedIssue): FollowedIssue => ({
  ...issue,
  recovered: { at: T0 + 2 * HOUR, saw: "a beat, @everyone" },
});
const close = (issue: FollowedIssue): FollowedIssue => ({ ...issue, state: "closed" });

describe("following up from T+0 to T+8d", () => {
  it("reminds, reminds and escalates, each once, if nobody does anything", () => {
    expect(live()).toEqual(["1h remind T+1h", "24h remind T+24h", "168h escalate T+7d"]);
  });

  it("ticks what it can verify, and says nothing when all goes well", () => {
    const events = [
      [30 * MINUTE, comment],
      [5 * HOUR, tick("Root cause identified and documented")],
      [6 * HOUR, recover],
    ] as const;
    expect(live(events)).toEqual([
      "0.5h ticked **T+1h**: first response of the owner",
      "5h ticked **T+24h**: root cause submitted",
      "6h recovery",
      "6h ticked **T+7d**: resolution verified",
      "6h ticked Agent healthy again",
    ]);
  });

  it("takes an answer to each question for a root cause", () => {
    const answers = ["Error logs", "Code regression", "Monitoring", "Validation"];
    const events = answers.map((text, i) => [(i + 1) * HOUR, tick(text)] as const);
    expect(live(events)).toEqual([
      "1h remind T+1h",
      "4h ticked **T+24h**: root cause submitted",
      "168h escalate T+7d",
    ]);
  });

  it("recovery alone is no resolution, but it is ticked", () => {
    expect(live([[2 * HOUR, recover]])).toEqual([
      "1h remind T+1h",
      "2h recovery",
      "2h ticked Agent healthy again",
      "24h remind T+24h",
      "168h escalate T+7d",
    ]);
  });

  it("leaves a closed issue alone", () => {
    expect(
      live([
        [2 * HOUR, close],
        [3 * HOUR, comment],
      ]),
    ).toEqual(["1h remind T+1h"]);
  });

  it("tells only the last point after an outage", () => {
    expect(live([], 3 * DAY)).toEqual(["72h remind T+24h", "168h escalate T+7d"]);
  });

  it("keeps to what a person ticked by hand", () => {
    expect(live([[0, tick("**T+1h**: first response of the owner")]])).toEqual([
      "24h remind T+24h",
      "168h escalate T+7d",
    ]);
  });
});

it("boxes in an agent's text are no boxes, and its words no answers", () => {
  expect(
    boxesIn(body)
      .filter(({ ticked }) => ticked)
      .map(({ text }) => text),
  ).toEqual(["**T+0**: issue created (2026-04-04T18:00:00.000Z)"]);
});

it("says nothing where the policy says so", () => {
  const policy: FollowUpPolicy = {
    "T+1h": "nothing",
    "T+24h": "escalate",
    "T+7d": "nothing",
    closeOnRecovery: true,
  };
  expect(followUp(fresh, T0 + HOUR, policy)).toEqual({});
  expect(followUp(fresh, T0 + DAY, policy).say?.how).toBe("escalate");
  expect(followUp(recover(fresh), T0, policy).recovery).toMatchObject({ close: true });
});

it("says what it saw when the agent recovers, harmlessly, and closes only if it is told to", () => {
  expect(followUp(recover(fresh), T0).recovery).toEqual({
    close: false,
    comment: `<!-- rollcall:${subject.key}:recovered -->
**Recovery**: the agent is well again since 2026-04-04T20:00:00.000Z: \`a beat, @everyone\`. The issue stays open for its root cause.`,
  });
});

it.each([
  [0, [], HOUR],
  [HOUR - 1, [], HOUR],
  [HOUR, ["T+1h"], DAY],
  [2 * DAY, ["T+1h", "T+24h"], 7 * DAY],
  [8 * DAY, ["T+1h", "T+24h", "T+7d"], undefined],
])("%i ms after its creation the points %j have passed, and the next is at %s", (after, passed, next) => {
  expect(pointsPassed(1000, 1000 + after)).toEqual(passed);
  expect(nextPoint(1000, 1000 + after)).toBe(next === undefined ? undefined : 1000 + next);
});
