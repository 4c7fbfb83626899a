import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { evaluate } from "../eval/recordings/evaluate.ts";
import { loadPacks } from "../src/signals/screens/packs.ts";

const own = fileURLToPath(new URL("./fixtures/recordings", import.meta.url));
const shared = fileURLToPath(new URL("../../shared/recordings", import.meta.url));
const packs = loadPacks();

describe("reading recordings", () => {
  it("reads the project's own small set, with an agent that no pack knows", async () => {
    const { accuracy, falseAlarmSeconds, recordings } = await evaluate(own, () => packs);
    expect(recordings.length).toBeGreaterThanOrEqual(5);
    expect(recordings.flatMap(({ misread }) => misread)).toEqual([]);
    expect(accuracy).toBe(1);
    expect(falseAlarmSeconds).toBe(0);
  });

  it.skipIf(!existsSync(shared))(
    "reads the shared set at least as well as is asked for, without a false alarm",
    async () => {
      const { accuracy, falseAlarmSeconds } = await evaluate(shared, () => packs);
      expect(accuracy).toBeGreaterThanOrEqual(0.95);
      expect(falseAlarmSeconds).toBe(0);
    },
    600_000,
  );

  it.skipIf(!existsSync(shared))(
    "reads the shared set well even if every client in it is unknown",
    async () => {
      const { accuracy, falseAlarmSeconds } = await evaluate(shared, () => ({
        clients: [],
        generic: packs.generic,
      }));
      expect(accuracy).toBeGreaterThanOrEqual(0.9);
      expect(falseAlarmSeconds).toBe(0);
    },
    600_000,
  );
});
