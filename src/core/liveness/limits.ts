import { MINUTE, type Millis } from "../duration.ts";
import type { Context } from "./observation.ts";

/** How long nothing new may be said before it is a stall, and how we came by that figure. */
export interface Limit {
  readonly ms: Millis;
  readonly from: "fixed" | "learnt" | "prior" | "floor" | "ceiling";
  /** From how many of the agent's own gaps it was learnt. */
  readonly gaps: number;
}

/** Asked for the one context that matters, and only where one does. */
export type Limits = (context: Context) => Limit;

const DEFAULTS: Readonly<Record<Context, Limit>> = {
  model: { ms: 15 * MINUTE, from: "prior", gaps: 0 },
  tool: { ms: 60 * MINUTE, from: "prior", gaps: 0 },
  unknown: { ms: 45 * MINUTE, from: "prior", gaps: 0 },
};

/** Where nothing has been learnt yet. */
export const DEFAULT_LIMITS: Limits = (context) => DEFAULTS[context];

/** How long an agent may be idle with work recorded as under way. */
export const IDLE_WITH_WORK: Millis = 10 * MINUTE;
