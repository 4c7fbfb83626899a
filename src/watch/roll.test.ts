import { expect, it } from "vitest";
import { MINUTE } from "../core/duration.ts";
import { FULL_TRUST } from "../core/liveness/trust.ts";
import { Roll } from "./roll.ts";
import { hear, judged, newPlace } from "./roll-place.ts";

const NOW = 1_800_000_000_000;
const place = (id: string) =>
  newPlace({ id, rule: { every: MINUTE, grace: MINUTE }, origin: "beat", addedAt: NOW });

it("counts who is in which state, as agents join, change and leave", () => {
  const roll = new Roll();
  roll.put(place("ann"));
  roll.put(place("bob"));
  expect(roll.counts).toEqual({ new: 2 });
  const beat = {
    id: "1",
    agent: "ann",
    source: "agent",
    status: "ok",
    sentAt: NOW,
    receivedAt: NOW,
  } as const;
  roll.put(judged(hear(place("ann"), beat, NOW, FULL_TRUST), NOW, FULL_TRUST).place);
  expect(roll.counts).toEqual({ new: 1, alive: 1 });
  roll.drop("ann");
  roll.drop("nobody");
  expect(roll.counts).toEqual({ new: 1, alive: 0 });
});
