import { defineConfig } from "vitest/config";
import { packsAsDataForVite } from "./scripts/packs-as-data.js";

// A time-out is there for what hangs, on a machine with much else to do, and says nothing about speed.
const patience = { testTimeout: 120_000, hookTimeout: 120_000 };
const setupFiles = "test/one-seed.ts";

export default defineConfig({
  test: {
    globalSetup: "test/build-once.ts",
    pool: "forks",
    // Two cores, but the slow tests wait for clocks of others rather than compute.
    maxWorkers: 3,
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
          exclude: ["test/fixtures/**"],
        },
      },
    ],
  },
});
