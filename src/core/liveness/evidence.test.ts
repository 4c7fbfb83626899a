import { describe, expect, it } from "vitest";
import {
  active,
  begun,
  blind,
  broken,
  ended,
  fronted,
  gone,
  heard,
  m,
  madeUp,
  present,
  reads,
  work,
  wrapped,
} from "./case.fixture.ts";
import { evidenceOf } from "./evidence.ts";

describe("the evidence", () => {
  it("says what a signal saw only before its agent ended, until it sees a new life", () => {
    const own = { signal: "tmux" } as const;
    const ended = [present(5, own), reads("working", 1, 5), fronted("program", 1, 5), gone(5, 6, own)];
    const said = (facts: typeof ended) =>
      evidenceOf(madeUp(20, { observations: facts })).filter(({ says }) =>
        says.startsWith("before it ended"),
      );
    expect(said(ended)).toHaveLength(3);
    expect(said([...ended, present(6, { signal: "process" })])).toHaveLength(3);
    expect(said([present(7, own), reads("working", 1, 7), gone(5, 6, own)])).toEqual([]);
  });

  it("is everything that was known, newest first, and what we did not watch", () => {
    const observations = [
      heard(1, { host: "ann", message: "hi" }),
      wrapped(2),
      begun(3),
      ended(4, { ok: false }),
      present(5),
      gone(6, 7, { exit: "status 1" }),
      active(8, 9),
      reads("waiting", 10, 11, 9, { detail: "permission" }),
      work(12, true),
      work(13, false),
    ];
    const evidence = evidenceOf(
      madeUp(20, { observations, pausedAt: m(14), trust: { blind: [blind(15, 16, "lag")] } }),
    );
    expect(evidence.map(({ signal, says }) => `${signal}: ${says}`)).toEqual([
      "watcher: did not watch for 1 min (lag)",
      "operator: paused",
      "transcript: work is recorded as done",
      "transcript: work is recorded as in progress",
      "tmux: shows waiting (permission); last progress 2025-01-15T12:09:00Z",
      "log: last activity 2025-01-15T12:08:00Z",
      "process: gone (status 1), did not end cleanly",
      "process: before it ended: present",
      "beat: cycle 7 ended with an error",
      "beat: cycle 7 began",
      "beat: wrapper's beat, status ok",
      "beat: beat from ann, status ok: hi",
    ]);
  });

  it("names a signal that is broken, with its problem", () => {
    const evidence = evidenceOf(madeUp(9, { observations: [heard(8), broken(6, "tmux")] }));
    expect(evidence).toContainEqual({
      signal: "tmux",
      at: m(6),
      says: "could not be checked: no such pane",
    });
  });

  it.each([
    ["program", "foreground program: node"],
    ["shell", "foreground program: bash (a shell)"],
    ["suspended", "foreground program: bash (a shell); its program is suspended"],
    ["background", "foreground program: bash (a shell); its program runs in the background"],
  ] as const)("says which program is in front: %s", (front, says) => {
    expect(evidenceOf(madeUp(9, { observations: [fronted(front, 1, 2)] }))).toMatchObject([{ says }]);
  });
});
