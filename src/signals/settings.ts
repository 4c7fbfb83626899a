import * as z from "zod";
import { shapeOf } from "../ports/adapter.ts";
import { SIGNALS } from "./registry.ts";

/** The signals that an agent may name, by their keys in the config. */
export const signalShape = shapeOf(SIGNALS);

/** The same as one object, to read settings that have been checked before and were stored. */
export const signalSettings = z.strictObject(signalShape);
