import { describe, expect, it } from "vitest";
import { root } from "../product.ts";
import { hasTmux, whyNoTmux } from "../watching.ts";
import { travel } from "./journey.ts";

/** A handful, within a minute; `npm run journeys -- --seeds 300` takes more. */
const SEEDS = [1, 2];

describe.skipIf(!hasTmux)(`a user's journey with the built product${whyNoTmux}`, () => {
  it.concurrent.each(SEEDS)("of seed %i shows nothing that is not true", async (seed) => {
    const { violations, script } = await travel(seed, { product: root, journeys: `${root}test/journeys` });
    expect(violations, script).toEqual([]);
  });
});
