import { expect, it } from "vitest";
import { HOUR } from "../duration.ts";
import { covers, type Silence, silencedUntil } from "./policy.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const MUTE: Silence = { id: "s", agents: "*", from: NOON, until: NOON + HOUR, why: "", by: "anna" };
const AGENT = { id: "web-1", group: "web" };

it.each<[string, Partial<Silence>, number, boolean]>([
  ["covers an agent that its pattern matches", { agents: "web-*" }, NOON, true],
  ["covers no agent of another name", { agents: "build-*" }, NOON, false],
  ["covers the agents of its group", { group: "web" }, NOON, true],
  ["covers no agent of another group", { group: "build" }, NOON, false],
  [
    "covers nothing if only its pattern or only its group fits",
    { agents: "web-2", group: "web" },
    NOON,
    false,
  ],
  ["covers nothing before it begins", {}, NOON - 1, false],
  ["covers until its last moment", {}, NOON + HOUR - 1, true],
  ["covers nothing once it is over", {}, NOON + HOUR, false],
])("a mute %s", (_, more, now, is) => {
  expect(covers({ ...MUTE, ...more }, AGENT, now)).toBe(is);
});

it("a mute of a group does not cover an agent whose group is not known", () => {
  expect(covers({ ...MUTE, group: "web" }, { id: "web-1" }, NOON)).toBe(false);
});

it("an agent that several mutes cover is muted until the last of them ends", () => {
  const later = { ...MUTE, until: NOON + 2 * HOUR };
  const others = { ...MUTE, group: "build", until: NOON + 3 * HOUR };
  expect(silencedUntil([later, MUTE, others], "web-1", NOON, "web")).toBe(NOON + 2 * HOUR);
  expect(silencedUntil([others], "web-1", NOON, "web")).toBeUndefined();
});
