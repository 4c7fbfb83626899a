import { describe, expect, it } from "vitest";
import type { BeatView, FlipView, IncidentView } from "../api/shapes.ts";
import { momentsOf, type ShownHistory } from "./timeline.ts";

const nothing: ShownHistory = { seen: [], beats: [], flips: [], cycles: [], incidents: [], recoveries: [] };
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const beat = (minute: number, more: Partial<BeatView> = {}) =>
  ({ receivedAt: at(minute), status: "ok", ...more }) as BeatView;

describe("the timeline of an agent", () => {
  it("is empty for one that was never heard", () => expect(momentsOf(nothing)).toEqual([]));

  it("draws beats together until something else happens", () => {
    const flip = { at: at(3), from: "alive", to: "late", why: "no beat", reason: "overdue" } as FlipView;
    const beats = [beat(5, { action: "sync" }), beat(4), beat(2), beat(1)];
    const moments = momentsOf({ ...nothing, beats, flips: [flip] });
    expect(moments.map(({ kind, count, text }) => [kind, count, text])).toEqual([
      ["beat", 2, "sync"],
      ["flip", undefined, "alive → late: no beat"],
      ["beat", 2, ""],
    ]);
    expect(moments[0]).toMatchObject({ at: Date.parse(at(4)), until: Date.parse(at(5)) });
  });

  it("never hides a beat that says error among others", () => {
    const beats = [beat(3), beat(2, { status: "error", message: "disk full" }), beat(1)];
    expect(momentsOf({ ...nothing, beats }).map(({ kind }) => kind)).toEqual(["beat", "error", "beat"]);
  });

  it("tells when it was last seen, by whatever signal, and no beat twice", () => {
    const seen = ["tmux", "beat"].map((signal) => ({ signal, at: at(2), says: "working" }));
    const moments = momentsOf({ ...nothing, seen, beats: [beat(2)] });
    expect(moments.map(({ kind, text }) => [kind, text])).toEqual([
      ["beat", ""],
      ["seen", "tmux: working"],
    ]);
  });

  it("tells the life of an incident", () => {
    const incident = {
      id: "x",
      openedAt: at(1),
      reopenedAt: null,
      since: at(1),
      why: "no beat",
      acknowledged: { at: at(2), by: "ada" },
      resolved: { at: at(3), why: "it beats again", how: "recovered" },
    } as IncidentView;
    const told = momentsOf({ ...nothing, incidents: [incident] }).map(({ text }) => text);
    expect(told).toEqual(["resolved: it beats again", "acknowledged by ada", "incident opened: no beat"]);
  });

  it.each([
    ["opened again", at(3), ["incident reopened: no beat", "incident opened"]],
    ["got worse", null, ["incident opened"]],
  ])("gives no earlier opening of an incident that %s the reason of its present state", (_, again, said) => {
    const times = { openedAt: at(1), reopenedAt: again, since: at(3) };
    const incident = { id: "x", ...times, why: "no beat", acknowledged: null, resolved: null };
    const moments = momentsOf({ ...nothing, incidents: [incident as IncidentView] });
    expect(moments.map(({ text }) => text)).toEqual(said);
  });
});
