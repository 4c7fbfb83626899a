import { defineConfig } from "vitest/config";

/** Rule packs are imported as text, as esbuild does for the product. */
const yamlAsText = {
  name: "yaml-as-text",
  transform(code: string, id: string) {
    return id.endsWith(".yaml") ? `export default ${JSON.stringify(code)};` : undefined;
  },
};

export default defineConfig({
  plugins: [yamlAsText],
  test: {
    globalSetup: "test/build-once.ts",
    include: [
      "src/**/*.test.ts",
      "ui/**/*.test.ts",
      "test/**/*.test.ts",
      "eval/**/*.test.ts",
      "sim/**/*.test.ts",
    ],
    exclude: ["test/fixtures/**"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    // Two cores, but the slow tests wait for clocks of others rather than compute.
    maxWorkers: 3,
  },
});
