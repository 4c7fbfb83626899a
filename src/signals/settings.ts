import * as z from "zod";
import { shapeOf } from "../ports/adapter.ts";
import type { SIGNAL_KINDS } from "./kinds.ts";
import { SIGNALS } from "./registry.ts";

/** The signals that an agent may name, by their keys in the config. */
export const signalShape: Record<(typeof SIGNAL_KINDS)[number], unknown> & ReturnType<typeof shape> = shape();

function shape() {
  return shapeOf(SIGNALS);
}

/** The same as one object, to read settings that have been checked before and were stored. */
export const signalSettings = z.strictObject(signalShape);
