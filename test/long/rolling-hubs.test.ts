import { expect, it } from "vitest";
import { RollingWorld } from "../../sim/hubs/rolling.ts";
import { HOUR } from "../../src/core/duration.ts";

const SEED = Number(process.env.SEED ?? 1);

it(`hubs that are restarted every ten minutes for two days delay no death by more than the gap, and tell nothing of it (seed ${SEED})`, {
  timeout: 1_200_000,
}, async () => {
  const { violations, ...rolled } = await new RollingWorld(SEED).run();
  expect(violations).toEqual([]);
  console.log(JSON.stringify(rolled));
  expect(rolled.restarts).toBeGreaterThan(280);
  expect(rolled.deaths).toBeGreaterThan(100);
});

it("restarts in turn find hubs that take a take-over for a reboot", { timeout: 1_200_000 }, async () => {
  const mutant = { name: "take-over is a reboot", takeOverIs: "reboot" } as const;
  expect((await new RollingWorld(SEED, 12 * HOUR, mutant).run()).violations).not.toEqual([]);
});
