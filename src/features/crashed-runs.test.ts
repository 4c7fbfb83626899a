import { describe, expect, it } from "vitest";
import { type Journal, writeJournal } from "../agent/journal.ts";
import type { Agent } from "../core/agent.ts";
import { iso, MINUTE } from "../core/duration.ts";
import type { Gone } from "../core/liveness/observation.ts";
import { madeUpProc, temporaryFolder } from "../signals/kit/signals.fixture.ts";
import { openProc } from "../system/proc.ts";
import { newPlace, type RollPlace } from "../watch/roll-place.ts";
import { crashedRuns } from "./crashed-runs.ts";

const NOON = Date.UTC(2026, 10, 18, 12);
const life = (pid: number) => ({ pid, startTime: "100", bootId: "boot-1" });
const largo: Agent = { id: "largo", origin: "config", addedAt: NOON };

/** A home in which a cycle of an agent is under way. */
function world(more: Partial<Journal> = {}, agent: Agent = largo) {
  const home = temporaryFolder();
  const made = madeUpProc();
  let place: RollPlace | undefined = newPlace(agent);
  const write = (journal: Partial<Journal> = {}) =>
    writeJournal(
      {
        ...{ agent: agent.id, cycle: 4, beganAt: iso(NOON) },
        ...{ incarnation: life(7), wrapper: life(6), ...more, ...journal },
      },
      home,
    );
  made.put(6);
  made.put(7);
  write();
  const look = () => crashedRuns(home, () => place, openProc(made.root));
  return {
    ...{ made, write, look, find: look() },
    kill: () => {
      made.remove(6);
      made.remove(7);
    },
    change: (change: (place: RollPlace) => RollPlace | undefined) => {
      place = place && change(place);
    },
  };
}

const gone = (at: number, seenAt: number): Gone => ({
  ...{ kind: "gone", signal: "process", at, seenAt, clean: false, incarnation: life(7) },
});

describe("a cycle that crashed with the process that looked after it", () => {
  it("is told once, dated when it was last seen", () => {
    const { find, kill } = world();
    expect(find(NOON + MINUTE)).toEqual([]);
    kill();
    expect(find(NOON + 2 * MINUTE)).toEqual([
      { agent: "largo", facts: [gone(NOON + MINUTE, NOON + 2 * MINUTE)], memories: {} },
    ]);
    expect(find(NOON + 3 * MINUTE)).toEqual([]);
  });

  it("that nobody watched is dated at its beginning", () => {
    const { find, kill } = world();
    kill();
    expect(find(NOON + MINUTE)).toMatchObject([{ facts: [gone(NOON, NOON + MINUTE)] }]);
  });

  it("is not told again after a restart", () => {
    const { look, kill, change } = world();
    kill();
    const [found] = look()(NOON + MINUTE);
    change((place) => ({ ...place, entry: { ...place.entry, observations: found?.facts ?? [] } }));
    expect(look()(NOON + 2 * MINUTE)).toEqual([]);
  });

  it("is told after the pause, or once its agent is on the roll", () => {
    const { find, kill, change } = world({}, { ...largo, pausedAt: NOON });
    kill();
    expect(find(NOON + MINUTE)).toEqual([]);
    change((place) => ({ ...place, agent: largo }));
    expect(find(NOON + 2 * MINUTE)).toHaveLength(1);
  });
});

describe("nothing is told", () => {
  it("of a cycle that ended, although it began to be looked at before that", () => {
    const { find, write, kill } = world();
    find(NOON);
    kill();
    write({ outcome: "ok" });
    expect(find(NOON + MINUTE)).toEqual([]);
  });

  it("as long as the process that looks after it may still tell", () => {
    const { made, find } = world();
    made.remove(7);
    expect(find(NOON + MINUTE)).toEqual([]);
    made.remove(6);
    expect(find(NOON + 2 * MINUTE)).toHaveLength(1);
  });

  it("of a cycle in a container, whose pids mean other processes here", () => {
    const { find, kill } = world({ pidNamespace: "pid:[1]" });
    kill();
    expect(find(NOON + MINUTE)).toEqual([]);
  });

  it("of an agent whose process a signal follows, or that its own host judges", () => {
    for (const agent of [
      { ...largo, signals: { process: { journal: true } } },
      { ...largo, origin: "host" as const },
    ]) {
      const { find, kill } = world({}, agent);
      kill();
      expect(find(NOON + MINUTE)).toEqual([]);
    }
  });
});
