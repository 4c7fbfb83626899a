import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import { packsAsDataForVite } from "./scripts/packs-as-data.js";

// A time-out is there for what hangs, on a machine with much else to do, and says nothing about speed.
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } };
const setupFiles = "test/one-seed.ts";

/** What waits longest for real clocks starts first, so that nobody waits for it at the end. */
const LONGEST = [
  "deliveries",
  "telling",
  "real-cron",
  "kill-9",
  "daemon",
  "dashboard",
  "screens",
  "doctor",
  "sim",
];

class LongestFirst extends BaseSequencer {
  async sort(files) {
    const place = ({ moduleId }) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at === -1 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

/** `npm run test:long` runs what takes too long for every run, and nothing else. */
const isLong = process.env.TEST_LONG === "1";

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    globalSetup: "test/build-once.ts",
    pool: "forks",
    // Two cores, but the slow tests wait for clocks of others rather than compute.
    maxWorkers: 5,
    projects: [
      {
        plugins: [packsAsDataForVite],
        test: {
          ...patience,
          setupFiles,
          name: "parts",
          include: ["src/**/*.test.ts", "ui/**/*.test.ts", "eval/**/*.test.ts"],
          // Hundreds of small files: a process each would take longer than the tests.
          isolate: false,
        },
      },
      {
        plugins: [packsAsDataForVite],
        test: {
          ...patience,
          setupFiles,
          name: "product",
          include: ["test/**/*.test.ts", "sim/**/*.test.ts"],
          exclude: ["test/fixtures/**", "test/long/**"],
        },
      },
      {
        plugins: [packsAsDataForVite],
        test: {
          ...patience,
          setupFiles,
          name: "long",
          include: [
            "test/long/**/*.test.ts",
            "test/deliveries.test.ts",
            "test/namespaces.test.ts",
            "test/start-steps.test.ts",
            "test/store-copy.test.ts",
          ],
          env: { EVERY_STEP: "1", KILLS: "100", LINK_DOWN_SECONDS: "600", COPY_KILLS: "10" },
        },
      },
    ].filter(({ test }) => (test.name === "long") === isLong),
  },
});
