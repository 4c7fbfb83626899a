import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: "test/build-once.ts",
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "eval/**/*.test.ts"],
    exclude: ["test/fixtures/**"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
