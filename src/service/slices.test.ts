import { expect, it } from "vitest";
import { newPlace } from "../watch/roll-place.ts";
import { firstAfter } from "./slices.ts";

it.each([1, 7, 1000, 6000])("finds the first %i after an id of a large roll in any order", async (count) => {
  const ids = Array.from({ length: 5000 }, (_, i) => `a${(i * 3877) % 5000}`);
  const places = ids.map((id) => newPlace({ id, origin: "beat", addedAt: 0 }));
  const even = (id: string) => Number(id.slice(1)) % 2 === 0;
  const found = await firstAfter(places, "a3", count, ({ agent }) => even(agent.id));
  const right = [...ids].sort().filter((id) => id > "a3" && even(id));
  expect(found.map(({ agent }) => agent.id)).toEqual(right.slice(0, count));
});
