import { setFlagsFromString } from "node:v8";
import { type Millis, SECOND } from "../core/duration.ts";

/** V8 looks about 8 s after a full collection whether it should collect once more. */
const WITHIN: Millis = 18 * SECOND;

/**
 * Lets V8 give back within seconds what a start leaves behind, and once. By itself it does that up to three times, at
 * some time within two minutes, when a watcher should be at rest. Later collections are made as usual.
 */
export function collectSoon(): void {
  setFlagsFromString("--memory-reducer-single-gc");
  // While this is set, V8 does not wait for a quiet moment.
  setFlagsFromString("--optimize-for-size");
  setTimeout(() => setFlagsFromString("--no-optimize-for-size"), WITHIN).unref();
}
