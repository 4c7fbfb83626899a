import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { evaluate } from "../../eval/recordings/evaluate.ts";
import { loadPacks } from "../../src/signals/screens/packs.ts";

it.each([
  ["looked", 0.97],
  ["kept", 0.95],
])(
  "reads the %s half of the corpus with the machine's facts, without a false alarm",
  async (half, least) => {
    const folder = fileURLToPath(new URL(`../../eval/corpus/${half}`, import.meta.url));
    const { accuracy, falseAlarmSeconds } = await evaluate(folder, () => loadPacks());
    expect(accuracy).toBeGreaterThanOrEqual(least);
    expect(falseAlarmSeconds).toBe(0);
  },
  240_000,
);
