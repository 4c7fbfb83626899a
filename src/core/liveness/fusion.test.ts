import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../duration.ts";
import { fuse } from "./fusion.ts";
import type { Reading, ScreenRead, Signal } from "./observation.ts";

const T = Date.UTC(2026, 2, 29, 1);

/** What a source said: since when, and when it was last looked at or heard, in seconds. */
function says(
  signal: Signal,
  reading: Reading,
  at: number,
  seen = at,
  more: Partial<ScreenRead> = {},
): ScreenRead {
  const [began, seenAt] = [T + at * SECOND, T + seen * SECOND];
  return {
    ...{ kind: "reading", signal, at: began, seenAt, reading, context: "model", progressAt: seenAt },
    ...more,
  };
}
const at = (seconds: number, ...readings: ScreenRead[]) => {
  const { reading, next, dissent } = fuse(readings, T + seconds * SECOND);
  const then = Number.isFinite(next) ? (next - T) / SECOND : undefined;
  return { reading: reading?.reading, from: reading?.signal, next: then, disagree: dissent !== undefined };
};
const tool = { context: "tool" } as const;

describe("who is believed", () => {
  it.each<[string, number, ScreenRead[], Reading | undefined]>([
    ["nobody, if nobody says anything", 0, [], undefined],
    [
      "the end of a turn, for a minute against a screen that works",
      60,
      [says("hook", "idle", 0), says("tmux", "working", 10, 58)],
      "idle",
    ],
    [
      "but for 6 s only, if the client tells nothing but the ends of its turns",
      16,
      [says("hook", "idle", 0, 0, { endsOnly: true }), says("tmux", "working", 10, 15)],
      "working",
    ],
    ["the screen alone", 10, [says("tmux", "waiting", 5)], "waiting"],
    ["the hook alone, however old", 9000, [says("hook", "working", 0)], "working"],
    [
      "the hook, where the screen says the same",
      10,
      [says("hook", "idle", 5), says("tmux", "idle", 4, 6)],
      "idle",
    ],
    [
      "the screen that promotes work to waiting",
      10,
      [says("hook", "working", 0), says("tmux", "waiting", 5)],
      "waiting",
    ],
    [
      "the hook that tells of work after the screen was looked at",
      10,
      [says("hook", "working", 8), says("tmux", "waiting", 1, 5)],
      "working",
    ],
    [
      "the screen again, if it has not changed for long since the hook",
      40,
      [says("hook", "working", 8), says("tmux", "waiting", 1, 5)],
      "waiting",
    ],
    [
      "the hook, against a screen that looks idle for a moment",
      13,
      [says("hook", "working", 0), says("tmux", "idle", 8, 12)],
      "working",
    ],
    [
      "the screen that showed work after the hook, and then turned idle",
      14,
      [says("hook", "working", 0), says("tmux", "idle", 8, 12)],
      "idle",
    ],
    [
      "the hook, against a screen that was idle all the time",
      14,
      [says("hook", "working", 0), says("tmux", "idle", 3, 12)],
      "working",
    ],
    [
      "an idle screen at once, if the transcript wrote after the hook that the turn is over",
      13,
      [says("hook", "working", 0), says("tmux", "idle", 8, 12), says("transcript", "idle", 7, 9)],
      "idle",
    ],
    [
      "the transcript that wrote after the hook that the turn is over, also under a tool",
      13,
      [says("hook", "working", 0, 0, tool), says("transcript", "idle", 7, 9)],
      "idle",
    ],
    [
      "the hook whose turn is over, against a transcript that was not written on and never tells of an end",
      90,
      [says("hook", "idle", 5, 6), says("transcript", "working", 1, 80, { progressAt: T + 7 * SECOND })],
      "idle",
    ],
    [
      "the transcript that was written on for a minute after the hook's turn was over",
      120,
      [says("hook", "idle", 5, 6), says("transcript", "working", 40, 110)],
      "working",
    ],
    [
      "the screen that shows why, where the transcript says that the turn is over",
      20,
      [says("hook", "working", 0), says("tmux", "login", 8, 12), says("transcript", "idle", 7, 15)],
      "login",
    ],
    [
      "the transcript, where the screen showed a dialog before the turn was over",
      20,
      [says("tmux", "waiting", 3, 5), says("transcript", "idle", 7, 15)],
      "idle",
    ],
    [
      "the hook that tells of work after the transcript wrote of an earlier end",
      13,
      [says("hook", "working", 0, 8), says("tmux", "idle", 8, 12), says("transcript", "idle", 7, 9)],
      "working",
    ],
    [
      "the hook, while the screen shows work after the end that the transcript wrote",
      13,
      [says("hook", "working", 0), says("tmux", "working", 8, 12), says("transcript", "idle", 7, 9)],
      "working",
    ],
    [
      "the hook that waits, against a screen that shows work",
      3000,
      [says("hook", "waiting", 0), says("tmux", "working", 5, 2990)],
      "waiting",
    ],
    [
      "the hook that waits, against an idle screen",
      3000,
      [says("hook", "waiting", 0), says("tmux", "idle", 5, 2990)],
      "waiting",
    ],
    [
      "the screen that saw the dialog go",
      20,
      [says("hook", "waiting", 0), says("tmux", "working", 9, 9, { askedAt: T + 3 * SECOND })],
      "working",
    ],
    [
      "the hook, if that dialog was an earlier one",
      20,
      [says("hook", "waiting", 5), says("tmux", "working", 9, 9, { askedAt: T + 3 * SECOND })],
      "waiting",
    ],
    [
      "the transcript that went on after the question",
      20,
      [says("hook", "waiting", 5), says("transcript", "idle", 9)],
      "idle",
    ],
    [
      "the hook that works, against a screen that is idle for a moment",
      10,
      [says("hook", "working", 0), says("tmux", "idle", 5, 9)],
      "working",
    ],
    [
      "the screen that stays idle: somebody pressed Esc",
      30,
      [says("hook", "working", 0), says("tmux", "idle", 5, 9)],
      "idle",
    ],
    [
      "the hook of a tool, against a screen that is idle for half a minute",
      40,
      [says("hook", "working", 0, 0, tool), says("tmux", "idle", 5, 9)],
      "working",
    ],
    [
      "the screen that is idle under a tool for over a minute",
      70,
      [says("hook", "working", 0, 0, tool), says("tmux", "idle", 5, 9)],
      "idle",
    ],
    [
      "the hook whose turn is over, against a screen that still moves",
      30,
      [says("hook", "idle", 0), says("tmux", "working", 5, 29)],
      "idle",
    ],
    [
      "the screen that moves for over a minute after that",
      70,
      [says("hook", "idle", 0), says("tmux", "working", 5, 69)],
      "working",
    ],
    ["the screen that shows a limit", 10, [says("hook", "idle", 0), says("tmux", "limited", 5)], "limited"],
    [
      "the screen, once the hook is too old",
      16 * 60,
      [says("hook", "working", 0), says("tmux", "idle", 1, 900)],
      "idle",
    ],
    ["the newer of a hook and a beat", 10, [says("hook", "working", 0), says("beat", "idle", 5)], "idle"],
    ["nobody, once the beats with the state are over", 2 * 3600, [says("beat", "idle", 0)], undefined],
  ])("%s", (_, now, readings, reading) => {
    expect(at(now, ...readings).reading).toBe(reading);
  });

  it("a spinner shows how the work goes on that the hook tells of", () => {
    const { reading } = fuse(
      [says("hook", "working", 0, 0, tool), says("tmux", "spinning", 5, 9)],
      T + 10 * SECOND,
    );
    expect(reading).toMatchObject({
      signal: "hook",
      reading: "spinning",
      context: "tool",
      progressAt: T + 9 * SECOND,
    });
  });

  it("time that would change it is named", () => {
    expect(at(10, says("hook", "working", 0), says("tmux", "idle", 5, 9)).next).toBe(25);
    expect(at(10, says("hook", "working", 8), says("tmux", "waiting", 1, 5)).next).toBe(38);
    expect(at(10, says("tmux", "working", 5)).next).toBeUndefined();
  });

  it("a limit counts a minute longer than it lasts", () => {
    const limit = says("hook", "limited", 0, 0, { resetAt: T + HOUR });
    expect(fuse([limit, says("tmux", "idle", 5)], T + HOUR).reading?.reading).toBe("limited");
    expect(fuse([limit, says("tmux", "idle", 5)], T + HOUR + MINUTE).reading?.reading).toBe("idle");
  });

  it("a question is believed for a day", () => {
    const asks = says("hook", "waiting", 0);
    expect(fuse([asks, says("tmux", "working", 5)], T + DAY - 1).reading?.reading).toBe("waiting");
    expect(fuse([asks, says("tmux", "working", 5)], T + DAY).reading?.reading).toBe("working");
  });
});

describe("a state that came without a token", () => {
  const claims = (reading: Reading, seconds: number) =>
    says("beat", reading, seconds, seconds, { unproven: true });
  it.each<[string, ScreenRead[], Reading]>([
    ["ends no question on the screen", [says("tmux", "waiting", 0), claims("working", 5)], "waiting"],
    ["ends no limit", [says("tmux", "limited", 0), claims("idle", 5)], "limited"],
    ["ends no question of a hook", [says("hook", "waiting", 0), claims("working", 5)], "waiting"],
    [
      "ends no question of the agent's own beats",
      [says("beat", "waiting", 0), claims("working", 5)],
      "waiting",
    ],
    ["takes the place of no limit", [says("beat", "limited", 0), claims("waiting", 5)], "limited"],
    ["counts where nothing speaks against it", [claims("waiting", 5)], "waiting"],
  ])("%s", (_, readings, reading) => {
    expect(at(60, ...readings).reading).toBe(reading);
  });
});

it("a state that came without a token counts again when the proven one counts no more", () => {
  const [asked, claim] = [
    says("beat", "waiting", 0),
    says("beat", "working", 3500, 3500, { unproven: true }),
  ];
  expect(at(3599, asked, claim)).toMatchObject({ reading: "waiting", next: 3600 });
  expect(at(3600, asked, claim).reading).toBe("working");
});

describe("sources that disagree", () => {
  const [hook, screen] = [says("hook", "idle", 0), says("tmux", "working", 5, 300)];
  it("are evidence after a minute", () => {
    expect(at(64, hook, screen)).toMatchObject({ disagree: false, next: 65 });
    expect(at(65, hook, screen).disagree).toBe(true);
  });
  it("are none if they say the same in other words", () => {
    expect(at(600, says("hook", "working", 0), says("tmux", "spinning", 5)).disagree).toBe(false);
  });
});
