/** Tests of the command line, and the threads of the simulation, run the built bundles: build them once, so that they are never stale. */
export default async function buildOnce(): Promise<void> {
  const { bundle } = (await import(new URL("../scripts/build.js", import.meta.url).href)) as {
    bundle: (more: Record<string, string>) => Promise<void>;
  };
  await bundle({ "test-up-until": "test/up-until.ts", "sim-worker": "sim/worker.ts" });
}
